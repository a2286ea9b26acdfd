#!lua flags=allow-oom
-- Takes an entry from those that were set aside, and adds it to the log again: to be archived or, where it is dropped, as one
-- without rows. The archiver lets the result and the indexes of that one go, as those of any other.
--
-- KEYS     1 refused entries (stream) · 2 number of bytes in them (string) · 3 results log (stream)
-- ARGV     1 id of the entry · 2 'replay' or 'drop'
-- Returns  1, or 0 when there is no such entry (any more).
-- Flags    allow-oom: it adds no more than it removes.
--
-- Who follows the log has read the entry before. The field `again` tells them. An entry that names no request has nothing
-- beside its rows, so it is gone when it is dropped.
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then return 0 end
local dropped = ARGV[2] == 'drop'
local fields, size, request = {'again', '1'}, 0, ''
if dropped then fields = {'again', '1', 'dropped', '1'} end
for i = 1, #entry[2], 2 do
  local name, value = entry[2][i], entry[2][i + 1]
  size = size + #value
  if name == 'id' then request = value end
  if name ~= 'reason' and not (dropped and name == 'rows') then
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  end
end
-- In this order: an error of XADD leaves the entry where it is.
if not dropped or request ~= '' then redis.call('XADD', KEYS[3], '*', unpack(fields)) end
redis.call('XDEL', KEYS[1], ARGV[1])
local left = tonumber(redis.call('GET', KEYS[2]) or '0') - size
if redis.call('XLEN', KEYS[1]) == 0 then left = 0 end
redis.call('SET', KEYS[2], math.max(0, left))
return 1
