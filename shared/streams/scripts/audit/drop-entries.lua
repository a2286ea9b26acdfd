#!lua
-- Takes entries out of the audit log.
--
-- KEYS     1 audit log (stream) · 2 entries of each team (hash: team → number)
-- ARGV     for each entry its id in the stream, and its team
-- Returns  how many were there.
-- Flags    none.
local dropped = 0
for i = 1, #ARGV, 2 do
  -- Another archiver may have taken it out.
  if redis.call('XDEL', KEYS[1], ARGV[i]) == 1 then
    dropped = dropped + 1
    if redis.call('HINCRBY', KEYS[2], ARGV[i + 1], -1) <= 0 then redis.call('HDEL', KEYS[2], ARGV[i + 1]) end
  end
end
return dropped
