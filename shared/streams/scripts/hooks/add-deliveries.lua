#!lua flags=allow-oom
-- Adds deliveries to the queue of a webhook, due at once. One that the queue has stays as it is.
--
-- KEYS     1 deliveries (hash) · 2 when each is due (sorted set) · 3 webhooks with deliveries that wait (sorted set)
-- ARGV     1 name of the webhook · 2 most bytes of its deliveries, those that were given up included
--          3 ms for which the queue lives after the last write · then per delivery its id and what is stored of it
-- Returns  the number of deliveries that found no room; they are counted in the field `dropped`, too.
-- Flags    allow-oom: the bytes are limited, and reading the log is how a full Redis is drained.
--
-- Deliveries that were given up (due at `inf`) make room, oldest first: their ids begin with their time.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most = tonumber(ARGV[2])
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0')
local dropped, added = 0, 0
for i = 4, #ARGV, 2 do
  local id, value = ARGV[i], ARGV[i + 1]
  if redis.call('HEXISTS', KEYS[1], id) == 0 then
    while bytes + #value > most do
      local oldest = redis.call('ZRANGEBYSCORE', KEYS[2], 'inf', 'inf', 'LIMIT', 0, 1)[1]
      if not oldest then break end
      bytes = bytes - redis.call('HSTRLEN', KEYS[1], oldest)
      redis.call('HDEL', KEYS[1], oldest)
      redis.call('ZREM', KEYS[2], oldest)
    end
    if bytes + #value > most then
      dropped = dropped + 1
    else
      bytes = bytes + #value
      added = added + 1
      redis.call('HSET', KEYS[1], id, value)
      redis.call('ZADD', KEYS[2], now, id)
    end
  end
end
redis.call('HSET', KEYS[1], 'bytes', bytes)
if dropped > 0 then redis.call('HINCRBY', KEYS[1], 'dropped', dropped) end
if added > 0 then redis.call('ZADD', KEYS[3], 'LT', now, ARGV[1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return dropped
