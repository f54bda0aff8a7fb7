A search on a real server: each step goes to the database, and the answer has the server's CPU.

  $ . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/report.sh"
  $ args=$SB_ARGS
  $ filled oltp_point_select $args --table-size=1000
  $ sysbench oltp_point_select $args --table-size=1000 --threads=8 --tx-rate=200 --tx-find='p99<2s,errors<1%,cpu<=100%' \
  >   --tx-find=step=1 --tx-find=steps=12 --report-file=a.json run >out 2>err; status=$?; cat err
  $ confirmed=$(report get a.json summary.find.confirmed) # none: twelve steps were too few on this machine
  $ [ "$status" = $([ "$confirmed" -gt 0 ] && echo 0 || echo 3) ] || echo "exit $status, confirmed $confirmed"
  $ sed -n -E 's/^(step 1: 200\/s) for .*: p99 [0-9.]+ ms, errors 0.000 %, server CPU [0-9.]+ %, lag p99 [0-9.]+ ms, done .*/\1/p' out >got
  $ echo 'step 1: 200/s' | timed_diff - got # nothing is done in a brief step during which the machine stood still
  $ report get a.json summary.find.objective verdict.accounts_balance
  "p99<2s,errors<1%,cpu<=100%"
  true
  $ sed -n '/^Highest rate:/,/^$/p' out | grep -c 'highest rate that held: '
  1
  $ timed 1 $(($(report get a.json summary.find.steps.0.offered) + 4)) "$(report get a.json summary.find.steps.0.done)"
