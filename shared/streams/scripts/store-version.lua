#!lua
-- Stores a configuration under the next number, in one step: a worker that saw the number before the text would report
-- that it cannot use it. Drops old versions but the active one.
--
-- KEYS  1 counter of versions · 2 versions (hash: number → text) · 3 number of the active one
-- ARGV  1 text · 2 how many versions are kept
-- Returns the number.
local version = redis.call('INCR', KEYS[1])
redis.call('HSET', KEYS[2], version, ARGV[1])
local active = redis.call('GET', KEYS[3])
for _, one in ipairs(redis.call('HKEYS', KEYS[2])) do
  if tonumber(one) <= version - tonumber(ARGV[2]) and one ~= active then redis.call('HDEL', KEYS[2], one) end
end
return version
