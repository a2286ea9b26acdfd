#!lua
-- Has deliveries of a webhook that were given up sent again, under their ids, with a whole day of attempts.
--
-- KEYS     1 deliveries (hash) · 2 when each is due (sorted set) · 3 webhooks with deliveries that wait (sorted set)
-- ARGV     1 name of the webhook · 2 id of a delivery, or '' for all · 3 most deliveries
-- Returns  the number of deliveries that are due now. When it equals ARGV 3 there may be more.
-- Errors   OOM in a full Redis.
-- Flags    none: a full Redis refuses the script as a whole.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ids = {}
if ARGV[2] == '' then
  ids = redis.call('ZRANGEBYSCORE', KEYS[2], 'inf', 'inf', 'LIMIT', 0, ARGV[3])
elseif redis.call('ZSCORE', KEYS[2], ARGV[2]) == 'inf' then
  ids = {ARGV[2]}
end
for _, id in ipairs(ids) do
  local value = redis.call('HGET', KEYS[1], id)
  local again = string.format('0 %.0f -', now) .. string.sub(value, string.find(value, '\n', 1, true), -1)
  redis.call('HSET', KEYS[1], id, again)
  redis.call('HINCRBY', KEYS[1], 'bytes', #again - #value)
  redis.call('ZADD', KEYS[2], now, id)
end
if #ids > 0 then redis.call('ZADD', KEYS[3], 'LT', now, ARGV[1]) end
return #ids
