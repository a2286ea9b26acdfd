#!lua flags=no-writes
-- Which configuration is active.
--
-- KEYS  1 installation · 2 number of the active version · 3 contents (hash: number → hash of the text)
-- Returns {installation or '', number or 0, hash or ''}.
local active = redis.call('GET', KEYS[2]) or '0'
return {redis.call('GET', KEYS[1]) or '', tonumber(active), redis.call('HGET', KEYS[3], active) or ''}
