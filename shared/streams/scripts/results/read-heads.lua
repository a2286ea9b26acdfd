#!lua flags=no-writes
-- Reads the first line of each result: who has which verdict, without the policy maps and metadata that follow.
--
-- KEYS     results (strings) of one partition
-- ARGV     1 bytes of a result to read first; doubled each time its line goes on · 2 bytes after which no other result
--          is begun
-- Returns  a list with the first line per key, or false where there is no such result. The list has one element at
--          least. It is shorter than KEYS when the bytes are used up: ask again for the rest.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
--
-- A result may be 13 MB long and its first line a thousandth of that. So the script reads little more than the line.
local first, left = tonumber(ARGV[1]), tonumber(ARGV[2])
local heads = {}
for i = 1, #KEYS do
  if i > 1 and left <= 0 then break end
  local parts, from, size = {}, 0, first
  while true do
    local part = redis.call('GETRANGE', KEYS[i], from, from + size - 1)
    left = left - #part
    local line = string.find(part, '\n', 1, true)
    parts[#parts + 1] = line and string.sub(part, 1, line - 1) or part
    if line or #part < size then break end
    from, size = from + size, size * 2
  end
  -- No record is empty, so '' means that there is none.
  heads[i] = parts[1] ~= '' and table.concat(parts)
end
return heads
