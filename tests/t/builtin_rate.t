Built-in tests at a rate, with a server's processes, and interrupted: as any other load.

  $ . "$TESTDIR/../include/rate.sh"
  $ sleep 600 & server=$!; wait_for /proc/$server/stat '(sleep) S'
  $ sysbench fileio prepare --file-num=2 --file-total-size=1M >/dev/null
  $ files='--file-num=2 --file-total-size=1M --file-test-mode=rndrw'

The interval lines grow at their end, the report by its blocks; the accounts hold.

  $ sysbench cpu run --cpu-max-prime=500 --threads=2 --tx-rate=100 --tx-spin=0 --time=1 --report-interval=1 >out
  > accounts; timed 50 100 $(figure done)
  $ grep -o '^\[.* | offered [0-9]* done' out | mask
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN | offered N done
  $ sysbench memory run --tx-rate=100 --time=1 --report-interval=1 --server=$server >out; accounts; timed 50 100 $(figure done)
  $ grep -o '^\[.* MiB/sec | offered\|srv-usr' out | mask
  [ Ns ] N.NN MiB/sec | offered
  srv-usr
  $ grep -c "^Server: sleep (pid $server)" out
  1
  $ sysbench fileio run $files --threads=2 --tx-rate=200 --tx-spin=0 --time=1 --report-interval=1 >out; accounts
  > timed 100 200 $(figure done)
  $ grep -o '^\[.* | offered' out | mask
  [ Ns ] reads: N.NN MiB/s writes: N.NN MiB/s fsyncs: N.NN/s latency (ms,N%): N.NNN | offered
  $ sed -n '/^General/,/^Rate/p' out | grep -c .
  13
  $ sysbench fileio run $files --tx-rate=200 --tx-spin=0 --events=50 >out; accounts; figure done; figure 'total number of events'
  50
  50
  $ sysbench threads run --thread-yields=1 --tx-rate=1000 --tx-spin=0 --events=50 --threads=4 >out; accounts; figure done
  50
  $ kill $server

SIGTERM: the report, the fsyncs at the end, nothing left in flight.

  $ for engine in $(sysbench fileio help | sed -n 's/.*operations mode {\(.*\)}.*/\1/p' | tr , ' '); do
  >   : >out; sysbench fileio run $files --time=60 --threads=3 --file-io-mode=$engine --file-fsync-freq=0 >out 2>err & pid=$!
  >   wait_for out 'Threads started'; sleep 0.2; kill -TERM $pid; wait $pid; exited $?; cat err
  >   figure 'fsyncs/s' >f; [ "$(cat f)" = 0.00 ] && echo "$engine: no fsyncs"; timed 30 1e8 $(figure 'total number of events')
  > done | sort | uniq
  exit 143
