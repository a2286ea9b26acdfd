#!lua
-- Stores a configuration under the next number, with the models that it names, and drops old versions, but never the active
-- one, and the models that no version names. The first configuration also makes the id of the installation. All in one step:
-- a worker that saw the number before the text or a model would report that it cannot use the version.
--
-- KEYS     1 counter of versions (string) · 2 versions (hash: number → text) · 3 number of the active one (string)
--          4 installation (string) · 5 contents (hash: number → hash of the text)
--          6 models (hash: SHA-256 → file) · 7 uses (hash: number → SHA-256s, parted by spaces)
--          8 applied (hash: number → when and by whom)
-- ARGV     1 text · 2 number of versions to keep · 3 hash of the text · 4 id for the installation, if it has none
--          5 highest number that is known to have been used · then SHA-256 and file of each model
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
local names = {}
for i = 6, #ARGV, 2 do
  redis.call('HSETNX', KEYS[6], ARGV[i], ARGV[i + 1])
  names[#names + 1] = ARGV[i]
end
if #names > 0 then redis.call('HSET', KEYS[7], version, table.concat(names, ' ')) end
local active = redis.call('GET', KEYS[3])
for _, one in ipairs(redis.call('HKEYS', KEYS[2])) do
  if tonumber(one) <= version - tonumber(ARGV[2]) and one ~= active then
    redis.call('HDEL', KEYS[2], one)
    redis.call('HDEL', KEYS[5], one)
    redis.call('HDEL', KEYS[7], one)
    redis.call('HDEL', KEYS[8], one)
  end
end
local used = {}
for _, list in ipairs(redis.call('HVALS', KEYS[7])) do
  for name in string.gmatch(list, '%S+') do used[name] = true end
end
for _, name in ipairs(redis.call('HKEYS', KEYS[6])) do
  if not used[name] then redis.call('HDEL', KEYS[6], name) end
end
return version
