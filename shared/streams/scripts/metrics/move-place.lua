#!lua flags=allow-oom
-- Moves the place up to which the log is read for metrics, and drops what is also archived.
--
-- KEYS     1 place of the metrics (hash) · 2 results log (stream) · 3 position of the archiver (hash)
-- ARGV     1 id that was to be read next · 2 id to be read next now · 3 bytes · 4 number of the entries between
-- Returns  1. Returns 0 and changes nothing when the place is not the one that was read from: another worker was faster,
--          or the entries were dropped.
-- Flags    allow-oom: the script frees memory.
if redis.call('HGET', KEYS[1], 'next') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'next', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'read_bytes', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'read_entries', ARGV[4])
local last = redis.call('HGET', KEYS[3], 'last')
if not last then return 1 end
local ms, count = string.match(last, '^(%d+)-(%d+)$')
local nextms, nextcount = string.match(ARGV[2], '^(%d+)-(%d+)$')
local read = tonumber(nextms) > tonumber(ms) or (nextms == ms and tonumber(nextcount) > tonumber(count))
-- Of the two, the one that is behind says what is kept.
local keep = ARGV[2]
if read then keep = ms .. '-' .. string.format('%.0f', tonumber(count) + 1) end
redis.call('XTRIM', KEYS[2], 'MINID', keep)
return 1
