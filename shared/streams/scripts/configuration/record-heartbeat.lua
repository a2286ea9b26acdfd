#!lua flags=allow-oom
-- Records that a process lives and what it has. Redis's clock is used, since the clocks of hosts differ.
--
-- KEYS     1 members of the process's kind · 2 workers (sorted sets: member by Unix ms of its last heartbeat)
--          3 in force (hash: member → id of a configuration) · 4 counter of configuration versions (string)
--          5 installation (string) · 6 number of the active version (string) · 7 contents (hash: number → hash of the
--          text) · 8 formats (hash: member → newest format that it reads)
-- ARGV     1 member · 2 id of the configuration it works by, or '' · 3 highest version number it has seen
--          4 ms of silence after which a worker is dead · 5 ms of silence after which a member is removed, or 0: none is removed now
--          6 1: live workers are counted · 7 newest format that it reads, or '' for the first
-- Returns  {newest number, number of live workers, installation or '', active number or 0, then number, hash, … of the
--          active version and of those stored after it}.
-- Flags    allow-oom: a process that drains a full Redis must not look dead.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[3], ARGV[1], ARGV[2]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[8], ARGV[1], ARGV[7]) end
if ARGV[5] ~= '0' then
  local old = string.format('%.0f', now - ARGV[5])
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', old)) do
    redis.call('HDEL', KEYS[3], member)
    redis.call('HDEL', KEYS[8], member)
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', old)
end
local numbers = redis.call('MGET', KEYS[4], KEYS[5], KEYS[6])
local newest = tonumber(numbers[1] or '0')
-- A Redis that was emptied or restored must not use a number again that results already name.
if newest < tonumber(ARGV[3]) then
  newest = tonumber(ARGV[3])
  redis.call('SET', KEYS[4], newest)
end
local active = tonumber(numbers[3] or '0')
local workers = 0
if ARGV[6] == '1' then workers = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', now - ARGV[4]), '+inf') end
local reply = {newest, workers, numbers[2] or '', active}
local contents = redis.call('HGETALL', KEYS[7])
for i = 1, #contents, 2 do
  if tonumber(contents[i]) >= active then
    reply[#reply + 1] = contents[i]
    reply[#reply + 1] = contents[i + 1]
  end
end
return reply
