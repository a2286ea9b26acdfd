#!lua flags=no-writes
-- Reads which configuration is active.
--
-- KEYS     1 installation (string) · 2 number of the active version (string) · 3 contents (hash: number → hash of the
--          text)
-- Returns  {installation or '', number or 0, hash or ''}.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
local active = redis.call('GET', KEYS[2]) or '0'
return {redis.call('GET', KEYS[1]) or '', tonumber(active), redis.call('HGET', KEYS[3], active) or ''}
