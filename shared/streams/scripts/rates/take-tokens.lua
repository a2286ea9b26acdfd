#!lua flags=allow-oom
-- Takes tokens from a bucket, of an API key or of the budget of a backend: as many as it holds, up to those wanted. A bucket holds
-- the tokens of a window, such as a minute, and fills evenly.
--
-- KEYS     1 bucket (hash)
-- ARGV     1 tokens of a window · 2 tokens wanted · 3 tokens that were used before they were asked for · 4 ms of a window
-- Returns  {tokens taken, tokens left, ms until the bucket is full, ms until it holds a token again; 0 when it does}.
-- Flags    allow-oom: there is one small bucket per API key, and two per backend.
--
-- The bucket stores how much is missing, in parts of a token: as many parts as a window has ms. These are whole numbers, so rounding
-- loses nothing; where they are above 2^53, it loses less than what comes in within a millisecond. A
-- rate that changes keeps what is missing, up to one bucket. Tokens of ARGV 3 are missing even when the bucket did not
-- hold them; up to ten buckets may be owed. A clock that is set back adds nothing to the bucket. One that is set
-- forward fills it once.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local rate = tonumber(ARGV[1])
local window = tonumber(ARGV[4])
local most = rate * window
local kept = redis.call('HMGET', KEYS[1], 'missing', 'at', 'rate')
local missing = tonumber(kept[1] or '0')
local deepest = 11 * most
if kept[3] ~= ARGV[1] then missing = math.min(missing, most) end
local passed = math.max(0, math.min(now - tonumber(kept[2] or now), 11 * window))
missing = math.max(0, math.min(missing, deepest) - passed * rate)
missing = math.min(missing + tonumber(ARGV[3]) * window, deepest)
local taken = math.max(0, math.min(tonumber(ARGV[2]), math.floor((most - missing) / window)))
missing = missing + taken * window
local left = math.max(0, math.floor((most - missing) / window))
local full = math.ceil(missing / rate)
if missing > 0 then
  redis.call('HSET', KEYS[1], 'missing', string.format('%.0f', missing), 'at', now, 'rate', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], full + 1000)
end
local wait = 0
if left == 0 then wait = math.ceil((window - (most - missing)) / rate) end
return {taken, left, full, wait}
