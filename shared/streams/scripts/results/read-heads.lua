#!lua flags=no-writes
-- Reads the head of each result: who has which verdict, without the policy maps and metadata that follow.
--
-- KEYS     results (strings) of one partition
-- ARGV     1 bytes of a result to read first · 2 bytes after which no other result is begun
-- Returns  a list with the head per key, or false where there is no such result. The list has one element at least. It
--          is shorter than KEYS when the bytes are used up: ask again for the rest.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
--
-- A result may be 13 MB long and its head a thousandth of that. Its bytes 5 to 8 say how long the head is
-- (`shared/api/results/layout.ts`).
local first, left = tonumber(ARGV[1]), tonumber(ARGV[2])
local heads = {}
for i = 1, #KEYS do
  if i > 1 and left <= 0 then break end
  local head = redis.call('GETRANGE', KEYS[i], 0, first - 1)
  -- No record is empty, so '' means that there is none.
  heads[i] = false
  if #head >= 8 then
    local length = struct.unpack('<I4', head, 5)
    if length > #head then head = head .. redis.call('GETRANGE', KEYS[i], #head, length - 1) end
    heads[i] = string.sub(head, 1, length)
  end
  left = left - #head
end
return heads
