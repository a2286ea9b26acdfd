#!lua flags=allow-oom
-- Takes, keeps or gives back the lease of a partition.
--
-- KEYS     1 lease (string)
-- ARGV     1 owner · 2 ms to hold the lease; 0 gives it back
-- Returns  1 when the owner holds the lease now, else 0.
-- Flags    allow-oom: the archiver drains a full Redis, and needs the lease for that.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
