#!lua flags=allow-oom
-- Moves the archiver's position and drops from Redis what has been archived.
--
-- KEYS     1 position (hash) · 2 results log (stream) · 3 segments of entries of the log (sorted set) · then places of the
--          followers (hashes; an absent one does not read the log) · then the results of archived requests
-- ARGV     1 last id that was archived when these requests were read, or '' · 2 last id that is archived now. An empty one
--          only expires the results.
--          3 lowest id to keep in the log · 4 ms for which archived results stay
--          5 bytes · 6 number of the entries that are archived with this move
--          7 bytes · 8 ms of archived entries that the log keeps for a follower at most · 9 number of followers
-- Returns  1; 2 when entries of the log have segments, which may be of those that were dropped. Returns 0 and changes
--          nothing when the position is not the one that was read from: another archiver was faster and may have trimmed
--          the log in the meantime.
-- Errors   'the position moves forward only' when the new position is not behind the present one.
-- Flags    allow-oom: the script frees memory.
--
-- What is archived and not read by a follower stays, up to ARGV 7 and 8. Beyond that all of it goes, and is counted as
-- dropped: a reader that is stuck must not fill Redis.
local last = redis.call('HGET', KEYS[1], 'last') or ''
if last ~= ARGV[1] then return 0 end
for i = 4 + ARGV[9], #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
if ARGV[2] == '' then return 1 end

local function earlier(a, b)
  local ams, acount = string.match(a, '^(%d+)-(%d+)$')
  local bms, bcount = string.match(b, '^(%d+)-(%d+)$')
  if ams ~= bms then return tonumber(ams) < tonumber(bms) end
  return tonumber(acount) < tonumber(bcount)
end
if last ~= '' and not earlier(last, ARGV[2]) then return redis.error_reply('the position moves forward only') end
-- Its other fields are of the position that it leaves.
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'last', ARGV[2])

local keep = ARGV[3]
for i = 4, 3 + ARGV[9] do
  local place = redis.call('HMGET', KEYS[i], 'next', 'read_bytes', 'read_entries')
  if place[1] then
    local bytes = redis.call('HINCRBY', KEYS[i], 'archived_bytes', ARGV[5])
    local entries = redis.call('HINCRBY', KEYS[i], 'archived_entries', ARGV[6])
    if earlier(place[1], ARGV[3]) then
      local oldest = string.match(ARGV[3], '^%d+') - tonumber(ARGV[8])
      local old = tonumber(string.match(place[1], '^%d+')) < oldest
      if old then
        -- Nothing may have come for long. The first entry is only read here, since it may be large.
        local first = redis.call('XRANGE', KEYS[2], place[1], '+', 'COUNT', 1)[1]
        old = first and tonumber(string.match(first[1], '^%d+')) < oldest
      end
      if bytes - tonumber(place[2]) <= tonumber(ARGV[7]) and not old then
        if earlier(place[1], keep) then keep = place[1] end
      else
        redis.call('HSET', KEYS[i], 'next', ARGV[3], 'read_bytes', bytes, 'read_entries', entries)
        redis.call('HINCRBY', KEYS[i], 'dropped', entries - tonumber(place[3]))
      end
    end
  end
end
redis.call('XTRIM', KEYS[2], 'MINID', keep)
return redis.call('EXISTS', KEYS[3]) + 1
