#!lua flags=allow-oom
-- Completes a configuration that an earlier release stored without an identity: adds the id of the installation and the
-- hash of the version's text, where they are missing.
--
-- KEYS     1 installation (string) · 2 contents (hash: number → hash of the text) · 3 versions (hash: number → text)
-- ARGV     1 id for the installation · 2 number of the version that was read · 3 hash of its text
-- Returns  the id of the installation, or '' when Redis has lost the version in the meantime.
-- Flags    allow-oom: evaluators need the identity to drain a full Redis.
if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 0 then return '' end
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3])
return redis.call('GET', KEYS[1])
