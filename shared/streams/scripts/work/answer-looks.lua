#!lua flags=allow-oom
-- Answers looks at streams of one partition, and drops their entries. A look leaves nothing behind.
--
-- KEYS     1 checks stream · then, look by look, the segments of its body (hash), where it has these
-- ARGV     1 consumer group · then 5 per look: entry id · request id · reply channel or '' · answer · '1' where it has segments
-- Returns  a list with 1 per look that this call has answered, else 0.
-- Flags    allow-oom: it deletes alone.
local done, nextKey = {}, 2
for i = 0, (#ARGV - 1) / 5 - 1 do
  local at = 2 + i * 5
  local acked = redis.call('XACK', KEYS[1], ARGV[1], ARGV[at])
  redis.call('XDEL', KEYS[1], ARGV[at])
  if ARGV[at + 4] == '1' then
    redis.call('UNLINK', KEYS[nextKey])
    nextKey = nextKey + 1
  end
  if acked == 1 and ARGV[at + 2] ~= '' then redis.call('SPUBLISH', ARGV[at + 2], ARGV[at + 1] .. ARGV[at + 3]) end
  done[i + 1] = acked
end
return done
