#!lua flags=allow-oom
-- Gives an installation its id whose configuration was stored by a release without ids.
--
-- KEYS  1 installation · 2 contents (hash: number → hash of the text) · 3 versions (hash: number → text)
-- ARGV  1 id for the installation · 2 number of a version that was read · 3 hash of its text
-- Returns the installation, or '' when Redis has lost the version meanwhile.
if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 0 then return '' end
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3])
return redis.call('GET', KEYS[1])
