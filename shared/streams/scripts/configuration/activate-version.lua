#!lua flags=allow-oom
-- Makes a configuration version the active one, unless a newer one is active or the version is not stored.
--
-- KEYS     1 number of the active version (string) · 2 versions (hash: number → text)
-- ARGV     1 number of the version
-- Returns  the number that is active now.
-- Flags    allow-oom: it writes one number, so that an apply whose version is stored can finish.
local active = tonumber(redis.call('GET', KEYS[1]) or '0')
local version = tonumber(ARGV[1])
if version <= active or redis.call('HEXISTS', KEYS[2], version) == 0 then return active end
redis.call('SET', KEYS[1], version)
return version
