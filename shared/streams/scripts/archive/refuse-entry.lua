#!lua flags=allow-oom
-- Sets an entry of the log aside that has no rows ClickHouse could take. The oldest make room.
--
-- KEYS[1] refused:{p}   KEYS[2] how many bytes those are
-- ARGV[1] its id in the log   ARGV[2] entries to keep   ARGV[3] most bytes of them   ARGV[4…] fields and values
-- Returns 1, or 0 when it was set aside before: it keeps the id it had in the log, so a repeated block adds nothing.
--
-- Allowed in a full Redis, so that it can drain: for that there must be an end to the bytes, too. Entries that nobody
-- counted (of an earlier release) go by their number alone.
local ok = redis.pcall('XADD', KEYS[1], ARGV[1], unpack(ARGV, 4))
if type(ok) == 'table' and ok.err then
  if string.find(ok.err, 'equal or smaller', 1, true) then return 0 end
  return ok
end
local function sizeOf(values, first)
  local size = 0
  for i = first + 1, #values, 2 do size = size + #values[i] end
  return size
end
local length = redis.call('XLEN', KEYS[1])
local size = sizeOf(ARGV, 4)
local bytes = size
if length > 1 then bytes = bytes + tonumber(redis.call('GET', KEYS[2]) or '0') end
while length > 1 and (length > tonumber(ARGV[2]) or bytes > tonumber(ARGV[3])) do
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  bytes = math.max(size, bytes - sizeOf(oldest[2], 1))
  redis.call('XDEL', KEYS[1], oldest[1])
  length = length - 1
end
redis.call('SET', KEYS[2], bytes)
return 1
