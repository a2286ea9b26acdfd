#!lua flags=allow-oom
-- Drops the oldest entries of a stream and keeps the count of its bytes right.
--
-- KEYS     1 stream · 2 number of bytes in its entries (string)
-- ARGV     1 highest id to drop · 2 most entries to drop in this call
--          then the names of the fields whose bytes are counted; none: all fields
-- Returns  the number of dropped entries. When it equals ARGV 2 there may be more.
-- Flags    allow-oom: the script frees memory.
local counts = {}
for i = 3, #ARGV do counts[ARGV[i]] = true end
local old = redis.call('XRANGE', KEYS[1], '-', ARGV[1], 'COUNT', ARGV[2])
local bytes = 0
for _, entry in ipairs(old) do
  for i = 1, #entry[2], 2 do
    if #ARGV < 3 or counts[entry[2][i]] then bytes = bytes + #entry[2][i + 1] end
  end
  redis.call('XDEL', KEYS[1], entry[1])
end
if #old > 0 then
  local left = tonumber(redis.call('GET', KEYS[2]) or '0') - bytes
  if redis.call('XLEN', KEYS[1]) == 0 then left = 0 end
  redis.call('SET', KEYS[2], math.max(0, left))
end
return #old
