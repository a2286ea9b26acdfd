#!lua flags=allow-oom
-- Commits finished checks of one partition. No other script makes results, except bury-entry.lua for entries that are
-- given up.
--
-- KEYS     1 checks stream · 2 results log (stream) · 3 segments of entries of the log (sorted set) · then one result (string)
--          per check · 'staged': then one staged record (string) per check · then, check by check, its rows and its body in
--          segments (hashes), where it has these
-- ARGV     1 consumer group · 2 largest reply in bytes · 3 'staged' or 'given' · then 11 per check: entry id · request id
--          · reply channel or '' · 'new' or 'replace' · record · rows · index keys (JSON) · format of the rows · trace
--          or ''; these five are '' when staged · reference to its rows in segments, or '' · the same of its body
-- Replies  to a channel with one committed check: its request id, then its record, unless that is staged or larger than
--          ARGV 2. With several: '+', then of each its id, the length of its record (4 bytes, high ones first), its record.
-- Returns  a list with 1 per check that this call committed, else 0.
-- Errors   those of the commands, of which none is expected, and 'the segments of the rows are gone'. What was staged for
--          checks that are not committed is taken back then, too. Their rows in segments expire.
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
local checks, log, logSegments, group, staged = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[3] == 'staged'
local count = (#ARGV - 3) / 11
local lastKey = 3 + (staged and 2 or 1) * count
local committed = {}
for i = 1, count do committed[i] = 0 end

local function nextKey()
  lastKey = lastKey + 1
  return KEYS[lastKey]
end

-- Of the staged entries of the log.
local ids
local function stagedId(i)
  if not ids then
    ids = {}
    for at, entry in ipairs(redis.call('XREVRANGE', log, '+', '-', 'COUNT', count)) do ids[count + 1 - at] = entry[1] end
  end
  return ids[i]
end

local function store(i, at, rows)
  local result, record = KEYS[3 + i], ARGV[at + 4]
  local replace = ARGV[at + 3] == 'replace'
  local set, id
  if staged then
    local from = KEYS[3 + count + i]
    if replace then set = redis.call('RENAME', from, result) else set = redis.call('RENAMENX', from, result) == 1 end
  else
    set = replace and redis.call('SET', result, record) or redis.call('SET', result, record, 'NX')
    if set then
      local fields = {'id', ARGV[at + 1], 'format', ARGV[at + 7], 'rows', ARGV[at + 5], 'index', ARGV[at + 6]}
      if ARGV[at + 8] ~= '' then
        fields[9] = 'trace'
        fields[10] = ARGV[at + 8]
      end
      if rows then
        fields[#fields + 1] = 'segments'
        fields[#fields + 1] = ARGV[at + 9]
      end
      id = redis.call('XADD', log, '*', unpack(fields))
    end
  end
  if set and rows then
    redis.call('PERSIST', rows)
    redis.call('ZADD', logSegments, string.match(id or stagedId(i), '^%d+'), ARGV[at + 9])
  end
  return set
end

-- By channel: how many replies there are, the first one, and all of them in one message. That goes to those alone who say by a plus before
-- their name that they take it.
local replies = {}
local function note(channel, request, record)
  if not string.find(channel, ':+', 1, true) then
    redis.call('SPUBLISH', channel, request .. record)
    return
  end
  local all = replies[channel] or {}
  replies[channel] = all
  if #all == 0 then all.first = request .. record end
  all[#all + 1] = request .. struct.pack('>I4', #record) .. record
end

local function publish()
  for channel, all in pairs(replies) do
    redis.call('SPUBLISH', channel, #all == 1 and all.first or '+' .. table.concat(all))
  end
end

local function commit(i, at)
  local entry, request, channel = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local rows = ARGV[at + 9] ~= '' and nextKey()
  local body = ARGV[at + 10] ~= '' and nextKey()
  if rows and redis.call('EXISTS', rows) == 0 then error({err = 'ERR the segments of the rows are gone'}) end
  local over = true
  if redis.call('XACK', checks, group, entry) == 1 then
    if store(i, at, rows) then
      committed[i] = 1
      if channel ~= '' then
        local whole = not staged and #ARGV[at + 4] <= tonumber(ARGV[2])
        note(channel, request, whole and ARGV[at + 4] or '')
      end
    end
  else
    over = redis.call('EXISTS', KEYS[3 + i]) == 1
  end
  if over then
    redis.call('XDEL', checks, entry)
    if body then redis.call('UNLINK', body) end
  end
end

local function takeBack()
  for i = 1, count do
    if committed[i] == 0 then
      redis.call('XDEL', log, stagedId(i))
      redis.call('DEL', KEYS[3 + count + i])
    end
  end
end

local ok, failure = pcall(function()
  for i = 1, count do commit(i, 4 + (i - 1) * 11) end
end)
publish()
if staged then takeBack() end
if not ok then return redis.error_reply(failure.err or failure) end
return committed
