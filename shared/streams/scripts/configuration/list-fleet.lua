#!lua flags=no-writes
-- Lists the processes of all kinds that live.
--
-- KEYS     1 formats (hash: member → newest format that it reads) · 2, … members of each kind (sorted sets: member by Unix ms of its last
--          heartbeat)
-- ARGV     1 ms of silence after which a member is dead
-- Returns  for each kind {member, ms of its silence, format that it reads or '', member, …}.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local formats = {}
local told = redis.call('HGETALL', KEYS[1])
for i = 1, #told, 2 do formats[told[i]] = told[i + 1] end
local kinds = {}
for i = 2, #KEYS do
  local live = redis.call('ZRANGEBYSCORE', KEYS[i], string.format('%.0f', now - ARGV[1]), '+inf', 'WITHSCORES')
  local list = {}
  for m = 1, #live, 2 do
    list[#list + 1] = live[m]
    list[#list + 1] = now - live[m + 1]
    list[#list + 1] = formats[live[m]] or ''
  end
  kinds[#kinds + 1] = list
end
return kinds
