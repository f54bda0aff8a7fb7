Built-in tests on the command line: which there are, what they can do, how they refuse.

  $ . "$TESTDIR/../include/common.sh"

The list in --help.

  $ sysbench --help=all | sed -n '/^Compiled-in tests:/,/^$/p' | sed '$d'
  Compiled-in tests:
    fileio - File I/O test
    cpu - CPU performance test
    memory - Memory functions speed test
    threads - Threads subsystem performance test
    mutex - Mutex performance test

Their options.

  $ for t in cpu threads mutex memory; do sysbench $t help | sed '1,2d; /^For example/,/^$/d'; done
  cpu options:
    --cpu-max-prime=N upper limit for primes generator [10000]
  
  threads options:
    --thread-yields=N number of yields to do per request [1000]
    --thread-locks=N  number of locks per thread [8]
  
  mutex options:
    --mutex-num=N   total size of mutex array [4096]
    --mutex-locks=N number of mutex locks to do per thread [50000]
    --mutex-loops=N number of empty loops to do outside mutex lock [10000]
  
  memory options:
    --memory-block-size=SIZE    size of memory block for test [1K]
    --memory-total-size=SIZE    total size of data to transfer [100G]
    --memory-scope=STRING       memory access scope {global,local} [global]
    --memory-hugetlb[=on|off]   allocate memory from HugeTLB pool [off]
    --memory-oper=STRING        type of memory operations {read, write, none} [write]
    --memory-access-mode=STRING memory access mode {seq,rnd} [seq]
  
  $ sysbench fileio help | tail -n +3 | grep -v -- '--file-async\|--file-io-mode'
  fileio options:
    --file-num=N                  number of files to create [128]
    --file-block-size=N           block size to use in all IO operations [16384]
    --file-total-size=SIZE        total size of files to create [2G]
    --file-test-mode=STRING       test mode {seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw}
    --file-extra-flags=[LIST,...] list of additional flags to use to open files {sync,dsync,direct} []
    --file-fsync-freq=N           do fsync() after this number of requests (0 - don't use fsync()) [100]
    --file-fsync-all[=on|off]     do fsync() after each write operation [off]
    --file-fsync-end[=on|off]     do fsync() at the end of test [on]
    --file-fsync-mode=STRING      which method to use for synchronization {fsync, fdatasync} [fsync]
    --file-merged-requests=N      merge at most this number of IO requests if possible (0 - don't merge) [0]
    --file-rw-ratio=N             reads/writes ratio for combined test [1.5]
  
  For example:
    sysbench fileio --file-total-size=8G prepare
    sysbench fileio --file-total-size=8G --file-test-mode=rndrw --time=60 run
    sysbench fileio --file-total-size=8G cleanup
  

Help does not look at values, but at names.

  $ sysbench cpu help >help; sysbench cpu help --cpu-max-prime=abc | cmp - help
  $ refused cpu help --memory-oper=read
  invalid option: --memory-oper=read; see 'sysbench --help' and 'sysbench TEST --help'

No command, an unknown one, one that the test does not have.

  $ for t in $(builtin_tests | sort); do refused $t; done
  The 'cpu' test requires a command argument. See 'sysbench cpu help'
  The 'fileio' test requires a command argument. See 'sysbench fileio help'
  The 'memory' test requires a command argument. See 'sysbench memory help'
  The 'mutex' test requires a command argument. See 'sysbench mutex help'
  The 'threads' test requires a command argument. See 'sysbench threads help'
  $ for t in cpu memory threads mutex; do refused $t prepare; refused $t cleanup; done
  'cpu' test does not implement the 'prepare' command.
  'cpu' test does not implement the 'cleanup' command.
  'memory' test does not implement the 'prepare' command.
  'memory' test does not implement the 'cleanup' command.
  'threads' test does not implement the 'prepare' command.
  'threads' test does not implement the 'cleanup' command.
  'mutex' test does not implement the 'prepare' command.
  'mutex' test does not implement the 'cleanup' command.
  $ for w in walk 'walk --nosuch' 'run --nosuch=1'; do refused cpu $w; done
  Unknown command: walk; most tests have prepare, run, cleanup and help
  invalid option: --nosuch; see 'sysbench --help' and 'sysbench TEST --help'
  invalid option: --nosuch=1; see 'sysbench --help' and 'sysbench TEST --help'

A built-in test comes before a file of its name; a path is a file.

  $ echo 'function event() end' >cpu; mkdir fileio
  $ sysbench cpu help | sed -n 3p
  cpu options:
  $ ! sysbench ./cpu run --events=3 | grep 'events per second'
  $ sysbench fileio prepare --file-num=0 | tail -n +3
  FATAL: Invalid value for file-num: 0
