#!lua flags=allow-oom
-- Deletes consumers that have been silent for long and have nothing pending, so that restarts leave no names behind.
--
-- KEYS  1 checks stream
-- ARGV  1 consumer group · 2 silence in ms
-- Returns how many were deleted.
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
