-- The first lines of results of one partition: who has what verdict, without the policy maps and metadata that follow.
--
-- KEYS  result keys
-- Returns a list with, per key, its first line, or false when there is no such result.
local heads = {}
for i = 1, #KEYS do
  local record = redis.call('GET', KEYS[i])
  if record then
    local line = string.find(record, '\n', 1, true)
    heads[i] = line and string.sub(record, 1, line - 1) or record
  else
    heads[i] = false
  end
end
return heads
