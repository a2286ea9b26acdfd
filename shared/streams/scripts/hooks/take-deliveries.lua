#!lua flags=allow-oom
-- Takes deliveries of a webhook that are due, first the one that is due for longest. Nobody else is given them for a while.
--
-- KEYS     1 deliveries (hash) · 2 when each is due (sorted set) · 3 webhooks with deliveries that wait (sorted set)
-- ARGV     1 name of the webhook · 2 ms for which they are taken · 3 most deliveries
-- Returns  per delivery its id and what is stored of it.
-- Flags    allow-oom: it only moves scores.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])) do
  local value = redis.call('HGET', KEYS[1], id)
  if value then
    redis.call('ZADD', KEYS[2], now + ARGV[2], id)
    taken[#taken + 1] = id
    taken[#taken + 1] = value
  else
    redis.call('ZREM', KEYS[2], id)
  end
end
local first = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(inf', 'WITHSCORES', 'LIMIT', 0, 1)
if first[2] then
  redis.call('ZADD', KEYS[3], first[2], ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return taken
