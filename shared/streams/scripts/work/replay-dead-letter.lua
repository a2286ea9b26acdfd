#!lua
-- Puts a dead letter back to work, once. When the letter is gone, nothing is added.
--
-- KEYS     1 checks stream · 2 dead letters (stream) · 3 number of bytes in them (string)
-- ARGV     1 id of the dead letter · 2 its new header
-- Returns  the id of the new work entry, or nil when there is no such dead letter (any more).
-- Errors   OOM in a full Redis.
-- Flags    none: a full Redis refuses the script as a whole, so the letter is not lost.
local letter = redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])[1]
if not letter then return false end
local body, size = '', 0
for i = 1, #letter[2], 2 do
  local name, value = letter[2][i], letter[2][i + 1]
  if name == 'body' then body = value end
  if name == 'header' or name == 'body' then size = size + #value end
end
local entry = redis.call('XADD', KEYS[1], '*', 'header', ARGV[2], 'body', body)
redis.call('XDEL', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], math.max(0, tonumber(redis.call('GET', KEYS[3]) or '0') - size))
return entry
