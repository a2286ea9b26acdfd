#!lua flags=no-writes
-- A page of dead letters without their bodies, newest first. All bodies of a partition together are bounded (bury-entry.lua),
-- so what this call looks at is too.
--
-- KEYS  1 dead letters
-- ARGV  1 highest id · 2 lowest id · 3 most letters
-- Returns per letter {id, bytes of its body, fields and values without the body}.
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
