#!lua flags=allow-oom
-- Makes a configuration version the active one; never an older one than is active already, nor one that is not there.
--
-- KEYS  1 number of the active version · 2 versions (hash: number → text)
-- ARGV  1 number of the version
-- Returns the number that is active now.
local active = tonumber(redis.call('GET', KEYS[1]) or '0')
local version = tonumber(ARGV[1])
if version <= active or redis.call('HEXISTS', KEYS[2], version) == 0 then return active end
redis.call('SET', KEYS[1], version)
return version
