#!lua flags=allow-oom
-- Keeps entries pending for a consumer that still works on them. An entry that another consumer has taken over stays
-- there.
--
-- KEYS     1 checks stream
-- ARGV     1 consumer group · 2 consumer · then entry ids
-- Returns  the number of entries that this consumer still holds.
-- Flags    allow-oom: workers that drain a full Redis must keep their entries.
local kept = 0
for i = 3, #ARGV do
  local pending = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2])
  if #pending == 1 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
    kept = kept + 1
  end
end
return kept
