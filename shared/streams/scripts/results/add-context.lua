#!lua flags=allow-oom
-- Adds texts to a conversation that some policy looks back on, and drops the oldest over the limits. Idempotent.
--
-- KEYS     1 conversation (sorted set: text by sequence)
-- ARGV     1 sequence · 2 most texts · 3 most bytes · 4 seconds to live · then members: request id, item, ':' and the
--          text
-- Returns  the number of texts that are kept; one at least, whatever its size.
-- Flags    allow-oom: it runs with the commit, which drains a full Redis.
for i = 5, #ARGV do redis.call('ZADD', KEYS[1], ARGV[1], ARGV[i]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[2]))
local members, bytes, keep = redis.call('ZREVRANGE', KEYS[1], 0, -1), 0, 0
for _, member in ipairs(members) do
  bytes = bytes + #member
  if bytes > tonumber(ARGV[3]) and keep > 0 then break end
  keep = keep + 1
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - keep)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return keep
