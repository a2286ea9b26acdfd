#!lua
-- Adds a login, unless there are too many. Those that had to end are forgotten.
--
-- KEYS     1 the login (string) · 2 all logins (sorted set: hash by the Unix ms at which it has to end)
-- ARGV     1 JSON · 2 hash · 3 Unix ms · 4 ms until it ends without use · 5 Unix ms at which it has to end · 6 most logins
-- Returns  1, or 0: there is no room.
-- Errors   OOM in a full Redis.
-- Flags    none.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3])
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[2])
redis.call('PEXPIREAT', KEYS[2], ARGV[5])
return 1
