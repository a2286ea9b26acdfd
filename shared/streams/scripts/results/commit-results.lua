#!lua flags=allow-oom
-- Commits finished checks of one partition. No other script makes results, except bury-entry.lua for entries that are
-- given up.
--
-- KEYS     1 checks stream · 2 results log (stream) · then one result (string) per check
-- ARGV     1 consumer group · 2 largest reply in bytes · then 8 per check: entry id · request id · reply channel or ''
--          · record · rows · index keys (JSON) · format of the rows · 'new' or 'replace'
-- Returns  a list with 1 per check that this call committed, else 0.
-- Flags    allow-oom: the script deletes more than it adds, so it drains a full Redis.
--
-- A check is committed only by the one call that finds its entry pending (XACK) and its result absent (NX). So a worker
-- that was taken for dead, or an entry that was added twice, cannot make a second result. An entry that is not pending
-- and has no result stays: Redis has lost what the group knew, and the entry will be read again. 'replace' is for a
-- replayed dead letter, whose result overwrites the stored failure.
local committed = {}
for i = 3, #KEYS do
  local at = 3 + (i - 3) * 8
  local entry, request, channel, record = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local done, over = 0, true
  if redis.call('XACK', KEYS[1], ARGV[1], entry) == 1 then
    local stored
    if ARGV[at + 7] == 'replace' then
      stored = redis.call('SET', KEYS[i], record)
    else
      stored = redis.call('SET', KEYS[i], record, 'NX')
    end
    if stored then
      redis.call('XADD', KEYS[2], '*', 'id', request, 'format', ARGV[at + 6], 'rows', ARGV[at + 4], 'index', ARGV[at + 5])
      if channel ~= '' then
        if #record > tonumber(ARGV[2]) then
          redis.call('SPUBLISH', channel, request)
        else
          redis.call('SPUBLISH', channel, request .. record)
        end
      end
      done = 1
    end
  else
    over = redis.call('EXISTS', KEYS[i]) == 1
  end
  if over then redis.call('XDEL', KEYS[1], entry) end
  committed[i - 2] = done
end
return committed
