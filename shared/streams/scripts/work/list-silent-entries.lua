#!lua flags=allow-oom
-- Lists pending entries whose consumer has been silent, the oldest first.
--
-- KEYS     1 checks stream
-- ARGV     1 consumer group · 2 ms of silence · 3 most entries · 4 where to begin: '-', or '(' and an id
-- Returns  per entry {id, consumer, ms of silence, number of times it was delivered}.
-- Flags    allow-oom: taking over the entries of a dead worker drains a full Redis.
--
-- Redis counts the silence from the time at which an entry was delivered. When its clock is set back, that time lies
-- ahead, and the entries of a dead worker would not be silent until the clock has caught up. The first call (ARGV 4
-- '-') dates such entries now, for the same consumer and without counting an attempt. A live consumer renews them; the
-- others are silent after the usual time.
local key, group = KEYS[1], ARGV[1]
if ARGV[4] == '-' then
  for _, entry in ipairs(redis.call('XPENDING', key, group, '-', '+', 1000)) do
    local id, consumer, idle = entry[1], entry[2], entry[3]
    -- XPENDING shows a time ahead as 0 ms of silence, but does not find it with IDLE -1.
    if idle == 0 and #redis.call('XPENDING', key, group, 'IDLE', -1, id, id, 1) == 0 then
      redis.call('XCLAIM', key, group, consumer, 0, id, 'JUSTID')
    end
  end
end
return redis.call('XPENDING', key, group, 'IDLE', ARGV[2], ARGV[4], '+', ARGV[3])
