#!lua flags=allow-oom
-- Removes the claim of a request that was not accepted, unless another process has taken the claim over.
--
-- KEYS     1 claim (hash) · 2 live claims of the API key (sorted set)
-- ARGV     1 owner: who claimed it, or took it over last · 2 name of the claim in the sorted set
-- Returns  1 when this call removed the claim, else 0.
-- Flags    allow-oom: the script frees memory.
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
