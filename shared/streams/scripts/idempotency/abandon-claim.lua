#!lua flags=allow-oom
-- Gives a claim up whose request was not accepted, unless somebody else has taken it over.
--
-- KEYS  1 claim (hash) · 2 live claims of the API key (sorted set)
-- ARGV  1 who claimed it, or took it over last · 2 name of the claim in the sorted set
-- Returns 1 when it is gone by this call.
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
