#!lua
-- Takes an erasure and tells the audit log, unless there are too many of one or of the other.
--
-- KEYS     1 erasures (hash: id → JSON) · 2 those that are not complete (sorted set: team/id by Unix ms) · 3 number of changes (string)
--          4 audit log (stream) · 5 entries of each team in it (hash: team → number)
-- ARGV     1 id · 2 JSON · 3 team · 4 Unix ms · 5 most that are not complete, of all teams · 6 most that are known
--          7 most entries of the audit log · 8 its entry, as JSON
-- Returns  1, or 0: there is no room. A team leaves as many places free as it holds, of both.
-- Errors   OOM in a full Redis.
-- Flags    none.
local open = redis.call('ZRANGE', KEYS[2], 0, -1)
local own, prefix = 0, ARGV[3] .. '/'
for _, member in ipairs(open) do
  if string.sub(member, 1, #prefix) == prefix then own = own + 1 end
end
if #open + own >= tonumber(ARGV[5]) or redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) then return 0 end
local told = tonumber(redis.call('HGET', KEYS[5], ARGV[3]) or 0)
if redis.call('XLEN', KEYS[4]) + told >= tonumber(ARGV[7]) then return 0 end
redis.call('XADD', KEYS[4], '*', 'row', ARGV[8])
redis.call('HINCRBY', KEYS[5], ARGV[3], 1)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[4], prefix .. ARGV[1])
redis.call('INCR', KEYS[3])
return 1
