#!lua flags=no-writes
-- Which processes of a kind live, and what they have.
--
-- KEYS  1 members (sorted set: member by Unix ms of its last sign of life)
--       2 in force (hash: member → id of a configuration)
-- ARGV  1 ms of silence after which a member is dead
-- Returns {member, id or '', member, …}.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local list = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now - ARGV[1]), '+inf')) do
  list[#list + 1] = member
  list[#list + 1] = redis.call('HGET', KEYS[2], member) or ''
end
return list
