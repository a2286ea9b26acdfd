#!lua flags=allow-oom
-- Takes over a claim whose request was not seen to be accepted. From now on only the new owner can give the claim up. A
-- first owner that is slow can therefore not let a second request in.
--
-- KEYS     1 claim (hash)
-- ARGV     1 request id · 2 new owner (random)
-- Returns  1, or 0 when the claim is not that request's any more.
-- Flags    allow-oom: a retry must be able to finish in a full Redis. It overwrites one field.
if redis.call('HGET', KEYS[1], 'request') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[2])
return 1
