#!lua flags=allow-oom
-- Renews the claims of a consumer on entries it is still working on. An entry that has gone to somebody else stays there.
--
-- KEYS  1 checks stream
-- ARGV  1 consumer group · 2 consumer · then entry ids
-- Returns how many are still this consumer's.
local kept = 0
for i = 3, #ARGV do
  local pending = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2])
  if #pending == 1 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
    kept = kept + 1
  end
end
return kept
