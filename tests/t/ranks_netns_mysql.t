Load hosts and a database host in network namespaces: a short case of tests/netns, of which nothing is left.

  $ . "$TESTDIR/../include/common.sh"
  $ [ -c /dev/net/tun ] || skip 'no /dev/net/tun' # without netem, the delay is made by a switch between TAP devices
  $ TMPDIR=/tmp; export TMPDIR
  $ python3 "$SB_SOURCE/tests/netns/run" --sysbench="$(command -v sysbench)" --keep="$PWD/kept" --only='^rate/cluster/2 ranks/1 ms' \
  >   --time=3 --rate=100 --connections=16 >out 2>err & pid=$!; wait $pid; status=$?; if test $status = 80; then skip "$(tail -n 1 err)"; fi
  $ cat err; if test $status != 0; then cat out; fi
  $ sed -n '1s/^\(ok\|inconclusive\) .*; offered \([0-9]*\) = done.* + lost \(0\);.* 2 raw logs equal;.*/\2 \3/p' out
  300 0
  $ ls /run/netns 2>/dev/null | grep "^sb$pid-"
  [1]

What is no case is refused.

  $ python3 "$SB_SOURCE/tests/netns/run" --sysbench="$(command -v sysbench)" --only=nonsense
  netns: no case is called so, or has so many ranks (--list)
  [1]
  $ python3 "$SB_SOURCE/tests/netns/run" --sysbench="$(command -v sysbench)" --connections=2 2>&1 | tail -n 1
  tests/netns/run: error: --connections=2: each rank needs some, so 8 at least
  $ touch full; python3 "$SB_SOURCE/tests/netns/run" --sysbench="$(command -v sysbench)" --keep=. 2>&1 | tail -n 1
  tests/netns/run: error: --keep=.: not empty
