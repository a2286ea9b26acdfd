#!lua flags=no-writes
-- Where a request is that may have been added once.
--
-- KEYS  1 checks stream · 2 result · 3 id of the entry that was added (string)
-- Returns {'done', record}, {'pending'} while its entry waits or is under way, {'gone', entry id} when neither is in
-- Redis any more, {'none'} when it was not added, {'barred'} when it never will be.
local record = redis.call('GET', KEYS[2])
if record then return {'done', record} end
local entry = redis.call('GET', KEYS[3])
if not entry then return {'none'} end
if entry == 'barred' then return {'barred'} end
if #redis.call('XRANGE', KEYS[1], entry, entry) > 0 then return {'pending'} end
return {'gone', entry}
