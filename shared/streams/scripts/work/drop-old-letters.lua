#!lua flags=allow-oom
-- Drops the oldest dead letters and keeps the count of their bytes right.
--
-- KEYS     1 dead letters (stream) · 2 number of bytes in them (string)
-- ARGV     1 highest id to drop · 2 most letters to drop in this call
-- Returns  the number of dropped letters. When it equals ARGV 2 there may be more.
-- Flags    allow-oom: the script frees memory.
local old = redis.call('XRANGE', KEYS[1], '-', ARGV[1], 'COUNT', ARGV[2])
local bytes = 0
for _, entry in ipairs(old) do
  for i = 1, #entry[2], 2 do
    local name = entry[2][i]
    if name == 'header' or name == 'body' then bytes = bytes + #entry[2][i + 1] end
  end
  redis.call('XDEL', KEYS[1], entry[1])
end
if #old > 0 then
  local left = tonumber(redis.call('GET', KEYS[2]) or '0') - bytes
  if redis.call('XLEN', KEYS[1]) == 0 then left = 0 end
  redis.call('SET', KEYS[2], math.max(0, left))
end
return #old
