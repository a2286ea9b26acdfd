#!lua flags=allow-oom
-- Makes sure that the log keeps what a follower has not read, from where it is archived on.
--
-- KEYS     1 place of the follower (hash) · 2 position of the archiver (hash) · 3 results log (stream)
-- Returns  {next id to read; entries that were dropped unread so far; first id from there on, or ''; Redis's time in ms}.
-- Flags    allow-oom: the script makes one small hash, and reading the log is how it is drained.
if redis.call('EXISTS', KEYS[1]) == 0 then
  local last = redis.call('HGET', KEYS[2], 'last')
  local following = '0-1'
  if last then
    local ms, count = string.match(last, '^(%d+)-(%d+)$')
    following = ms .. '-' .. string.format('%.0f', tonumber(count) + 1)
  end
  redis.call('HSET', KEYS[1], 'next', following, 'read_bytes', 0, 'read_entries', 0, 'archived_bytes', 0,
    'archived_entries', 0, 'dropped', 0)
end
local place = redis.call('HMGET', KEYS[1], 'next', 'dropped')
local time = redis.call('TIME')
-- The entry is only read here, since it may be large.
local first = redis.call('XRANGE', KEYS[3], place[1], '+', 'COUNT', 1)[1]
return {place[1], place[2], first and first[1] or '', time[1] * 1000 + math.floor(time[2] / 1000)}
