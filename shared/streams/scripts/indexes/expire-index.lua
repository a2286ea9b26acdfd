#!lua flags=allow-oom
-- Says which requests of an index of callers' ids are archived, and lets it expire once all are.
--
-- KEYS  1 index (sorted set: member by sequence) · 2 request ids in it that are not archived (sorted set, same scores)
-- ARGV  1 sequence up to which archived members may go · 2 ms for which the others stay
--       then the request ids that are archived now
-- Returns 1 when the key will expire soon, 0 when something that is not archived, of whatever partition, keeps it.
for i = 3, #ARGV do redis.call('ZREM', KEYS[2], ARGV[i]) end
-- Of a run of one request only the time to live changes.
local lowest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if not lowest and redis.call('ZCARD', KEYS[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
local bound = ARGV[1]
if lowest and tonumber(lowest) <= tonumber(bound) then bound = '(' .. lowest end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', bound)
if lowest then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
