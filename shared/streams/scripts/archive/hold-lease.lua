#!lua flags=allow-oom
-- Takes, keeps or gives back a lease.
--
-- KEYS[1] lease:{p}   ARGV[1] owner   ARGV[2] ms to hold it, 0 to give it back
-- Returns 1 when the owner holds it now.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
