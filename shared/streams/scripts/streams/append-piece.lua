#!lua
-- Appends a piece to a stream, begins the stream with piece 0, or says what became of the piece when it came before.
--
-- KEYS     1 state of the stream (hash) · 2 its text (string, UTF-8)
-- ARGV     1 sequence of the piece · 2 hash of what it says · 3 '1' where it is the last one, else ''
--          4 text, without half a character at either end · 5 its UTF-16 units · 6 its code points, both with such halves
--          7 second half at its beginning, or '' · 8 first half at its end, or '' (surrogates, as hexadecimal numbers)
--          9 role · 10 run · 11 external session · 12 metadata (JSON), each '' where it is absent
--          13 random id of a new stream · 14 id of the API key · 15 bytes that it has room for · 16 most bytes
--          17 ms that an idle stream lives at most
-- Returns  {'go', state, text}: it is there, and is to be looked at or checked. `state` has names and values. `text` begins
--          at the window (`windowBytes`), and where the stream has ended at its beginning.
--          {'ended', state}: the stream has its result, `record`
--          {'gap', sequence that was expected} · {'differs'}: the same piece said something else · {'opening', name}: it names
--          another role, run, session or metadata than the first · {'busy'}: the piece before has no answer yet · {'over'}: the
--          last piece has come · {'long'}: more than ARGV 16 · {'room', bytes}: so many are needed, and nothing was changed
-- Errors   OOM in a full Redis.
-- Flags    none: a full Redis takes no text.
local key, text = KEYS[1], KEYS[2]
local sequence, print, last = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
local LOST = '\239\191\189'

local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function stateOf()
  local all, state = redis.call('HGETALL', key), {}
  for i = 1, #all, 2 do state[all[i]] = all[i + 1] end
  return state
end

local function go(state)
  local from = state.status == 'open' and tonumber(state.windowBytes) or 0
  return {'go', redis.call('HGETALL', key), redis.call('GETRANGE', text, from, -1)}
end

local state = stateOf()
local OPENING = {'role', 'run', 'session', 'metadata'}
if not state.id then
  if sequence ~= 0 then return {'gap', 0} end
  state = {newest = -1, status = 'open', half = '', units = 0, points = 0, bytes = 0, windowBytes = 0, room = 0}
else
  for i, name in ipairs(OPENING) do
    local said = ARGV[8 + i]
    if said ~= '' and said ~= state[name] then return {'opening', name} end
  end
end

local newest = tonumber(state.newest)
if sequence == newest then
  if print ~= state.print then return {'differs'} end
  if state.status == 'ended' then return {'ended', redis.call('HGETALL', key)} end
  return go(state)
end
if sequence ~= newest + 1 then return {'gap', newest + 1} end
if state.status == 'closing' then return {'busy'} end
if state.status == 'ended' then
  if state.how == 'final' then return {'over'} end
  redis.call('HSET', key, 'newest', sequence, 'print', print)
  if last then redis.call('HSET', key, 'how', 'final') end
  return {'ended', redis.call('HGETALL', key)}
end

-- Halves of a character that two pieces share.
local function utf8(high, low)
  local code = 0x10000 + (tonumber(high, 16) - 0xd800) * 0x400 + (tonumber(low, 16) - 0xdc00)
  return string.char(0xf0 + math.floor(code / 0x40000), 0x80 + math.floor(code / 0x1000) % 0x40,
    0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
end
local delta, points, half, low, high = ARGV[4], tonumber(ARGV[6]), state.half, ARGV[7], ARGV[8]
if low ~= '' then
  if half ~= '' then
    delta, points = utf8(half, low) .. delta, points - 1
  else
    delta = LOST .. delta
  end
  half = high
elseif delta ~= '' or high ~= '' then
  if half ~= '' then delta = LOST .. delta end
  half = high
end
if last and half ~= '' then delta, half = delta .. LOST, '' end

local bytes = tonumber(state.bytes) + #delta
if newest < 0 then bytes = bytes + #ARGV[12] end
if bytes > tonumber(ARGV[16]) then return {'long'} end
local room = math.max(tonumber(state.room), tonumber(ARGV[15]))
if bytes > room then return {'room', bytes} end

if newest < 0 then
  redis.call('HSET', key, 'id', ARGV[13], 'key', ARGV[14], 'role', ARGV[9], 'run', ARGV[10], 'session', ARGV[11],
    'metadata', ARGV[12], 'status', 'open', 'attempt', 0, 'settled', -1, 'seen', 0, 'safeUnits', 0, 'safePoints', 0,
    'safeBytes', 0, 'looked', 0, 'windowUnits', 0, 'windowPoints', 0, 'windowBytes', 0,
    'noted', now(), 'begun', now())
end
redis.call('HSET', key, 'newest', sequence, 'print', print, 'half', half, 'bytes', bytes, 'room', room, 'last', now(),
  'units', tonumber(state.units) + tonumber(ARGV[5]), 'points', tonumber(state.points) + points)
if last then redis.call('HSET', key, 'status', 'closing', 'how', 'final') end
if delta ~= '' then redis.call('APPEND', text, delta) end
redis.call('PEXPIRE', key, ARGV[17])
redis.call('PEXPIRE', text, ARGV[17])
return go(stateOf())
