#!lua flags=allow-oom
-- Gives the claim of a request up whose id is of no further use: it was barred, or has a result without a verdict.
--
-- KEYS  1 claim (hash) · 2 live claims of the API key (sorted set)
-- ARGV  1 request id · 2 name of the claim in the sorted set
-- Returns 1 when it is gone by this call, 0 when it was not, or no longer, that request's.
--
-- What is remembered of the request beside its claim (add-check.lua, bar-check.lua) stays for as long as the claim would have. So
-- the request keeps a place among the claims until then, under its own name, or a key used again and again had no bound.
if redis.call('HGET', KEYS[1], 'request') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
local ends = redis.call('ZSCORE', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
if ends then redis.call('ZADD', KEYS[2], ends, ARGV[1]) end
return 1
