#!lua flags=allow-oom
-- Sets an entry of the log aside that has no rows ClickHouse could take.
--
-- KEYS[1] refused:{p}   ARGV[1] its id in the log   ARGV[2] entries to keep   ARGV[3…] fields and values
-- Returns 1, or 0 when it was set aside before: it keeps the id it had in the log, so a repeated block adds nothing.
local ok = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], ARGV[1], unpack(ARGV, 3))
if type(ok) == 'table' and ok.err then
  if string.find(ok.err, 'equal or smaller', 1, true) then return 0 end
  return ok
end
return 1
