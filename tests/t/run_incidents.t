What happens to the program while it measures: it is stopped for a while.
Runs alone: a machine that is short of CPU looks the same.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(1000) end' >idle.lua
  $ begin() { # NAME OPTION...: a run in the background, into NAME.json too
  >   : >$1; name=$1; shift; sysbench idle.lua --report-file=$name.json "$@" run >$name 2>$name.err & }

One that is stopped while it measures, one that goes on after the end of its warm-up, and one without a rate.

  $ begin rate --tx-rate=20 --tx-spin=0 --time=5 --report-interval=1; rate=$!
  $ begin warm --tx-rate=20 --tx-spin=0 --time=4 --warmup-time=2; warm=$!
  $ begin free --time=5 --report-interval=1; free=$!
  $ wait_for rate '^\[ '; wait_for free '^\[ '; wait_for warm '^Threads started'
  $ kill -STOP $rate $warm $free; sleep 2.5; kill -CONT $rate $warm $free
  $ for run in $rate $warm $free; do wait $run; exited $?; done; cat rate.err warm.err free.err

The report says so, in the interval that came late and at the end; the schedule goes on, and the accounts balance.

  $ accounts rate; figure offered rate
  100
  $ grep 'sysbench stopped' rate | sed -E 's/[0-9]+\.[0-9]+ ?s/N s/g' >got; timed_diff - got <<'END'
  > [ N s ] sysbench stopped: for at least N s
  >     sysbench stopped until N s: for at least N s
  > END
  $ timed 1.5 4 $(sed -n 's/^\[.*stopped: for at least \([0-9.]*\) s$/\1/p' rate)
  $ kinds() { python3 -c 'import json; print([i["kind"] for i in json.load(open("'$1'.json"))["summary"]["incidents"]])'; }
  $ kinds rate >got; echo "['stopped']" | timed_diff - got

So when it goes on after the end of the warm-up.

  $ sed -n 's/^    sysbench stopped until .*/yes/p' warm >got; echo yes | timed_diff - got
  $ kinds warm >got; echo "['stopped']" | timed_diff - got
  $ timed 1 100 $(python3 -c 'import json; print(json.load(open("warm.json"))["summary"]["incidents"][0]["elapsed_s"])')

A report with none of our lines has none of these.

  $ ! grep 'stopped\|Incidents' free
