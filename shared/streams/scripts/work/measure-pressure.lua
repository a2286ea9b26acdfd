#!lua flags=no-writes
-- Measures how far the evaluators of a work stream are behind.
--
-- KEYS     1 checks stream
-- ARGV     1 consumer group · 2 last id that was read, and 3 id of the oldest unread entry, as this has returned them; or ''
-- Returns  {age in ms of the oldest unread entry or 0, number of entries, number of pending entries}. When an entry is
--          unread, then also {…, ms of its id, number of its id, 1 when that lies ahead of the clock, else 0, last id that was read,
--          its id}.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
if redis.call('EXISTS', KEYS[1]) == 0 then return {0, 0, 0} end
local last, pending = '0-0', 0
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local fields = {}
  for i = 1, #group, 2 do fields[group[i]] = group[i + 1] end
  if fields['name'] == ARGV[1] then
    last = fields['last-delivered-id']
    pending = fields['pending']
  end
end
local length = redis.call('XLEN', KEYS[1])
-- Until another one is read, the oldest one stays. An entry is only read here with its body, and 32 MiB take Redis a tenth of a second.
local id = last == ARGV[2] and length > pending and ARGV[3]
if not id then
  local unread = redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', 1)[1]
  if not unread then return {0, length, pending} end
  id = unread[1]
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local added, number = string.match(id, '^(%d+)-(%d+)$')
added = tonumber(added)
return {math.max(0, now - added), length, pending, added, tonumber(number), added > now and 1 or 0, last, id}
