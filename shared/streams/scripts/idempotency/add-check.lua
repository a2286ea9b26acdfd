-- Adds the work entry of a request that may be added again, unless it was added before.
--
-- KEYS     1 checks stream · 2 result (string) · 3 id of the entry that was added, or 'barred' (string)
--          4 segments of the body (hash); absent: the body is ARGV 2
-- ARGV     1 header · 2 body, or reference to its segments · 3 ms to remember the id · 4 id of an entry that is known to be lost, or ''
--          5 number of segments
-- Returns  1 when this call added the entry, 0 when it is there or was, -1 when the request is barred (bar-check.lua).
-- Errors   OOM in a full Redis, when the entry would have to be added. 'the segments of the body are gone': Redis has
--          lost some of them.
-- Flags    none, and no #! line: so a full Redis refuses the XADD alone, and a retry still learns that its entry is
--          there. The caller deletes segments that were written for nothing.
--
-- The script cannot see a result that has left Redis. A caller that names a lost entry has therefore asked ClickHouse
-- first.
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local entry = redis.call('GET', KEYS[3])
if entry == 'barred' then return -1 end
if entry and (entry ~= ARGV[4] or #redis.call('XRANGE', KEYS[1], entry, entry) > 0) then return 0 end
if KEYS[4] and redis.call('HLEN', KEYS[4]) ~= tonumber(ARGV[5]) then
  return redis.error_reply('ERR the segments of the body are gone')
end
local added = redis.call('XADD', KEYS[1], '*', 'header', ARGV[1], KEYS[4] and 'segments' or 'body', ARGV[2])
if KEYS[4] then redis.call('PERSIST', KEYS[4]) end
redis.call('SET', KEYS[3], added, 'PX', ARGV[3])
return 1
