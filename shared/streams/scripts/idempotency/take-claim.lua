#!lua flags=allow-oom
-- Takes over a claim whose request was not seen to be accepted. Only who took it over last can give it up from now on,
-- so that whoever claimed it first may be slow but cannot let a second request in.
--
-- KEYS  1 claim (hash)
-- ARGV  1 request id · 2 who takes it (random)
-- Returns 1, or 0 when the claim is not that request's any more.
if redis.call('HGET', KEYS[1], 'request') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[2])
return 1
