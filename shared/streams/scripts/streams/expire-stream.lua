#!lua flags=allow-oom
-- Closes a stream that nothing was added to for long.
--
-- KEYS     1 state of the stream (hash) · 2 its text (string)
-- ARGV     1 ms after the last piece
-- Returns  {'gone'}: there is none, it has ended, or nothing of it was handed on; what is left of it is dropped
--          {'live', ms until it may be closed} · {'closing', state, text}: it is to be checked
-- Flags    allow-oom: it drops more than it adds.
local status, last, safe = unpack(redis.call('HMGET', KEYS[1], 'status', 'last', 'safeUnits'))
if not status or status == 'ended' then return {'gone'} end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local left = tonumber(last) + tonumber(ARGV[1]) - now
if left > 0 then return {'live', left} end
if status == 'open' then
  if tonumber(safe) == 0 then
    redis.call('UNLINK', KEYS[1], KEYS[2])
    return {'gone'}
  end
  redis.call('HSET', KEYS[1], 'status', 'closing', 'how', 'final')
end
return {'closing', redis.call('HGETALL', KEYS[1]), redis.call('GET', KEYS[2]) or ''}
