#!lua flags=allow-oom
-- Commits finished checks of one partition. No other script makes results, except bury-entry.lua for entries that are
-- given up.
--
-- KEYS     1 checks stream · 2 results log (stream) · then one result (string) per check · 'staged': then one staged
--          record (string) per check
-- ARGV     1 consumer group · 2 largest reply in bytes · 3 'staged' or 'given' · then 8 per check: entry id · request id
--          · reply channel or '' · 'new' or 'replace' · record · rows · index keys (JSON) · format of the rows; the
--          last four are '' when staged
-- Returns  a list with 1 per check that this call committed, else 0.
-- Errors   those of the commands, of which none is expected. What was staged for checks that are not committed is taken
--          back then, too.
-- Flags    allow-oom: the script deletes more than it adds, so it drains a full Redis.
--
-- A check is committed only by the one call that finds its entry pending (XACK) and its result absent (NX). So a worker
-- that was taken for dead, or an entry that was added twice, cannot make a second result. An entry that is not pending
-- and has no result stays: Redis has lost what the group knew, and the entry will be read again. 'replace' is for a
-- replayed dead letter, whose result overwrites the stored failure.
--
-- Lua hashes every byte of its strings, which costs more than all else here. So large records and rows do not pass
-- through the script. The transaction that calls it has staged them just before: it has set the staged records, and
-- appended an entry to the log per check, in order. Nobody has seen these yet. The script takes back what it does not
-- commit.
local checks, log, group, staged = KEYS[1], KEYS[2], ARGV[1], ARGV[3] == 'staged'
local count = (#ARGV - 3) / 8
local committed = {}
for i = 1, count do committed[i] = 0 end

local function store(i, at)
  local result, record = KEYS[2 + i], ARGV[at + 4]
  local replace = ARGV[at + 3] == 'replace'
  if staged then
    if replace then return redis.call('RENAME', KEYS[2 + count + i], result) end
    return redis.call('RENAMENX', KEYS[2 + count + i], result) == 1
  end
  local set = replace and redis.call('SET', result, record) or redis.call('SET', result, record, 'NX')
  if set then
    redis.call('XADD', log, '*', 'id', ARGV[at + 1], 'format', ARGV[at + 7], 'rows', ARGV[at + 5], 'index', ARGV[at + 6])
  end
  return set
end

local function commit(i, at)
  local entry, request, channel = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local over = true
  if redis.call('XACK', checks, group, entry) == 1 then
    if store(i, at) then
      committed[i] = 1
      if channel ~= '' then
        local whole = not staged and #ARGV[at + 4] <= tonumber(ARGV[2])
        redis.call('SPUBLISH', channel, whole and request .. ARGV[at + 4] or request)
      end
    end
  else
    over = redis.call('EXISTS', KEYS[2 + i]) == 1
  end
  if over then redis.call('XDEL', checks, entry) end
end

local function takeBack()
  local entries
  for i = 1, count do
    if committed[i] == 0 then
      entries = entries or redis.call('XREVRANGE', log, '+', '-', 'COUNT', count)
      redis.call('XDEL', log, entries[count + 1 - i][1])
      redis.call('DEL', KEYS[2 + count + i])
    end
  end
end

local ok, failure = pcall(function()
  for i = 1, count do commit(i, 4 + (i - 1) * 8) end
end)
if staged then takeBack() end
if not ok then return redis.error_reply(failure.err or failure) end
return committed
