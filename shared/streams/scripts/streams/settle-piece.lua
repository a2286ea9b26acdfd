#!lua flags=allow-oom
-- Stores what a look at a stream has said.
--
-- KEYS     1 state of the stream (hash)
-- ARGV     1 id of the stream · 2 sequence of the piece · 3 'open', or 'closing' where a policy is flagged · then names and values
-- Returns  1; 0: the stream is another one, has gone on, or ends already.
-- Flags    allow-oom: it changes a few numbers.
local id, status, settled = unpack(redis.call('HMGET', KEYS[1], 'id', 'status', 'settled'))
if id ~= ARGV[1] or status ~= 'open' then return 0 end
-- A flagged piece closes the stream even where an earlier look at it has said otherwise.
if ARGV[3] == 'open' and tonumber(settled) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'settled', ARGV[2], unpack(ARGV, 4))
if ARGV[3] == 'closing' then redis.call('HSET', KEYS[1], 'status', 'closing', 'how', 'flagged') end
return 1
