#!lua flags=allow-oom
-- Moves the place up to which a follower has read the log, and drops what the others have passed, too.
--
-- KEYS     1 place of the follower (hash) · 2 results log (stream) · 3 position of the archiver (hash) · 4 segments of entries
--          of the log (sorted set) · then the places of the other followers (hashes; absent: they do not read the log)
-- ARGV     1 id that was to be read next · 2 id to be read next now · 3 bytes · 4 number of the entries between
-- Returns  1; 2 when entries of the log have segments, which may be of those that were dropped. Returns 0 and changes
--          nothing when the place is not the one that was read from: another worker was faster, or the entries were
--          dropped.
-- Flags    allow-oom: the script frees memory.
if redis.call('HGET', KEYS[1], 'next') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'next', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'read_bytes', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'read_entries', ARGV[4])
local last = redis.call('HGET', KEYS[3], 'last')
if not last then return 1 end

local function earlier(a, b)
  local ams, acount = string.match(a, '^(%d+)-(%d+)$')
  local bms, bcount = string.match(b, '^(%d+)-(%d+)$')
  if ams ~= bms then return tonumber(ams) < tonumber(bms) end
  return tonumber(acount) < tonumber(bcount)
end
-- Of all, the one that is furthest behind says what is kept.
local ms, count = string.match(last, '^(%d+)-(%d+)$')
local keep = ms .. '-' .. string.format('%.0f', tonumber(count) + 1)
if earlier(ARGV[2], keep) then keep = ARGV[2] end
for i = 5, #KEYS do
  local other = redis.call('HGET', KEYS[i], 'next')
  if other and earlier(other, keep) then keep = other end
end
redis.call('XTRIM', KEYS[2], 'MINID', keep)
return redis.call('EXISTS', KEYS[4]) + 1
