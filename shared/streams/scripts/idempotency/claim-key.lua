#!lua
-- Claims an Idempotency-Key for a request, or says which request has claimed it.
--
-- KEYS     1 claim (hash) · 2 live claims of the API key (sorted set: claim by the Unix ms at which it ends)
-- ARGV     1 request id · 2 fingerprint of what was sent · 3 configuration version · 4 number of earlier texts it looks
--          back on
--          5 owner (random) · 6 ms that a claim lives · 7 most live claims · 8 name of the claim in the sorted set
-- Returns  {'claimed'}, {'full', ms until a claim ends} or
--          {'held', request id, fingerprint, configuration version, number of earlier texts, ms since it was claimed}.
-- Errors   OOM in a full Redis.
-- Flags    none: a full Redis refuses the script as a whole, so no claim is missing from the sorted set.
--
-- When the clock was set back, a claim counts as being as old as it can be. That is safe: a claim may be asked after at
-- any age.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = redis.call('HMGET', KEYS[1], 'request', 'fingerprint', 'config', 'depth', 'since')
if held[1] then
  local age = now - tonumber(held[5])
  if age < 0 then age = tonumber(ARGV[6]) end
  return {'held', held[1], held[2], held[3], held[4], age}
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[7]) then
  return {'full', tonumber(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]) - now}
end
redis.call('HSET', KEYS[1], 'request', ARGV[1], 'fingerprint', ARGV[2], 'config', ARGV[3], 'depth', ARGV[4],
  'owner', ARGV[5], 'since', now)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[6]), ARGV[8])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
return {'claimed'}
