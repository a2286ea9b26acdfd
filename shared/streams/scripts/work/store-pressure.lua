#!lua flags=allow-oom
-- Stores what a process has measured of the work streams in a Redis that is full.
--
-- KEYS     1 pressure (string)
-- ARGV     1 what it has measured · 2 ms for which that is kept
-- Returns  what was stored before, or ''.
-- Flags    allow-oom: each process would measure for itself otherwise, just where Redis has most to do.
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'GET') or ''
