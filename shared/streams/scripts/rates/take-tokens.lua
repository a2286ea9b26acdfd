#!lua flags=allow-oom
-- Takes tokens from the bucket of an API key: as many as it holds, up to those wanted. A bucket holds the requests of a
-- minute and fills evenly.
--
-- KEYS     1 bucket (hash)
-- ARGV     1 requests per minute · 2 tokens wanted · 3 tokens that were used before they were asked for
-- Returns  {tokens taken, tokens left, ms until the bucket is full, ms until it holds a token again; 0 when it does}.
-- Flags    allow-oom: there is one small bucket per API key.
--
-- The bucket stores how much is missing, in 60,000ths of a token. These are whole numbers, so rounding loses nothing. A
-- rate that changes keeps what is missing, up to one bucket. Tokens of ARGV 3 are missing even when the bucket did not
-- hold them; up to ten buckets may be owed. A clock that is set back adds nothing to the bucket. One that is set
-- forward fills it once.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local rate = tonumber(ARGV[1])
local most = rate * 60000
local kept = redis.call('HMGET', KEYS[1], 'missing', 'at', 'rate')
local missing = tonumber(kept[1] or '0')
local deepest = 11 * most
if kept[3] ~= ARGV[1] then missing = math.min(missing, most) end
local passed = math.max(0, math.min(now - tonumber(kept[2] or now), 11 * 60000))
missing = math.max(0, math.min(missing, deepest) - passed * rate)
missing = math.min(missing + tonumber(ARGV[3]) * 60000, deepest)
local taken = math.max(0, math.min(tonumber(ARGV[2]), math.floor((most - missing) / 60000)))
missing = missing + taken * 60000
local left = math.max(0, math.floor((most - missing) / 60000))
local full = math.ceil(missing / rate)
if missing > 0 then
  redis.call('HSET', KEYS[1], 'missing', string.format('%.0f', missing), 'at', now, 'rate', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], full + 1000)
end
local wait = 0
if left == 0 then wait = math.ceil((60000 - (most - missing)) / rate) end
return {taken, left, full, wait}
