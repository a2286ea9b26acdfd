#!lua flags=no-writes
-- Says where a request is that may have been added with an Idempotency-Key.
--
-- KEYS     1 checks stream · 2 result (string) · 3 id of the entry that was added, or 'barred' (string)
-- Returns  {'done', record}; {'pending'} while its entry waits or is in work; {'gone', entry id} when neither entry nor
--          result is in Redis any more; {'none'} when it was not added; {'barred'} when it never will be.
-- Flags    no-writes: it also runs on a Redis that refuses writes.
local record = redis.call('GET', KEYS[2])
if record then return {'done', record} end
local entry = redis.call('GET', KEYS[3])
if not entry then return {'none'} end
if entry == 'barred' then return {'barred'} end
if #redis.call('XRANGE', KEYS[1], entry, entry) > 0 then return {'pending'} end
return {'gone', entry}
