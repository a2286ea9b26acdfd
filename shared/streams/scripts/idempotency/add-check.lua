-- Adds the work entry of a request that may be repeated, unless it was added before.
--
-- KEYS  1 checks stream · 2 result · 3 id of the entry that was added (string)
-- ARGV  1 header · 2 body · 3 ms that the id is remembered · 4 id of an entry that is known to be lost, or ''
-- Returns 1 when this call added it, 0 when it is there, or was, already, -1 when it was barred (bar-check.lua).
--
-- A result that has left Redis is not seen here: who names a lost entry has asked ClickHouse.
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local entry = redis.call('GET', KEYS[3])
if entry == 'barred' then return -1 end
if entry and (entry ~= ARGV[4] or #redis.call('XRANGE', KEYS[1], entry, entry) > 0) then return 0 end
local added = redis.call('XADD', KEYS[1], '*', 'header', ARGV[1], 'body', ARGV[2])
redis.call('SET', KEYS[3], added, 'PX', ARGV[3])
return 1
