#!lua flags=allow-oom
-- Takes tokens from a bucket, of an API key, or from each of the buckets of a backend's budget: as many as all of them hold, up to
-- those wanted. A bucket holds the tokens of a window, such as a minute, and fills evenly.
--
-- KEYS     buckets (hashes)
-- ARGV     1 tokens wanted · then per bucket tokens of a window, tokens that were used before they were asked for, and ms of a window
-- Returns  {tokens taken from each, tokens left, ms until full, ms until there is a token again; 0 where there is one}. Of several
--          buckets the one counts that has least left, or needs longest.
-- Flags    allow-oom: there is one small bucket per API key, and two per backend.
--
-- The bucket stores how much is missing, in parts of a token: as many parts as a window has ms. These are whole numbers, so rounding
-- loses nothing; where they are above 2^53, it loses less than what comes in within a millisecond. A
-- rate that changes keeps what is missing, up to one bucket. Tokens that were used are missing even when the bucket did not
-- hold them; up to ten buckets may be owed. A clock that is set back adds nothing to the bucket. One that is set
-- forward fills it once.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local taken = tonumber(ARGV[1])
local missing = {}
for i, bucket in ipairs(KEYS) do
  local rate, window = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i + 1])
  local most = rate * window
  local kept = redis.call('HMGET', bucket, 'missing', 'at', 'rate')
  local lacks = tonumber(kept[1] or '0')
  local deepest = 11 * most
  if kept[3] ~= ARGV[3 * i - 1] then lacks = math.min(lacks, most) end
  local passed = math.max(0, math.min(now - tonumber(kept[2] or now), 11 * window))
  lacks = math.max(0, math.min(lacks, deepest) - passed * rate)
  missing[i] = math.min(lacks + tonumber(ARGV[3 * i]) * window, deepest)
  taken = math.min(taken, math.floor((most - missing[i]) / window))
end
taken = math.max(0, taken)
local least, longest, wait = math.huge, 0, 0
for i, bucket in ipairs(KEYS) do
  local rate, window = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i + 1])
  local lacks = missing[i] + taken * window
  local held = rate * window - lacks
  local left = math.max(0, math.floor(held / window))
  local full = math.ceil(lacks / rate)
  if lacks > 0 then
    redis.call('HSET', bucket, 'missing', string.format('%.0f', lacks), 'at', now, 'rate', ARGV[3 * i - 1])
    redis.call('PEXPIRE', bucket, full + 1000)
  end
  if left == 0 then wait = math.max(wait, math.ceil((window - held) / rate)) end
  least = math.min(least, left)
  longest = math.max(longest, full)
end
return {taken, least, longest, wait}
