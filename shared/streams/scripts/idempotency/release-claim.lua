#!lua flags=allow-oom
-- Gives up the claim of a request whose id is of no further use: it was barred, or it ended without a verdict.
--
-- KEYS     1 claim (hash) · 2 live claims of the API key (sorted set)
-- ARGV     1 request id · 2 name of the claim in the sorted set · 3 `counts` or `forgotten`
-- Returns  1 when this call removed the claim, 0 when the claim is not, or no longer, that request's.
-- Flags    allow-oom: the script adds no more than it removes.
--
-- The key of add-check.lua and bar-check.lua outlives the claim. So the request stays in the sorted set under its own
-- id until the claim would have ended, where it `counts`. Otherwise an Idempotency-Key that is used again and again would
-- have no limit.
if redis.call('HGET', KEYS[1], 'request') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
local ends = redis.call('ZSCORE', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
if ends and ARGV[3] == 'counts' then redis.call('ZADD', KEYS[2], ends, ARGV[1]) end
return 1
