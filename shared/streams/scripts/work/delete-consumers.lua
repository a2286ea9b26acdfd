#!lua flags=allow-oom
-- Deletes consumers that have been silent and hold no entries, so that restarts leave no names behind.
--
-- KEYS     1 checks stream
-- ARGV     1 consumer group · 2 ms of silence
-- Returns  the number of deleted consumers.
-- Flags    allow-oom: the script frees memory.
local deleted = 0
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local fields = {}
  for i = 1, #consumer, 2 do fields[consumer[i]] = consumer[i + 1] end
  if fields['pending'] == 0 and fields['idle'] > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], fields['name'])
    deleted = deleted + 1
  end
end
return deleted
