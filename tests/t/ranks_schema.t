The json documents of two load hosts are valid, with a rate and without one.

  $ . "$TESTDIR/../include/report.sh"
  $ . "$TESTDIR/../include/ranks.sh"
  $ cat >nothing.lua <<'END'
  > function event() end
  > END
  $ ranks 2 ./nothing.lua --threads=3 --tx-rate=100:1s,200 --events=200 --time=0 --report-interval=1 \
  >   --report-file=rate.json,rate.jsonl,rate.om run
  $ ranks 2 ./nothing.lua --threads=3 --events=200 --report-file=fast.json,fast.jsonl run
  $ valid rate.json rate.jsonl fast.json fast.jsonl || [ $? = 80 ] || echo invalid
  $ tail -n +2 fast.jsonl | grep -c '"ranks":\['
  1
  $ grep -o '^sysbench_rank_up{.*rank="1"' rate.om
  sysbench_rank_up{test="./nothing.lua",rank="1"
