#!lua flags=no-writes
-- Lists dead letters without their bodies, newest first.
--
-- KEYS     1 dead letters (stream)
-- ARGV     1 highest id · 2 lowest id · 3 most letters
-- Returns  per letter {id, bytes of its body, fields and values without the body}.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
--
-- bury-entry.lua limits the bytes of all bodies of a partition, so this call is limited too.
local page = {}
for i, letter in ipairs(redis.call('XREVRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])) do
  local fields, size = {}, 0
  for j = 1, #letter[2], 2 do
    if letter[2][j] == 'body' then
      size = #letter[2][j + 1]
    else
      fields[#fields + 1] = letter[2][j]
      fields[#fields + 1] = letter[2][j + 1]
    end
  end
  page[i] = {letter[1], size, fields}
end
return page
