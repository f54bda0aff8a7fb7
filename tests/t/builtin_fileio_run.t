fileio: what a run does and says.

  $ . "$TESTDIR/../include/rate.sh"
  $ some='--file-num=3 --file-total-size=1000000'
  $ sysbench fileio prepare $some >/dev/null
  $ run() { sysbench fileio run $some "$@"; }

The whole output, figures masked.

  $ run --file-test-mode=rndrw --events=20 >out 2>err; exited $?; cat err; sed 1d out | mask | brief
  
  Running the test with following options:
  Number of threads: N
  Initializing random number generator from current time
  
  
  Extra file open flags: (none)
  N files, N.NNKiB each
  N.NNKiB total file size
  Block size NKiB
  Number of IO requests: N
  Read/Write ratio for combined random IO test: N.NN
  Periodic FSYNC enabled, calling fsync() each N requests.
  Calling fsync() at the end of test, Enabled.
  Using synchronous I/O mode
  Doing random r/w test
  Initializing worker threads...
  
  Threads started!
  
  
  File operations:
      reads/s: N.NN
      writes/s: N.NN
      fsyncs/s: N.NN
  
  Throughput:
      read, MiB/s: N.NN
      written, MiB/s: N.NN
  
  (General statistics, Latency, Threads fairness)
  
  $ sed -n '/^File op/,/^General/p' out | mask | sed '1i\\' >whole; figure 'total number of events'
  20
  $ sed -n '/^File op/,/^General/p' out | awk '/:  / { sub(/[0-9.]+$/, ""); print length($0) }' | uniq
  34

The header names what was asked for.

  $ run --file-test-mode=seqrewr --events=1 --file-merged-requests=4 --file-fsync-all --file-io-mode=mmap --validate |
  >   sed -n '/^Extra/,/^Init/p'
  Extra file open flags: (none)
  3 files, 325.52KiB each
  976.56KiB total file size
  Block size 16KiB
  Merging requests up to 64KiB for sequential IO.
  Calling fsync() after each write operation.
  Using fast mmaped I/O mode
  Using checksums validation.
  Doing sequential rewrite test
  Initializing worker threads...

Requests one by one (1 read, 2 write, 3 fsync), with the positions that stock draws from the same seed.

  $ requests() { sed -n \
  >   's/^DEBUG: Executing request, operation: \(.*\), file_id: \(.*\), pos: \(.*\), size: \(.*\)/\1:\2:\3:\4/p' | \
  >   paste -sd ' ' -
  > }
  $ run --file-test-mode=rndrd --rand-seed=42 --debug --events=12 | requests
  1:1:27115:16384 1:2:70614:16384 1:0:262144:16384 1:2:168918:16384 1:0:212992:16384 1:1:10731:16384 1:2:119766:16384 1:2:234454:16384 1:0:32768:16384 1:2:37846:16384 1:1:190955:16384 1:1:240107:16384
  $ run --file-test-mode=rndwr --rand-seed=43 --debug --events=12 --file-fsync-freq=3 --percentile=0 | requests
  2:1:92651:16384 2:2:103382:16384 2:1:289259:16384 3:0:0:0 3:1:0:0 3:2:0:0 2:2:21462:16384 2:1:223723:16384 2:1:256491:16384 3:0:0:0 3:1:0:0 3:2:0:0
  $ run --file-test-mode=rndrw --rand-seed=44 --debug --events=12 --file-block-size=512 --file-rw-ratio=0.3 | requests
  2:2:103894:512 2:2:133590:512 2:1:173035:512 1:2:171478:512 2:2:221142:512 2:0:238592:512 2:0:36352:512 1:1:69099:512 2:2:188886:512 2:0:20480:512 2:1:140267:512 1:1:106987:512
  $ run --file-test-mode=seqrd --debug --events=9 --file-merged-requests=8 | requests
  1:0:0:131072 1:0:131072:131072 1:0:262144:71189 1:1:0:131072 1:1:131072:131072 1:1:262144:71189 1:2:0:131072 1:2:131072:131072 1:2:262144:71189
  $ run --file-test-mode=seqrewr --debug --events=12 --file-block-size=160K --file-fsync-freq=2 | requests
  2:0:0:163840 2:0:163840:163840 3:0:0:0 3:1:0:0 3:2:0:0 2:0:327680:5653 2:1:0:163840 3:0:0:0 3:1:0:0 3:2:0:0 2:1:163840:163840 2:1:327680:5653

