#!lua flags=no-writes
-- Lists the segments of entries that have left a log.
--
-- KEYS     1 segments of entries of the log (sorted set: reference by Unix ms of the entry) · 2 results log (stream)
-- ARGV     1 most references
-- Returns  references. When there are as many as ARGV 1, there may be more.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
local bound = first and '(' .. string.match(first[1], '^%d+') or '+inf'
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', bound, 'LIMIT', 0, ARGV[1])
