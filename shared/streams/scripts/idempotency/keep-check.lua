-- Keeps the work entry that a command before it in the same transaction has added, unless the request is barred (bar-check.lua) or was added
-- before: then it takes the entry away again. So a large body need not pass through Lua, which costs Redis more than adding it.
--
-- KEYS     1 checks stream · 2 result (string) · 3 what is remembered of the entry (string): 'added' or 'barred'
-- ARGV     1 header of the entry · 2 ms to remember that it was added
-- Returns  1 when the entry stays, 0 when there was one before, -1 when the request is barred.
-- Flags    none: a full Redis refuses the whole transaction.
local known = redis.call('EXISTS', KEYS[2]) == 1 and 'added' or redis.call('GET', KEYS[3])
if not known then
  redis.call('SET', KEYS[3], 'added', 'PX', ARGV[2])
  return 1
end
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if newest and newest[2][2] == ARGV[1] then redis.call('XDEL', KEYS[1], newest[1]) end
return known == 'barred' and -1 or 0
