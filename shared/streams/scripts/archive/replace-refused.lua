#!lua flags=allow-oom
-- Puts an entry that was set aside behind the others, with other rows. Its new id has the time of the last one.
--
-- KEYS     1 refused entries (stream) · 2 number of bytes in them (string)
-- ARGV     1 id of the entry · 2 its rows from now on, not longer than before
-- Returns  1, or 0: there is no such entry (any more).
-- Flags    allow-oom: it adds no more than it removes.
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then return 0 end
local fields, less = {}, 0
for i = 1, #entry[2], 2 do
  local name, value = entry[2][i], entry[2][i + 1]
  if name == 'rows' then
    less = #value - #ARGV[2]
    value = ARGV[2]
  end
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
-- In this order: an error of XADD leaves the entry as it is.
local info, last = redis.call('XINFO', 'STREAM', KEYS[1]), ''
for i = 1, #info, 2 do
  if info[i] == 'last-generated-id' then last = info[i + 1] end
end
redis.call('XADD', KEYS[1], string.match(last, '^%d+') .. '-*', unpack(fields))
redis.call('XDEL', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], math.max(0, tonumber(redis.call('GET', KEYS[2]) or '0') - less))
return 1
