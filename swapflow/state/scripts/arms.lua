-- Read a whole cycle as of one moment.
--
-- KEYS, all of one cycle (see keys.py):
--   1 meta     hash    seq, hash, spent, committed, arms
--   2 num   3 inf   4 pend   strings, int64 per arm, big-endian
-- Answers {seq, hash, spent, committed, num, inf, pend}; an empty list for a cycle that is not
-- there or whose strings do not have the length that meta names.

local meta = redis.call('HMGET', KEYS[1], 'seq', 'hash', 'spent', 'committed', 'arms')
if not meta[1] then return {} end
local answer = {meta[1], meta[2], meta[3], meta[4]}
for k = 2, 4 do
  local column = redis.call('GET', KEYS[k]) or ''
  if #column ~= 8 * tonumber(meta[5]) then return {} end
  answer[#answer + 1] = column
end
return answer
