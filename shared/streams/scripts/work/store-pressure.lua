#!lua flags=allow-oom
-- Stores what a process has measured of the work streams, unless another one has done so meanwhile.
--
-- KEYS     1 pressure (string)
-- ARGV     1 what is stored as far as the process knows, or '' · 2 what it has measured · 3 ms for which that is kept
-- Returns  '' when it is stored; else what another process has stored.
-- Flags    allow-oom: a full Redis must be found to have room again.
local stored = redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3], 'GET')
if not stored or stored == ARGV[1] then return '' end
redis.call('SET', KEYS[1], stored, 'PX', ARGV[3])
return stored
