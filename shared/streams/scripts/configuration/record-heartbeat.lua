#!lua flags=allow-oom
-- Records that a process lives and what it has, in each of its roles. Redis's clock is used, since the clocks of hosts differ.
--
-- KEYS     1 workers (sorted set: member by Unix ms of its last heartbeat) · 2 in force (hash: member → id of a configuration)
--          3 counter of configuration versions (string) · 4 installation (string) · 5 number of the active version (string)
--          6 contents (hash: number → hash of the text) · 7 formats (hash: member → newest format that it reads)
--          8, … members of the kind of each role (sorted sets as 1)
-- ARGV     1 ms of silence after which a worker is dead · 2 ms of silence after which a member is removed, or 0: none is removed now
--          3 1: live workers are counted · 4 highest version number the process has seen
--          5 newest number, active number and installation, parted by spaces, as it has heard them; or ''
--          then for each role: member, id of the configuration it works by, newest format that it reads; '' leaves what is stored, and nothing
--          is stored for the first format
-- Returns  {newest number, number of live workers, installation or '', active number or 0, then number, hash, … of the
--          active version and of those stored after it, unless the first, the fourth and the third are ARGV 5}.
-- Flags    allow-oom: a process that drains a full Redis must not look dead.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 8, #KEYS do
  local at = 6 + (i - 8) * 3
  redis.call('ZADD', KEYS[i], now, ARGV[at])
  if ARGV[at + 1] ~= '' then redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
  if ARGV[at + 2] ~= '' then redis.call('HSET', KEYS[7], ARGV[at], ARGV[at + 2]) end
  if ARGV[2] ~= '0' then
    local old = string.format('%.0f', now - ARGV[2])
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[i], '-inf', old)) do
      redis.call('HDEL', KEYS[2], member)
      redis.call('HDEL', KEYS[7], member)
    end
    redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', old)
  end
end
local numbers = redis.call('MGET', KEYS[3], KEYS[4], KEYS[5])
local newest = tonumber(numbers[1] or '0')
-- A Redis that was emptied or restored must not use a number again that results already name.
if newest < tonumber(ARGV[4]) then
  newest = tonumber(ARGV[4])
  redis.call('SET', KEYS[3], newest)
end
local active = tonumber(numbers[3] or '0')
local workers = 0
if ARGV[3] == '1' then workers = redis.call('ZCOUNT', KEYS[1], string.format('%.0f', now - ARGV[1]), '+inf') end
local reply = {newest, workers, numbers[2] or '', active}
-- Versions never change, and each new one has a higher number.
if ARGV[5] == string.format('%.0f %.0f %s', newest, active, reply[3]) then return reply end
local contents = redis.call('HGETALL', KEYS[6])
for i = 1, #contents, 2 do
  if tonumber(contents[i]) >= active then
    reply[#reply + 1] = contents[i]
    reply[#reply + 1] = contents[i + 1]
  end
end
return reply