Reads need no fsync; who writes fsyncs all files at the end, in every thread; --file-fsync-all after each write.  However long
that takes, and whatever the engine.

  $ rates() { run --time=0 "$@" >out; awk -v n="${count:-5000}" '/(reads|writes|fsyncs)\/s:/ { v[$1] = $2 }
  >   END { scale = n / (v["reads/s:"] + v["writes/s:"])
  >   printf "%.0f reads %.0f writes %.0f fsyncs\n", v["reads/s:"] * scale, v["writes/s:"] * scale, v["fsyncs/s:"] * scale }' out; }
  $ none='--events=5000 --file-fsync-freq=0' five='--events=800 --file-fsync-freq=5 --file-fsync-end=off'
  $ count=100000 rates --file-test-mode=rndrd --events=100000 --file-fsync-freq=1; cp out rw
  100000 reads 0 writes 0 fsyncs
  $ rates --file-test-mode=rndrw $none; rates --file-test-mode=rndrw $none --file-fsync-end=off
  3000 reads 2000 writes 3 fsyncs
  3000 reads 2000 writes 0 fsyncs
  $ rates --file-test-mode=rndwr $none --threads=4; count=500 rates --file-test-mode=rndwr $five --threads=4
  0 reads 5000 writes 12 fsyncs
  0 reads 500 writes 300 fsyncs
  $ count=500 rates --file-test-mode=seqrewr --events=500 --file-fsync-all --file-fsync-freq=1 --file-fsync-mode=fdatasync
  0 reads 500 writes 500 fsyncs
  $ rates --file-test-mode=rndrw $none --file-io-mode=mmap; count=500 rates --file-test-mode=seqrewr $five --file-io-mode=mmap --threads=3
  3000 reads 2000 writes 3 fsyncs
  0 reads 500 writes 300 fsyncs
  $ if sysbench fileio help | grep -q -- --file-async-backlog; then
  >   rates --file-test-mode=rndrw $none --file-io-mode=async
  >   count=500 rates --file-test-mode=seqrewr $five --file-io-mode=async --file-async-backlog=1 --threads=3
  >   refused fileio run $some --file-test-mode=rndrd --events=1000 --file-io-mode=async --file-async-backlog=0
  >   run --file-test-mode=rndrd --events=1000 --file-io-mode=async --file-async-backlog=100000000 >out; echo $?
  > else printf '3000 reads 2000 writes 3 fsyncs\n0 reads 500 writes 300 fsyncs\nFATAL: Invalid value of file-async-backlog: 0\n1\n'; fi
  3000 reads 2000 writes 3 fsyncs
  0 reads 500 writes 300 fsyncs
  FATAL: Invalid value of file-async-backlog: 0
  1

The figures are what was done by the time it took.

  $ awk '/(reads|writes)\/s:/ { ops += $2 } /(read|written), MiB\/s:/ { mib += $3 } /total time/ { t = $3 + 0 } /number of '\
  > 'events/ { n = $5 }
  >   END { print (ops * t / n > 0.99 && ops * t / n < 1.01), (mib / ops * 64 > 0.9 && mib / ops * 64 < 1.001) }' rw
  1 1

Intervals, a checkpoint, stock's rate.  An interval line that comes late stands for those that it missed, so the run goes
on until there are two.

  $ : >out
  > sysbench fileio run $some --file-test-mode=rndrw --time=600 --report-interval=1 --report-checkpoints=1 --rate=500 \
  >   --file-fsync-freq=0 >out &
  > pid=$!
  $ wait_for out '^\[.*reads: ' 2; kill $pid; wait $pid
  [143]
  $ grep '^\[' out | mask | head -n 3
  [ Ns ] reads: N.NN MiB/s writes: N.NN MiB/s fsyncs: N.NN/s latency (ms,N%): N.NNN
  [ Ns ] Checkpoint report:
  [ Ns ] reads: N.NN MiB/s writes: N.NN MiB/s fsyncs: N.NN/s latency (ms,N%): N.NNN
  $ sed -n '/Checkpoint/,/^General/p' out | mask | sed 1d | diff - whole
  $ run --file-test-mode=rndrd --time=1 --report-interval=1 --percentile=0 >out; grep '^\[' out | mask
  [ Ns ] reads: N.NN MiB/s writes: N.NN MiB/s fsyncs: N.NN/s latency (ms,N%): N.NNN

Files that are new: no prepare is needed, and their length is what was written.

  $ sysbench fileio cleanup --file-num=3 >/dev/null
  $ refused fileio run $some --file-test-mode=rndrd | tail -n 2
  FATAL: Cannot open file 'test_file.0' errno = 2 (No such file or directory)
  WARNING: Did you forget to run the prepare step?
  $ sizes() { run --file-test-mode=seqwr "$@" >out; exited $?; ls -l test_file.* | awk '{ print $1, $5, $NF }'; }
  $ sizes --events=5
  -rw------- 81920 test_file.0
  -rw------- 0 test_file.1
  -rw------- 0 test_file.2
  $ refused fileio run $some --file-test-mode=seqrd | tail -n 2
  FATAL: Size of file 'test_file.0' is 80KiB, but at least 325.52KiB is expected.
  WARNING: Did you run 'prepare' with different --file-total-size or --file-num values?
  $ sizes --events=5 --file-io-mode=mmap
  -rw------- 333333 test_file.0
  -rw------- 333333 test_file.1
  -rw------- 333333 test_file.2
  $ sizes --events=200 --threads=3 --file-block-size=5000
  -rw------- 333333 test_file.0
  -rw------- 333333 test_file.1
  -rw------- 315000 test_file.2

A file that becomes shorter under the run ends it, exit status 1.

  $ sysbench fileio prepare $some >/dev/null
  $ : >out; run --file-test-mode=seqrd --time=30 >out & pid=$!; wait_for out 'Threads started'
  > truncate -s 100 test_file.1; wait $pid; echo $?
  1
  $ grep FATAL out | sed -E 's/only [0-9]+ of [0-9]+ /only N of M /; s/pos: [0-9]+/pos: N/'
  FATAL: Failed to read file! file: 1 pos: N errno = 0 (only N of M bytes)

What is refused.

  $ refused fileio run $some | head -n 3
  FATAL: Missing required argument: --file-test-mode
  fileio options:
    --file-num=N                  number of files to create [128]
  $ refused fileio run $some --file-test-mode= | head -n 1; refused fileio run $some --file-test-mode=rndrx
  FATAL: Missing required argument: --file-test-mode
  FATAL: Invalid IO operations mode: rndrx. (allowed: seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw); did you mean rndrd or rndrw?
  $ refused fileio run $some --file-test-mode=rndrd --file-block-size=-1; refused fileio run --file-test-mode=rndrd --file-rw-ratio=-1
  Invalid value for the 'file_block_size' option: '-1' (a size, such as 4096, 16K or 2G, is needed)
  FATAL: Invalid value for --file-rw-ratio: -1.000000.
