#!lua flags=allow-oom
-- Sets a log entry aside whose rows ClickHouse refuses. Its result stays until the entry is replayed or dropped.
--
-- KEYS     1 refused entries (stream) · 2 number of bytes in them (string) · 3 position (hash) · 4 result of its request
--          (string); absent where the entry names none
-- ARGV     1 id of the entry in the log · 2 position from which it was read, or '' · 3 most entries to keep · 4 most
--          bytes to keep · then fields and values
-- Returns  1, or 2 when the entry was set aside before from this position, whatever became of it: the position has a
--          field `aside:<id>` for each until it moves.
--          0 when the position is not the one that was read from: another archiver was faster.
--          -1 when there is no room. The position gets the field `full` until it moves. A single entry always has room.
-- Errors   any other error of XADD.
-- Flags    allow-oom: the archiver must be able to drain a full Redis. For the same reason the bytes are limited.
--
-- An entry keeps its id of the log. It has the next one after the last instead where an attempt that was cut off has set
-- aside what is behind it in the log: ClickHouse may refuse other entries at the next attempt.
-- What was submitted later is archived and leaves Redis before this result does. So the result is marked as late, and
-- look-ups of the latest one ask ClickHouse, too.
if (redis.call('HGET', KEYS[3], 'last') or '') ~= ARGV[2] then return 0 end
local mark = 'aside:' .. ARGV[1]
if redis.call('HEXISTS', KEYS[3], mark) == 1 then return 2 end
local size = 0
for i = 6, #ARGV, 2 do size = size + #ARGV[i] end
local length = redis.call('XLEN', KEYS[1])
local bytes = length > 0 and tonumber(redis.call('GET', KEYS[2]) or '0') or 0
if length > 0 and (length >= tonumber(ARGV[3]) or bytes + size > tonumber(ARGV[4])) then
  redis.call('HSET', KEYS[3], 'full', 1)
  return -1
end
local ok = redis.pcall('XADD', KEYS[1], ARGV[1], unpack(ARGV, 5))
if type(ok) == 'table' and ok.err then
  if not string.find(ok.err, 'equal or smaller', 1, true) then return ok end
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      redis.call('XADD', KEYS[1], string.match(info[i + 1], '^%d+') .. '-*', unpack(ARGV, 5))
    end
  end
end
redis.call('HSET', KEYS[3], mark, 1)
redis.call('SET', KEYS[2], bytes + size)
-- The fourth byte of a record (`shared/api/results/layout.ts`).
if KEYS[4] and redis.call('EXISTS', KEYS[4]) == 1 then redis.call('SETRANGE', KEYS[4], 3, '\1') end
return 1
