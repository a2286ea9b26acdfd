#!lua flags=allow-oom
-- Says what becomes of a delivery that was taken.
--
-- KEYS     1 deliveries (hash) · 2 when each is due (sorted set) · 3 webhooks with deliveries that wait (sorted set)
-- ARGV     1 name of the webhook · 2 id of the delivery · 3 'done', 'dead', or the ms after which it is tried again
--          4 what is stored of it from now on · 5 ms for which the queue lives after the last write
-- Returns  1. Returns 0 and changes nothing when there is no such delivery: another worker has sent it.
-- Flags    allow-oom: it frees memory, or replaces a value by one of about the same size.
local size = redis.call('HSTRLEN', KEYS[1], ARGV[2])
if size == 0 then return 0 end
if ARGV[3] == 'done' then
  redis.call('HDEL', KEYS[1], ARGV[2])
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('HINCRBY', KEYS[1], 'bytes', -size)
else
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
  redis.call('HINCRBY', KEYS[1], 'bytes', #ARGV[4] - size)
  if ARGV[3] == 'dead' then
    redis.call('ZADD', KEYS[2], 'inf', ARGV[2])
  else
    local time = redis.call('TIME')
    local due = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3]
    redis.call('ZADD', KEYS[2], due, ARGV[2])
    redis.call('ZADD', KEYS[3], 'LT', due, ARGV[1])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return 1
