Load hosts with different clocks: a rank in a time namespace reads a CLOCK_MONOTONIC that is 100,000 s ahead.

  $ . "$TESTDIR/../include/ranks.sh"
  $ unshare --time --monotonic 100000 --fork true 2>/dev/null || skip 'time namespaces are not permitted'
  $ cat >elsewhere <<END
  > #!/bin/sh
  > exec unshare --time --monotonic 100000 --fork $(command -v sysbench) "\$@"
  > END
  $ chmod +x elsewhere; program_1=$PWD/elsewhere

All starts of one schedule, each by the leader's clock: client 0 and 2 belong to rank 0, 1 and 3 to rank 1, and the planned
starts of both, in nanoseconds since the first, are those of one host.

  $ ranks 2 cpu --cpu-max-prime=10 --threads=4 --tx-rate=200 --events=300 --time=0 --report-interval=1 --raw-log=raw \
  >   --report-file=a.json run
  $ errors
  $ python3 "$TESTDIR/../include/cram_ranks_clock.py"
  300 {5000000} {10000000}
  150 False True
  True
  $ grep -c 'clock of rank 1: *27h47m.* ahead of the leader' out.0
  1

With workers, too.

  $ cat >pause.lua <<'END'
  > function event() end
  > END
  $ ranks 2 ./pause.lua --threads=4 --workers=2 --tx-rate=200 --events=300 --time=0 --report-file=a.json run
  $ sed -n '/offered:/p; /done:/p' out.0
      offered:                             300
      done:                                300
