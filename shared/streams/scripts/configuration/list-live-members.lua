#!lua flags=no-writes
-- Lists the processes of a kind that live, each with a field of a hash.
--
-- KEYS     1 members (sorted set: member by Unix ms of its last heartbeat)
--          2 hash: member → value, such as the configuration it works by, or its report on a version
-- ARGV     1 ms of silence after which a member is dead
-- Returns  {member, value or '', member, …}.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local list = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now - ARGV[1]), '+inf')) do
  list[#list + 1] = member
  list[#list + 1] = redis.call('HGET', KEYS[2], member) or ''
end
return list
