#!lua flags=allow-oom
-- Sets a log entry aside whose rows ClickHouse cannot take. The oldest entries make room for it.
--
-- KEYS     1 refused entries (stream) · 2 number of bytes in them (string)
-- ARGV     1 id of the entry in the log · 2 most entries to keep · 3 most bytes to keep · then fields and values
-- Returns  1. Returns 0 when the entry was set aside before: it keeps its id of the log, so a repeated block adds
--          nothing.
-- Errors   any other error of XADD.
-- Flags    allow-oom: the archiver must be able to drain a full Redis. For the same reason the bytes are limited.
--
-- Entries of earlier releases were not counted. Only the limit of their number drops them.
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
