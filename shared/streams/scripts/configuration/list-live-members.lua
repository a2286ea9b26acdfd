#!lua flags=no-writes
-- Lists the processes of a kind that live, each with a field of a hash.
--
-- KEYS     1 members (sorted set: member by Unix ms of its last heartbeat)
--          2 hash: member → value, such as the configuration it works by, or its report on a version; absent: all are ''
-- ARGV     1 ms of silence after which a member is dead
-- Returns  {member, value or '', member, …}.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local members = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now - ARGV[1]), '+inf')
local list = {}
-- So many, since a call takes no more than some thousands of values.
for first = 1, #members, 1000 do
  local some = {unpack(members, first, math.min(first + 999, #members))}
  local values = KEYS[2] and redis.call('HMGET', KEYS[2], unpack(some)) or {}
  for i, member in ipairs(some) do
    list[#list + 1] = member
    list[#list + 1] = values[i] or ''
  end
end
return list
