#!lua
-- Takes places of an API key for a stream, and renews those that it has.
--
-- KEYS     1 places (sorted set: place by the Unix ms at which it is free again)
-- ARGV     1 ms that they are taken for · 2 most places · then the places
-- Returns  0, or the ms until one is free where there are not enough.
-- Errors   OOM in a full Redis.
-- Flags    none.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local new = 0
for i = 3, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then new = new + 1 end
end
if new > 0 and redis.call('ZCARD', KEYS[1]) + new > tonumber(ARGV[2]) then
  return math.max(1, tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) - now)
end
for i = 3, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 0
