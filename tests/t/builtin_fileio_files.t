fileio: prepare and cleanup.

  $ . "$TESTDIR/../include/common.sh"
  $ fileio() { sysbench fileio "$@" | tail -n +3; }
  $ files() { ls -l test_file.* | awk '{ print $1, $5, $NF }'; }

Files are made of whole blocks, at least as long as their share.

  $ fileio prepare --file-num=3 --file-total-size=1000000 | sed 's/in .*/in TIME/'
  3 files, 325Kb each, 0Mb total
  Creating files for the test...
  Extra file open flags: (none)
  Creating file test_file.0
  Creating file test_file.1
  Creating file test_file.2
  1032192 bytes written in TIME
  $ files
  -rw------- 344064 test_file.0
  -rw------- 344064 test_file.1
  -rw------- 344064 test_file.2
  $ od -An -tx1 test_file.2
   00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
  *

Again: nothing to do.  More: they are extended, never truncated.

  $ fileio prepare --file-num=3 --file-total-size=1000000 | tail -n +4
  Reusing existing file test_file.0
  Reusing existing file test_file.1
  Reusing existing file test_file.2
  No bytes written.
  $ fileio prepare --file-num=4 --file-total-size=2000000 --file-block-size=10000 | sed '2,3d; s/in .*/in TIME/'
  4 files, 488Kb each, 1Mb total
  Extending existing file test_file.0
  Extending existing file test_file.1
  Extending existing file test_file.2
  Creating file test_file.3
  980000 bytes written in TIME
  $ files
  -rw------- 504064 test_file.0
  -rw------- 504064 test_file.1
  -rw------- 504064 test_file.2
  -rw------- 500000 test_file.3
  $ fileio prepare --file-num=1 --file-total-size=1000 | tail -n 2
  Reusing existing file test_file.0
  No bytes written.

Rates and sizes of what was written.

  $ sysbench fileio prepare --file-num=1 --file-total-size=8M |
  >   grep -E '^[0-9]+ bytes written in [0-9]+\.[0-9]{2} seconds \([0-9]+\.[0-9]{2} MiB/sec\)\.$' | cut -d ' ' -f 1
  7897088

Flags combine (stock takes direct alone only).

  $ rm test_file.*
  $ fileio prepare --file-num=1 --file-total-size=64K --file-extra-flags=dsync,sync | sed -n 's/$/|/; 3p'
  Extra file open flags: sync dsync |
  $ if dd if=/dev/zero of=probe bs=4096 count=1 oflag=direct 2>/dev/null; then
  >   sysbench fileio prepare --file-num=2 --file-total-size=128K --file-extra-flags=direct,sync >out; echo $?
  >   grep -a 'flags' out
  >   sysbench fileio run --file-num=2 --file-total-size=128K --file-extra-flags=direct,sync,dsync \
  >     --file-test-mode=rndrw --events=50 --file-block-size=4K >out
  >   echo $?
  >   grep 'flags' out
  > else printf '0\nExtra file open flags: sync directio\n0\nExtra file open flags: sync dsync directio\n'; fi
  0
  Extra file open flags: sync directio
  0
  Extra file open flags: sync dsync directio

A mode is not asked for, nor looked at.

  $ fileio prepare --file-num=1 --file-total-size=16K --file-test-mode=x | tail -n 1
  No bytes written.

What cannot be.

  $ for o in num=0 num=-1 total-size=0 block-size=0 block-size=4G merged-requests=-1 extra-flags=sync,foo fsync-freq=-1 \
  >   fsync-mode=x io-mode=x rw-ratio=-0.5; do fileio prepare --file-$o; fileio cleanup --file-$o; done | uniq -c | sed 's/^ *//'
  2 FATAL: Invalid value for file-num: 0
  2 FATAL: Invalid value for file-num: -1
  2 FATAL: Invalid value for file-total-size: 0
  2 FATAL: Invalid value for file-block-size: 0.
  2 FATAL: Invalid value for file-block-size: 4294967296.
  2 FATAL: Invalid value for file-merged-requests: -1.
  2 FATAL: Invalid value for file-extra-flags: foo (allowed: sync, dsync, direct)
  2 FATAL: Invalid value for file-fsync-freq: -1.
  2 FATAL: Invalid fsync mode: x. (allowed: fsync, fdatasync)
  2 FATAL: unknown I/O mode: x (allowed: sync, async, mmap)
  2 FATAL: Invalid value for --file-rw-ratio: -0.500000.
  $ fileio prepare --file-num=20 --file-total-size=10
  FATAL: Invalid value for file-num: 20 (--file-total-size=10 is less than a byte for each)
  $ refused fileio prepare --file-num=x
  Invalid value for the 'file_num' option: 'x' (a whole number, such as 500, 10k or 1M, is needed)
  $ mkdir -p dir/test_file.0; cd dir
  $ for c in prepare cleanup; do refused fileio $c --file-num=1 --file-total-size=16K; done | grep FATAL
  FATAL: Can't open file errno = 21 (Is a directory)
  FATAL: Can't remove file 'test_file.0' errno = 21 (Is a directory)
  $ cd ..

A disk that is full.

  $ (ulimit -f 100; trap '' XFSZ; refused fileio prepare --file-num=1 --file-total-size=1M) | tail -n 2
  Extending existing file test_file.0
  FATAL: Failed to write file! errno = 27 (File too large)

Cleanup removes as many as it is told, and does not miss what is not there.

  $ rm -f test_file.*; touch test_file.0 test_file.2 test_file.3
  $ fileio cleanup --file-num=3; ls test_file.*
  Removing test files...
  test_file.3
  $ fileio cleanup --file-num=100 --verbosity=2; ls | grep test_file
  [1]
