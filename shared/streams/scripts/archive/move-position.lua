#!lua flags=allow-oom
-- Moves the archiver's position and drops from Redis what has been archived.
--
-- KEYS     1 position (hash) · 2 results log (stream) · then places of the followers (hashes; an absent one does not read
--          the log) · then the results of archived requests
-- ARGV     1 span in ms · 2 second · 3 part: the position that these requests were read from
--          4 second · 5 part · 6 last archived id: the new position. An empty ARGV 4 only expires the results.
--          7 lowest id to keep in the log · 8 ms for which archived results stay
--          9 bytes · 10 number of the entries that are archived with this move
--          11 bytes · 12 ms of archived entries that the log keeps for a follower at most · 13 number of followers
-- Returns  1. Returns 0 and changes nothing when the position is not the one that was read from: another archiver was
--          faster and may have trimmed the log in the meantime.
-- Errors   'the position moves forward only' when the new position lies before the present one.
-- Flags    allow-oom: the script frees memory.
--
-- What is archived and not read by a follower stays, up to ARGV 11 and 12. Beyond that all of it goes, and is counted as
-- dropped: a reader that is stuck must not fill Redis.
local at = redis.call('HMGET', KEYS[1], 'second', 'part')
local second = at[1] or ''
local part = at[2] or ''
if second ~= ARGV[2] or part ~= ARGV[3] then
  if second ~= '' or ARGV[2] ~= '' then return 0 end
end
for i = 3 + ARGV[13], #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[8]) end
if ARGV[4] == '' then return 1 end
local ahead = tonumber(ARGV[4]) - (tonumber(second) or -1)
if ahead < 0 or (ahead == 0 and tonumber(ARGV[5]) <= (tonumber(part) or -1)) then
  return redis.error_reply('the position moves forward only')
end
redis.call('HSET', KEYS[1], 'span', ARGV[1], 'second', ARGV[4], 'part', ARGV[5], 'last', ARGV[6])

local function earlier(a, b)
  local ams, acount = string.match(a, '^(%d+)-(%d+)$')
  local bms, bcount = string.match(b, '^(%d+)-(%d+)$')
  if ams ~= bms then return tonumber(ams) < tonumber(bms) end
  return tonumber(acount) < tonumber(bcount)
end
local keep = ARGV[7]
for i = 3, 2 + ARGV[13] do
  local place = redis.call('HMGET', KEYS[i], 'next', 'read_bytes', 'read_entries')
  if place[1] then
    local bytes = redis.call('HINCRBY', KEYS[i], 'archived_bytes', ARGV[9])
    local entries = redis.call('HINCRBY', KEYS[i], 'archived_entries', ARGV[10])
    if earlier(place[1], ARGV[7]) then
      local oldest = string.match(ARGV[7], '^%d+') - tonumber(ARGV[12])
      local old = tonumber(string.match(place[1], '^%d+')) < oldest
      if old then
        -- Nothing may have come for long. The first entry is only read here, since it may be large.
        local first = redis.call('XRANGE', KEYS[2], place[1], '+', 'COUNT', 1)[1]
        old = first and tonumber(string.match(first[1], '^%d+')) < oldest
      end
      if bytes - tonumber(place[2]) <= tonumber(ARGV[11]) and not old then
        if earlier(place[1], keep) then keep = place[1] end
      else
        redis.call('HSET', KEYS[i], 'next', ARGV[7], 'read_bytes', bytes, 'read_entries', entries)
        redis.call('HINCRBY', KEYS[i], 'dropped', entries - tonumber(place[3]))
      end
    end
  end
end
redis.call('XTRIM', KEYS[2], 'MINID', keep)
return 1
