-- Adds the work entry of a request that may be retried, unless it was added before.
--
-- KEYS     1 checks stream · 2 result (string) · 3 id of the entry that was added, or 'barred' (string)
-- ARGV     1 header · 2 body · 3 ms to remember the id · 4 id of an entry that is known to be lost, or ''
-- Returns  1 when this call added the entry, 0 when it is there or was, -1 when the request is barred (bar-check.lua).
-- Errors   OOM in a full Redis, when the entry would have to be added.
-- Flags    none, and no #! line: so a full Redis refuses the XADD alone, and a retry still learns that its entry is
--          there.
--
-- The script cannot see a result that has left Redis. A caller that names a lost entry has therefore asked ClickHouse
-- first.
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local entry = redis.call('GET', KEYS[3])
if entry == 'barred' then return -1 end
if entry and (entry ~= ARGV[4] or #redis.call('XRANGE', KEYS[1], entry, entry) > 0) then return 0 end
local added = redis.call('XADD', KEYS[1], '*', 'header', ARGV[1], 'body', ARGV[2])
redis.call('SET', KEYS[3], added, 'PX', ARGV[3])
return 1
