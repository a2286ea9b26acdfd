#!lua flags=allow-oom
-- Raises the number of partitions to the one that is wanted. It never shrinks: entries of a partition that is not read
-- any more would be lost.
--
-- KEYS     1 number of partitions, and behind a space the layout of their tags (string). An installation keeps its layout; without one its
--          tags are plain numbers
-- ARGV     1 number that is wanted
-- Returns  what is stored.
-- Flags    allow-oom: it writes one number, so that processes can start on a full Redis.
local stored = redis.call('GET', KEYS[1]) or '0 even'
local now, layout = string.match(stored, '^(%d+)(.*)$')
if tonumber(ARGV[1]) > tonumber(now) then
  stored = ARGV[1] .. layout
  redis.call('SET', KEYS[1], stored)
end
return stored
