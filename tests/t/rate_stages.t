Rates that change: stages, shapes and traces, and a line that changes the rate. No server.

  $ . "$TESTDIR/../include/rate.sh"
  $ run() { timeout 60 sysbench cpu --cpu-max-prime=10 --threads=8 --server=off "$@" run; }
  $ offered() { run "$@" | sed -n 's/.* offered: *//p' | head -n 1; }
  $ figures() { sed '/^Stages of the rate:/,$d' | grep -E '^Target|offered: *[0-9]*$|balance'; }

A constant, a ramp, a pause and a step. The counts are those of the integral, and the run is as long as its stages.

  $ run --tx-rate=100:1s,100-300:1s,0:1s,400:1s --report-interval=1 >out; figures <out; timed 4 4.9 $(figure 'total time')
  Target transaction rate: 100:1s,100-300:1s,0:1s,400:1s, mean 175/sec, even arrivals, jitter 0 usec
      offered:                             700
  $ timed 0 40 $(sed -n 's/^\[ [0-9]*s .*offered \([0-9]*\) .*/\1/p' out | sed -n 3p)

Shapes, with a length and without one.

  $ for s in 'square(0,1000,500ms,20%):1s' 'spike(100,1000,1s,100ms):1s' 'sine(300,300,1s):1s,0:1s'; do
  >   offered --tx-rate="$s"; done; offered --tx-rate='square(100,300,200ms)' --time=1
  200
  190
  300
  200

A shorter --time cuts the schedule, a longer one does not last.

  $ offered --tx-rate=100:1s,200:1s,300:1s --time=1; offered --tx-rate=100:1s --time=5
  The run ends after 1.00 s: stage 2 of --tx-rate (200) and those after it are not reached.
  100
  The schedule of --tx-rate ends after 1.00 s, before --time: the run ends with it.
  100

Traces: a rate from each instant on, or planned starts.

  $ printf 'seconds,rate\n# noon\n0,100\n\n1,300\n2,0\n' >rate.csv; printf '0\n.25\n0.25\n1\n' >starts.csv
  $ for s in @rate.csv '@rate.csv*2,speed=4' '@starts.csv*2.5'; do offered --tx-rate="$s"; done
  400
  200
  10

What cannot be: one sentence (rates_test has them all).

  $ for s in 500:0s '500:1s;9:1s' 0:5s @/dev/zero @none @starts.csv,; do
  >   run --tx-rate="$s"; done 2>&1 | grep FATAL
  FATAL: Invalid value for --tx-rate: stage 1, "500:0s": "0s" is no time
  FATAL: Invalid value for --tx-rate: stage 1, "500:1s;9:1s": "1s;9:1s" is not a duration: a number, optionally with ns, us, ms, s, m, h or d
  FATAL: Invalid value for --tx-rate: no transaction is planned before the run ends
  FATAL: Invalid value for --tx-rate: /dev/zero: it is a device, not a file
  FATAL: Invalid value for --tx-rate: none: No such file or directory
  FATAL: Invalid value for --tx-rate: starts.csv,: No such file or directory
  $ run --tx-rate=5:1s --tx-arrival=aligned 2>&1 | grep FATAL; run --tx-rate=5:1s --tx-scale=2 2>&1 | grep FATAL
  FATAL: aligned arrivals have one rate: --tx-rate=N, or --tx-arrival=even
  FATAL: --tx-rate=* plays a trace: --tx-rate=@FILE
  $ run --tx-rate=@starts.csv --tx-arrival=poisson 2>&1 | grep FATAL
  FATAL: --tx-arrival=poisson needs a rate, and starts.csv has planned starts

A script reads the mean as a number.

  $ cat >mean.lua <<'END'
  > function init() print("init", sysbench.opt.tx_rate * 2) end
  > function thread_init() if sysbench.tid == 0 then print("client", sysbench.opt.tx_rate) end end
  > function event() end
  > END
  $ mean() { sysbench mean.lua --threads=2 "$@" run | grep -E '^(init|client)'; }
  $ mean --tx-rate=100:200ms,300:200ms; mean --tx-rate=50-250:1s --time=1 --workers=1
  > mean --tx-rate=@rate.csv --tx-rate=speed=10 --workers=1 --workers=lua-state=worker
  > mean --tx-rate=20 --tx-arrival=even --time=1
  init\t400 (esc)
  client\t200 (esc)
  init\t300 (esc)
  client\t150 (esc)
  init\t400 (esc)
  client\t200 (esc)
  init\t40 (esc)
  client\t20 (esc)

By hand: 8 clients that sleep until starts up to 80 s ahead follow at once; a wrong line is a warning.

  $ for arrival in even poisson; do
  >   : >out; run --tx-rate=0.1 --tx-arrival=$arrival --time=3 --mark-on=fifo >out 2>&1 &
  >   wait_for out 'Threads started'; for l in 'rate soon' 'rate -3' 'rate limiter off' 'rate 500'; do echo "$l" >fifo; sleep 0.1; done
  >   wait; grep -E 'WARN|mark:|target:' out | sed -E 's/^.* mark:/mark:/; s/target: +[0-9.]+ per/target: N per/'
  >   timed 700 1600 $(figure offered); accounts; done | sort | uniq -c | tr -s ' '
   2 target: N per sec. on average (changed by
   2 WARNING: --mark-on: 'rate -3' changes nothing: "-3" is not a rate: a number such as 500, 0.5 or 10k, with at most six digits after the point
   2 WARNING: --mark-on: 'rate soon' changes nothing: "soon" is not a rate: a number such as 500, 0.5 or 10k, with at most six digits after the point
   2 mark: rate 500
   2 mark: rate limiter off
