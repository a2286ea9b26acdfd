#!lua flags=allow-oom
-- Bars a request that could not be added from ever being added, so that its claim can be given up. Another process that
-- is about to add it then comes too late.
--
-- KEYS     1 result (string) · 2 id of the entry that was added (string)
-- ARGV     1 ms to remember the bar
-- Returns  1 when the request is barred. Returns 0 when it is there or was: then a caller may have been told its id.
-- Flags    allow-oom: the script is made for a full Redis. It writes one small key per claim.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local entry = redis.call('GET', KEYS[2])
if entry and entry ~= 'barred' then return 0 end
redis.call('SET', KEYS[2], 'barred', 'PX', ARGV[1])
return 1
