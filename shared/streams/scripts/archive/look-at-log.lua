#!lua flags=no-writes,allow-oom
-- Where a log is archived on.
--
-- KEYS     1 position (hash) · 2 results log (stream)
-- ARGV     1 id to go on after, or '': the position
-- Returns  {id to go on after, or '' for the start; first id behind it, or ''; Redis's time in ms}.
local time = redis.call('TIME')
local after = ARGV[1]
if after == '' then after = redis.call('HGET', KEYS[1], 'last') or '' end
-- The entry is only read here, since it may be large.
local first = redis.call('XRANGE', KEYS[2], after == '' and '-' or '(' .. after, '+', 'COUNT', 1)[1]
return {after, first and first[1] or '', time[1] * 1000 + math.floor(time[2] / 1000)}
