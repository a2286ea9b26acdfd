#!lua flags=allow-oom
-- Takes an entry from those that were set aside, and adds it to the log again where it is replayed.
--
-- KEYS     1 refused entries (stream) · 2 number of bytes in them (string) · 3 results log (stream)
-- ARGV     1 id of the entry · 2 'replay' or 'drop'
-- Returns  1, or 0 when there is no such entry (any more).
-- Flags    allow-oom: it adds no more than it removes.
--
-- Who follows the log has read the entry before. The field `again` tells them.
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then return 0 end
local fields, size = {'again', '1'}, 0
for i = 1, #entry[2], 2 do
  size = size + #entry[2][i + 1]
  if entry[2][i] ~= 'reason' then
    fields[#fields + 1] = entry[2][i]
    fields[#fields + 1] = entry[2][i + 1]
  end
end
-- In this order: an error of XADD leaves the entry where it is.
if ARGV[2] == 'replay' then redis.call('XADD', KEYS[3], '*', unpack(fields)) end
redis.call('XDEL', KEYS[1], ARGV[1])
local left = tonumber(redis.call('GET', KEYS[2]) or '0') - size
if redis.call('XLEN', KEYS[1]) == 0 then left = 0 end
redis.call('SET', KEYS[2], math.max(0, left))
return 1
