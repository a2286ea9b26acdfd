#!lua flags=allow-oom
-- Moves one entry to the dead letters and commits its terminal result.
--
-- KEYS     1 checks stream · 2 results log (stream) · 3 result (string) · 4 dead letters (stream) · 5 number of bytes
--          in them (string) · 6 segments of the body (hash); absent: it has none
-- ARGV     1 consumer group · 2 entry id · 3 request id, or '' when the header could not be read: then there is no
--          result
--          4 reply channel or '' · 5 record · 6 rows · 7 index keys (JSON) · 8 format of the rows · 9 'new' or
--          'replace'
--          10 header · 11 body · 12 reason · 13 attempts · 14 most dead letters to keep · 15 most bytes of them
--          16 what the log says of its trace, or ''
-- Returns  1 when this call buried the entry, 0 when another worker had finished it.
-- Flags    allow-oom: the entry leaves the checks stream, and dead letters are limited, so it drains a full Redis.
local buried = redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if buried == 1 then
  if ARGV[3] ~= '' then
    local stored
    if ARGV[9] == 'replace' then
      stored = redis.call('SET', KEYS[3], ARGV[5])
    else
      stored = redis.call('SET', KEYS[3], ARGV[5], 'NX')
    end
    if stored then
      local trace = ARGV[16] == '' and {} or { 'trace', ARGV[16] }
      redis.call('XADD', KEYS[2], '*', 'id', ARGV[3], 'format', ARGV[8], 'rows', ARGV[6], 'index', ARGV[7], unpack(trace))
      if ARGV[4] ~= '' then redis.call('SPUBLISH', ARGV[4], ARGV[3]) end
    end
  end
  -- Drop the oldest letters until there is room. After a removal by hand the count is too high until the stream is
  -- empty, but never too low.
  local length = redis.call('XLEN', KEYS[4])
  local bytes = length > 0 and tonumber(redis.call('GET', KEYS[5]) or '0') or 0
  local size = #ARGV[10] + #ARGV[11]
  while length > 0 and (length >= tonumber(ARGV[14]) or bytes + size > tonumber(ARGV[15])) do
    local oldest = redis.call('XRANGE', KEYS[4], '-', '+', 'COUNT', 1)[1]
    for i = 1, #oldest[2], 2 do
      local name = oldest[2][i]
      if name == 'header' or name == 'body' then bytes = bytes - #oldest[2][i + 1] end
    end
    redis.call('XDEL', KEYS[4], oldest[1])
    length = length - 1
    if length == 0 then bytes = 0 end
  end
  redis.call('XADD', KEYS[4], '*', 'header', ARGV[10], 'body', ARGV[11], 'reason', ARGV[12], 'attempts', ARGV[13],
    'entry', ARGV[2])
  redis.call('SET', KEYS[5], bytes + size)
end
if buried == 1 or redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('XDEL', KEYS[1], ARGV[2])
  if KEYS[6] then redis.call('UNLINK', KEYS[6]) end
end
return buried
