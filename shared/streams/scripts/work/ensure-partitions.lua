#!lua flags=allow-oom
-- Raises the number of partitions to the one that is wanted. It never shrinks: entries of a partition that is not read
-- any more would be lost.
--
-- KEYS     1 number of partitions (string)
-- ARGV     1 number that is wanted
-- Returns  the number in force.
-- Flags    allow-oom: it writes one number, so that processes can start on a full Redis.
local now = tonumber(redis.call('GET', KEYS[1]) or '0')
local wanted = tonumber(ARGV[1])
if wanted > now then
  redis.call('SET', KEYS[1], wanted)
  return wanted
end
return now
