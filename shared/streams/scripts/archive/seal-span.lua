#!lua flags=allow-oom
-- Closes a span of the results log for ever.
--
-- KEYS     1 results log (stream)
-- ARGV     1 first ms after the span · 2 ms by which its end must be past
--          3 ms by which its end may lie ahead of the clock, or '': a span further ahead is closed at once
-- Returns  {1 when the span is closed, else 0; Redis's time in ms}.
-- Flags    allow-oom: the archiver must be able to drain a full Redis.
--
-- Redis makes entry ids from its clock, which may be set back. It then counts on from the last id of the stream.
-- Raising that id to the end of the span keeps later entries out. Without it an entry could land in a second that is
-- archived already, and nobody would read it. Closing a span early is therefore safe. A span far ahead of the clock is
-- closed at once, since its entries would otherwise wait until a clock that was set back has caught up.
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
