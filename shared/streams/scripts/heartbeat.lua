#!lua flags=allow-oom
-- A worker says that it lives. Redis's clock counts: those of workers and command lines differ.
--
-- KEYS  1 workers (sorted set: worker by Unix ms of its last sign of life) · 2 counter of configuration versions
-- ARGV  1 worker · 2 ms of silence after which a worker is forgotten
-- Returns the number of the newest configuration version.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[2]))
return tonumber(redis.call('GET', KEYS[2]) or '0')
