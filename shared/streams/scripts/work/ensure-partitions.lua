#!lua flags=allow-oom
-- Raises the number of partitions to the one that is wanted, and notes the region where there is none. The number never shrinks: entries of a
-- partition that is not read any more would be lost. A region stays: ids carry it.
--
-- KEYS     1 number of partitions, and behind a space each the layout of their tags and the region (string). An installation keeps its
--          layout; without one its tags are plain numbers
-- ARGV     1 number that is wanted
--          2 region, such as 1:eu, or nothing
-- Returns  what is stored.
-- Flags    allow-oom: it writes one short text, so that processes can start on a full Redis.
local before = redis.call('GET', KEYS[1])
local now, layout, region = string.match(before or '0 even', '^(%d+) ?(%S*) ?(%S*)$')
if tonumber(ARGV[1]) > tonumber(now) then now = ARGV[1] end
if region == '' and ARGV[2] ~= '' then region = ARGV[2] end
if region ~= '' and layout == '' then layout = 'plain' end
local stored = now
if layout ~= '' then stored = stored .. ' ' .. layout end
if region ~= '' then stored = stored .. ' ' .. region end
if stored ~= before then redis.call('SET', KEYS[1], stored) end
return stored
