#!lua flags=no-writes
-- Who has to be able to use a configuration version, and what they said.
--
-- KEYS  1 workers (sorted set: worker by Unix ms of its last sign of life) · 2 reports (hash: worker → outcome)
-- ARGV  1 ms of silence after which a worker is not waited for
-- Returns {worker, outcome or '', worker, …} of the live ones.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local list = {}
for _, worker in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now - ARGV[1]), '+inf')) do
  list[#list + 1] = worker
  list[#list + 1] = redis.call('HGET', KEYS[2], worker) or ''
end
return list
