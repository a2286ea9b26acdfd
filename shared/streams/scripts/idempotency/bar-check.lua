#!lua flags=allow-oom
-- Bars a request that could not be added from ever being added, so that its claim can be given up: whoever else is about
-- to add it, however slow, comes too late.
--
-- KEYS  1 result · 2 id of the entry that was added (string)
-- ARGV  1 ms that this is remembered
-- Returns 1 when it is barred, 0 when it is there, or was, already: then somebody may have been told its id.
--
-- Allowed in a full Redis, for which it is made: it is as small as what it stands in for, one a claim.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local entry = redis.call('GET', KEYS[2])
if entry and entry ~= 'barred' then return 0 end
redis.call('SET', KEYS[2], 'barred', 'PX', ARGV[1])
return 1
