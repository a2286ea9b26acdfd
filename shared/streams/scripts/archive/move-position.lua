#!lua flags=allow-oom
-- Moves the archiver's position and drops from Redis what it has passed.
--
-- KEYS[1] position:{p}   KEYS[2] results:{p}   KEYS[3…] result:{p}:<request> of archived requests
-- ARGV[1] span   ARGV[2] second   ARGV[3] part: the position these requests were read from
-- ARGV[4] second ARGV[5] part     ARGV[6] last archived id: the new position, or ARGV[4] empty to only expire
-- ARGV[7] lowest id to keep in the log   ARGV[8] ms for which archived results stay
-- Returns 1, or 0 and changes nothing when the position is not the one that was read from: another archiver was
-- faster, and what this one read may have been trimmed under its hands.
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
