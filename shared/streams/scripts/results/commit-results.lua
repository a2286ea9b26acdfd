#!lua flags=allow-oom
-- Commits finished checks of one partition: the only place where a result comes to be.
--
-- KEYS  1 checks stream · 2 results log · then one result key per check
-- ARGV  1 consumer group · 2 largest reply in bytes · then 8 per check:
--       entry id · request id · reply channel · record · rows · index keys (JSON) · rows format · 'new' or 'replace'
-- Returns a list with, per check, 1 when this call committed it, else 0.
--
-- A check is committed only by the one call that still finds its entry pending (XACK) and its result absent (NX): a
-- worker that was given up for dead, or an entry that was added twice, comes too late. An entry that is not pending and
-- has no result stays: Redis has lost what the group knew, and somebody will read it again. `replace` (a replayed dead
-- letter) overwrites the failed result. Runs in a full Redis too: what it deletes is more than what it adds.
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
