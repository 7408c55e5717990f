-- Put a rebuilt cycle in the place of whatever was there.
--
-- KEYS, all of one cycle (see keys.py):
--   1 meta     hash    seq, hash, spent, committed, arms
--   2 num   3 inf   4 pend   strings, int64 per arm, big-endian
-- ARGV: 1 seq   2 hash   3 spent   4 committed   5 arms   6 num   7 inf   8 pend (packed bytes)
-- Answers 'replaced'. Runs alone, so no reader sees half of it; may be repeated.

redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'seq', ARGV[1], 'hash', ARGV[2], 'spent', ARGV[3],
  'committed', ARGV[4], 'arms', ARGV[5])
for k = 2, 4 do
  if ARGV[5] == '0' then
    redis.call('DEL', KEYS[k])
  else
    redis.call('SET', KEYS[k], ARGV[k + 4])
  end
end
return 'replaced'
