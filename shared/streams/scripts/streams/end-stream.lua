#!lua flags=allow-oom
-- Ends a stream: keeps its result for those who ask again, and drops its text.
--
-- KEYS     1 state of the stream (hash) · 2 its text (string)
-- ARGV     1 id of the stream · 2 its record · 3 ms that the result is kept
-- Returns  1; 0: the stream is another one, or has ended.
-- Flags    allow-oom: it drops more than it adds.
local id, status = unpack(redis.call('HMGET', KEYS[1], 'id', 'status'))
if id ~= ARGV[1] or status ~= 'closing' then return 0 end
-- From here on `bytes` are those of the text.
redis.call('HSET', KEYS[1], 'status', 'ended', 'record', ARGV[2], 'metadata', '', 'bytes', redis.call('STRLEN', KEYS[2]))
redis.call('UNLINK', KEYS[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
