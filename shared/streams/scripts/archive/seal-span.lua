#!lua flags=allow-oom
-- Closes a span of the log for ever.
--
-- KEYS[1] results:{p}
-- ARGV[1] first millisecond after the span   ARGV[2] how long past its end it must be, in ms
-- ARGV[3] how far ahead of the clock its end may be, in ms, or empty: any further, and it is closed at once
-- Returns {closed (0 or 1), Redis's time in ms}.
--
-- Entries get their ids from Redis's clock, which may be set back. Redis then goes on from the stream's last id, so
-- raising that id to the end of the span keeps any later entry out of it. Without that, an entry could land in a
-- second that is archived already, where nobody would look again. For the same reason it harms nothing to close a span
-- before its time has come: who has entries of one far ahead of the clock would wait for as long as that was set back.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local finish = tonumber(ARGV[1])
local ahead = tonumber(ARGV[3])
if now < finish + tonumber(ARGV[2]) and not (ahead and finish - now > ahead) then return {0, now} end
if redis.call('EXISTS', KEYS[1]) == 0 then return {1, now} end
local info = redis.call('XINFO', 'STREAM', KEYS[1])
for i = 1, #info, 2 do
  if info[i] == 'last-generated-id' then
    local last = tonumber(string.match(info[i + 1], '^(%d+)-'))
    if last < finish then redis.call('XSETID', KEYS[1], ARGV[1] .. '-0') end
  end
end
return {1, now}
