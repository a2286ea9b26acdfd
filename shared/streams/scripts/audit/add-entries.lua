#!lua
-- Adds entries to the audit log, unless there is no room for all of them.
--
-- KEYS     1 audit log (stream)
-- ARGV     1 most entries · then an entry each, as JSON
-- Returns  1, or 0: there is no room.
-- Errors   OOM in a full Redis.
-- Flags    none: what cannot be recorded is not done.
if redis.call('XLEN', KEYS[1]) + #ARGV - 1 > tonumber(ARGV[1]) then return 0 end
for i = 2, #ARGV do redis.call('XADD', KEYS[1], '*', 'row', ARGV[i]) end
return 1
