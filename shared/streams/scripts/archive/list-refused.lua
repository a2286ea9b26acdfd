#!lua flags=no-writes
-- Lists entries that were set aside without their rows, oldest first.
--
-- KEYS     1 refused entries (stream)
-- ARGV     1 lowest id · 2 highest id · 3 most entries
-- Returns  per entry {id, request id, reason, bytes of its rows}; '' for a field that is absent.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
--
-- refuse-entry.lua limits the bytes of all entries of a partition, so this call is limited too.
local page = {}
for i, entry in ipairs(redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])) do
  local field = {}
  for j = 1, #entry[2], 2 do field[entry[2][j]] = entry[2][j + 1] end
  page[i] = {entry[1], field.id or '', field.reason or '', #(field.rows or '')}
end
return page
