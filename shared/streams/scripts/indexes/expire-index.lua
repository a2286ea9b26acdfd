#!lua flags=allow-oom
-- Marks requests of an index as archived, and lets the index expire once all of its requests are.
--
-- KEYS     1 index (sorted set: member by sequence) · 2 its request ids that are not archived (sorted set, same scores)
-- ARGV     1 sequence up to which archived members are dropped · 2 ms for which the others stay · then archived request
--          ids
-- Returns  1 when the index will expire soon, 0 when it holds a request, of whatever partition, that is not archived.
-- Flags    allow-oom: the script frees memory.
for i = 3, #ARGV do redis.call('ZREM', KEYS[2], ARGV[i]) end
-- An index of one request: only its time to live changes.
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
