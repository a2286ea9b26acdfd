#!lua flags=no-writes
-- Says whether the work of a request goes on, or is done.
--
-- KEYS     1 checks stream · 2 result (string) · 3 id of the entry that was added once (string) · 4 mark of an unfinished request
-- ARGV     1 id of its entry, '' where that is not known
-- Returns  1, where it is marked for look-ups and its entry or its result is there, else 0.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
local entry = ARGV[1]
if entry == '' then entry = redis.call('GET', KEYS[3]) end
if not entry or entry == 'barred' then return 0 end
return #redis.call('XRANGE', KEYS[1], entry, entry)
