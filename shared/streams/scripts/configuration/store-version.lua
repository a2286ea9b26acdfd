#!lua
-- Stores a configuration under the next number and drops old versions, but never the active one. The first
-- configuration also makes the id of the installation. All in one step: a worker that saw the number before the text
-- would report that it cannot use the version.
--
-- KEYS     1 counter of versions (string) · 2 versions (hash: number → text) · 3 number of the active one (string)
--          4 installation (string) · 5 contents (hash: number → hash of the text)
--          6 applied (hash: number → when and by whom)
-- ARGV     1 text · 2 number of versions to keep · 3 hash of the text · 4 id for the installation, if it has none
--          5 highest number that is known to have been used
-- Returns  the number of the new version.
-- Errors   OOM in a full Redis.
-- Flags    none: a configuration may be large, so a full Redis refuses it as a whole.
redis.call('SET', KEYS[4], ARGV[4], 'NX')
local version = redis.call('INCR', KEYS[1])
if version <= tonumber(ARGV[5]) then
  version = tonumber(ARGV[5]) + 1
  redis.call('SET', KEYS[1], version)
end
redis.call('HSET', KEYS[2], version, ARGV[1])
redis.call('HSET', KEYS[5], version, ARGV[3])
local active = redis.call('GET', KEYS[3])
for _, one in ipairs(redis.call('HKEYS', KEYS[2])) do
  if tonumber(one) <= version - tonumber(ARGV[2]) and one ~= active then
    redis.call('HDEL', KEYS[2], one)
    redis.call('HDEL', KEYS[5], one)
    redis.call('HDEL', KEYS[6], one)
  end
end
return version
