#!lua flags=allow-oom
-- Makes sure that the log keeps what a follower has not read, from where it is archived on.
--
-- KEYS     1 place of the follower (hash) · 2 position of the archiver (hash)
-- Returns  {next id to read; entries that were dropped unread so far}.
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
return redis.call('HMGET', KEYS[1], 'next', 'dropped')
