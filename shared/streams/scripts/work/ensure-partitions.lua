#!lua flags=allow-oom
-- The number of partitions: set by the first to ask, afterwards it only grows.
--
-- KEYS  1 number of partitions
-- ARGV  1 wanted
-- Returns the number in force.
local now = tonumber(redis.call('GET', KEYS[1]) or '0')
local wanted = tonumber(ARGV[1])
if wanted > now then
  redis.call('SET', KEYS[1], wanted)
  return wanted
end
return now
