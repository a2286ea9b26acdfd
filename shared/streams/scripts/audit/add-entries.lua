#!lua
-- Adds entries to the audit log. A team leaves as many places free as it holds, so there is always room for another one.
--
-- KEYS     1 audit log (stream) · 2 entries of each team (hash: team → number)
-- ARGV     1 most entries · then for each entry its team, and the entry as JSON
-- Returns  a list: for each entry 1, or 0: there is no room for it.
-- Errors   OOM in a full Redis.
-- Flags    none: what cannot be recorded is not done.
local count = redis.call('XLEN', KEYS[1])
-- A release that does not count may have taken entries out.
if count == 0 then redis.call('DEL', KEYS[2]) end
local taken = {}
for i = 2, #ARGV, 2 do
  local own = tonumber(redis.call('HGET', KEYS[2], ARGV[i]) or 0)
  local room = count + own < tonumber(ARGV[1])
  if room then
    redis.call('XADD', KEYS[1], '*', 'row', ARGV[i + 1])
    redis.call('HINCRBY', KEYS[2], ARGV[i], 1)
    count = count + 1
  end
  taken[#taken + 1] = room and 1 or 0
end
return taken
