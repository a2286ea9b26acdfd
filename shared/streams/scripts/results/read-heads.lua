-- The first lines of results of one partition: who has what verdict, without the policy maps and metadata that follow.
--
-- KEYS  result keys
-- ARGV  1 bytes of a result that are read first, and twice as many each time its line goes on
--       2 bytes after which no other result is begun
-- Returns a list with, per key, its first line, or false when there is no such result. It is shorter than KEYS when the
-- bytes are used up, but has one at least: the others are to be asked for again.
--
-- A result may be 13 MB long and its line a thousandth of that, so nothing is read that is not near the line.
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
  -- No record is empty.
  heads[i] = parts[1] ~= '' and table.concat(parts)
end
return heads
