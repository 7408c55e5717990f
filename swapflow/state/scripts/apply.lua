-- Fold the changes of consecutive events into a cycle, if it stands where they begin.
--
-- Runs alone, and a crash in the middle keeps nothing of it, so the fold is all or nothing,
-- whatever its size. May be repeated: the second time it answers 'duplicate'.
--
-- KEYS, all of one cycle (see keys.py):
--   1 meta     hash    seq, hash, spent, committed, arms
--   2 num      string  int64 per arm, big-endian
--   3 inf      string  likewise
--   4 pend     string  likewise
-- ARGV, decimal strings unless said otherwise:
--   1 seq before   2 hash before (text)   3 seq after   4 hash after (text)
--   5 change of spent   6 change of committed   7 arms that must exist
--   then per arm: its number, change of num, change of inf, change of pend
-- Answers: 'applied' | 'duplicate' | 'gap' | 'overflow'; unless 'applied', nothing has changed.

local CHUNK = 500 -- unpack() fails at about 9,000 values; four are needed for one arm
local FIRST = 8
local meta = KEYS[1]

local stored = redis.call('HMGET', meta, 'seq', 'hash', 'arms')
local seq, hash, arms = stored[1] or '0', stored[2] or '', tonumber(stored[3] or '0')

local whole = true
for k = 2, 4 do
  whole = whole and redis.call('STRLEN', KEYS[k]) == 8 * arms
end
if not whole then return 'gap' end

if seq ~= ARGV[1] or hash ~= ARGV[2] then
  if seq == ARGV[3] and hash == ARGV[4] then return 'duplicate' end
  if tonumber(seq) > tonumber(ARGV[3]) then return 'duplicate' end
  return 'gap'
end
if seq == ARGV[3] then
  return hash == ARGV[4] and 'duplicate' or 'gap'
end

local function negated(decimal)
  if decimal == '0' then return decimal end
  if decimal:sub(1, 1) == '-' then return decimal:sub(2) end
  return '-' .. decimal
end

-- The counters come first: they are the only writes that can be refused for want of memory,
-- because Redis lets a script that has written finish.
local function add_counter(field, change)
  local answer = redis.pcall('HINCRBY', meta, field, change)
  if type(answer) ~= 'table' then return nil end
  return answer.err
end
local refused = add_counter('spent', ARGV[5])
if not refused then
  refused = add_counter('committed', ARGV[6])
  if refused then redis.call('HINCRBY', meta, 'spent', negated(ARGV[5])) end
end
if refused then
  if refused:find('overflow', 1, true) then return 'overflow' end
  return redis.error_reply(refused)
end

local needed = tonumber(ARGV[7])
if needed > arms then
  for k = 2, 4 do redis.call('SETRANGE', KEYS[k], 8 * needed - 1, '\0') end
end

-- Adds one column of the arms from `first` to `last`; gives the arms it changed before it met an
-- overflow, as {number, change} pairs, and whether it met one.
local function add_column(k, first, last)
  local command, done = {'BITFIELD', KEYS[k], 'OVERFLOW', 'FAIL'}, {}
  for at = first, last, 4 do
    local change = ARGV[at + k - 1]
    if change ~= '0' then
      for _, word in ipairs({'INCRBY', 'i64', '#' .. ARGV[at], change}) do
        command[#command + 1] = word
      end
      done[#done + 1] = {ARGV[at], change}
    end
  end
  if #done == 0 then return done, false end
  local kept, overflowed = {}, false
  for i, answer in ipairs(redis.call(unpack(command))) do
    if answer then kept[#kept + 1] = done[i] else overflowed = true end
  end
  return kept, overflowed
end

local undo, overflowed = {}, false
for first = FIRST, #ARGV, 4 * CHUNK do
  local last = math.min(first + 4 * CHUNK - 1, #ARGV)
  for k = 2, 4 do
    local kept, failed = add_column(k, first, last)
    undo[#undo + 1] = {k, kept}
    overflowed = overflowed or failed
  end
  if overflowed then break end
end

if overflowed then
  for _, column in ipairs(undo) do
    local key = KEYS[column[1]]
    for _, pair in ipairs(column[2]) do
      redis.call('BITFIELD', key, 'INCRBY', 'i64', '#' .. pair[1], negated(pair[2]))
    end
  end
  redis.call('HINCRBY', meta, 'spent', negated(ARGV[5]))
  redis.call('HINCRBY', meta, 'committed', negated(ARGV[6]))
  if needed > arms then -- an arm that did not exist cannot overflow, so there are some to keep
    for k = 2, 4 do
      redis.call('SET', KEYS[k], redis.call('GETRANGE', KEYS[k], 0, 8 * arms - 1))
    end
  end
  return 'overflow'
end

redis.call('HSET', meta, 'seq', ARGV[3], 'hash', ARGV[4], 'arms', math.max(needed, arms))
return 'applied'
