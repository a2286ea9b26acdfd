#!lua
-- Notes when a stream is to be looked at, which ends it if it is idle then.
--
-- KEYS     1 open streams (sorted set: stream by Unix ms)
-- ARGV     1 ms until then · 2 stream
-- Errors   OOM in a full Redis.
-- Flags    none.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[2])
return 1
