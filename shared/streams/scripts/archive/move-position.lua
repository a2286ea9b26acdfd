#!lua flags=allow-oom
-- Moves the archiver's position and drops from Redis what has been archived.
--
-- KEYS     1 position (hash) · 2 results log (stream) · then the results of archived requests
-- ARGV     1 span in ms · 2 second · 3 part: the position that these requests were read from
--          4 second · 5 part · 6 last archived id: the new position. An empty ARGV 4 only expires the results.
--          7 lowest id to keep in the log · 8 ms for which archived results stay
-- Returns  1. Returns 0 and changes nothing when the position is not the one that was read from: another archiver was
--          faster and may have trimmed the log in the meantime.
-- Errors   'the position moves forward only' when the new position lies before the present one.
-- Flags    allow-oom: the script frees memory.
local at = redis.call('HMGET', KEYS[1], 'second', 'part')
local second = at[1] or ''
local part = at[2] or ''
if second ~= ARGV[2] or part ~= ARGV[3] then
  if second ~= '' or ARGV[2] ~= '' then return 0 end
end
for i = 3, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[8]) end
if ARGV[4] == '' then return 1 end
local ahead = tonumber(ARGV[4]) - (tonumber(second) or -1)
if ahead < 0 or (ahead == 0 and tonumber(ARGV[5]) <= (tonumber(part) or -1)) then
  return redis.error_reply('the position moves forward only')
end
redis.call('HSET', KEYS[1], 'span', ARGV[1], 'second', ARGV[4], 'part', ARGV[5], 'last', ARGV[6])
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[7])
return 1
