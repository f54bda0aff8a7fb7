What happens to the program while it measures: it is stopped for a while.
Runs alone: a machine that is short of CPU looks the same.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(1000) end' >idle.lua
  $ begin() { : >out; sysbench idle.lua --time=6 --report-interval=1 "$@" run >out 2>err & client=$!; wait_for out '^\[ '; }
  $ pause() { kill -STOP $client; sleep 3; kill -CONT $client; wait $client; echo "exit $?"; cat err; }

The report says so, in the interval that came late and at the end; the schedule goes on, and the accounts balance.

  $ begin --tx-rate=20 --tx-spin=0 --report-file=a.json; pause
  exit 0
  $ accounts; figure offered
  120
  $ grep 'sysbench stopped' out | sed -E 's/[0-9]+\.[0-9]+ ?s/N s/g' >got; timed_diff - got <<'END'
  > [ N s ] sysbench stopped: for at least N s
  >     sysbench stopped until N s: for at least N s
  > END
  $ timed 1.5 4 $(sed -n 's/^\[.*stopped: for at least \([0-9.]*\) s$/\1/p' out)
  $ python3 -c 'import json; d = json.load(open("a.json")); print([i["kind"] for i in d["summary"]["incidents"]])' >got; echo "['stopped']" | timed_diff - got

So when it goes on after the end of the warm-up.

  $ : >out; sysbench idle.lua --time=4 --warmup-time=2 --tx-rate=20 --tx-spin=0 --report-file=a.json run >out 2>err & client=$!
  $ wait_for out '^Threads started'; sleep 0.7; kill -STOP $client; sleep 3; kill -CONT $client; wait $client; echo "exit $?"
  exit 0
  $ sed -n 's/^    sysbench stopped until .*/yes/p' out >got; echo yes | timed_diff - got
  $ python3 -c 'import json; d = json.load(open("a.json")); print([(i["kind"], i["elapsed_s"] >= 1) for i in d["summary"]["incidents"]])' >got; echo "[('stopped', True)]" | timed_diff - got

A report with none of our lines has none of these.

  $ begin; pause
  exit 0
  $ grep -c 'stopped\|Incidents' out
  0
  [1]
