#!lua flags=allow-oom
-- Drops one dead letter and keeps the count of their bytes right.
--
-- KEYS     1 dead letters (stream) · 2 number of bytes in them (string)
-- ARGV     1 id
-- Returns  1, or 0: there is none of this id (any more).
-- Flags    allow-oom: the script frees memory.
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then return 0 end
local bytes = 0
for i = 1, #entry[2], 2 do
  local name = entry[2][i]
  if name == 'header' or name == 'body' then bytes = bytes + #entry[2][i + 1] end
end
redis.call('XDEL', KEYS[1], ARGV[1])
local left = tonumber(redis.call('GET', KEYS[2]) or '0') - bytes
if redis.call('XLEN', KEYS[1]) == 0 then left = 0 end
redis.call('SET', KEYS[2], math.max(0, left))
return 1
