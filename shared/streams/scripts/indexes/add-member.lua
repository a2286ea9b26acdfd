#!lua flags=allow-oom
-- Adds a request to an index by a caller's own id (run, external session, user, artifact). Idempotent.
--
-- KEYS     1 index (sorted set: member by sequence) · 2 its request ids that are not archived (sorted set, same scores)
-- ARGV     1 sequence · 2 member · 3 sequence below which archived members are dropped · 4 most members
--          5 seconds to live; the archiver shortens that once all members are archived
--          6 'replace': archive the request again; 'new': only if the member is not there yet; 'late': it is written after its commit,
--          and may be archived by now
-- Returns  1.
-- Flags    allow-oom: it runs with the commit, which drains a full Redis.
--
-- An entry may be committed, and a partition archived, long after the time in the sequence. So the second key, not the
-- time, says what may be dropped. A member that is in the first key but not in the second was archived: a slow worker
-- adds it again.
local request = string.sub(ARGV[2], 1, 36)
local added = redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
if (added == 1 and ARGV[6] == 'new') or ARGV[6] == 'replace' then redis.call('ZADD', KEYS[2], ARGV[1], request) end
local members = redis.call('ZCARD', KEYS[1])
-- Most runs are one request: nothing else is there to drop.
if members > 1 then
  local bound = '(' .. ARGV[3]
  local lowest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  if lowest and tonumber(lowest) < tonumber(ARGV[3]) then bound = '(' .. lowest end
  members = members - redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', bound)
end
local over = members - tonumber(ARGV[4])
if over > 0 then
  -- Drop the oldest members, but never the one that was just added.
  for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, over)) do
    if member ~= ARGV[2] and over > 0 then
      redis.call('ZREM', KEYS[1], member)
      redis.call('ZREM', KEYS[2], string.sub(member, 1, 36))
      over = over - 1
    end
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
return 1
