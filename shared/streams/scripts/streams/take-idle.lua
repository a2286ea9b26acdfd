#!lua flags=allow-oom
-- Takes streams that are to be looked at. Nobody else takes them for a while.
--
-- KEYS     1 open streams (sorted set: stream by Unix ms)
-- ARGV     1 ms until others may take them · 2 most streams
-- Returns  the streams
-- Flags    allow-oom: it changes numbers.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, stream in ipairs(due) do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), stream) end
return due
