#!lua
-- Adds a work entry whose body was written in segments before.
--
-- KEYS     1 checks stream · 2 segments of the body (hash)
-- ARGV     1 header · 2 reference to the segments · 3 number of segments
-- Returns  the id of the entry.
-- Errors   OOM in a full Redis. 'the segments of the body are gone': Redis has lost some of them.
-- Flags    none: a full Redis refuses the script as a whole, and the caller deletes the segments.
if redis.call('HLEN', KEYS[2]) ~= tonumber(ARGV[3]) then
  return redis.error_reply('ERR the segments of the body are gone')
end
local id = redis.call('XADD', KEYS[1], '*', 'header', ARGV[1], 'segments', ARGV[2])
redis.call('PERSIST', KEYS[2])
return id
