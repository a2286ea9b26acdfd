#!lua flags=allow-oom
-- Makes a configuration version the active one, unless a newer one is active or the version is not stored.
--
-- KEYS     1 number of the active version (string) · 2 versions (hash: number → text)
--          3 applied (hash: number → Unix ms, a space, and who applied it)
-- ARGV     1 number of the version · 2 who applies it, as JSON
-- Returns  the number that is active now.
-- Flags    allow-oom: it writes little, so that an apply whose version is stored can finish.
local active = tonumber(redis.call('GET', KEYS[1]) or '0')
local version = tonumber(ARGV[1])
if version <= active or redis.call('HEXISTS', KEYS[2], version) == 0 then return active end
redis.call('SET', KEYS[1], version)
local time = redis.call('TIME')
redis.call('HSET', KEYS[3], version, string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)) .. ' ' .. ARGV[2])
return version
