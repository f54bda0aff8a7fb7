fileio --validate: blocks that can be checked.

  $ . "$TESTDIR/../include/common.sh"
  $ some='--file-num=2 --file-total-size=1M'
  $ fileio() { s=0; sysbench fileio "$@" --validate >out || s=$?; exited $s; grep FATAL out || :; }

What prepare wrote is found, by every mode and engine, and with several threads at once.

  $ sysbench fileio prepare $some --validate >/dev/null
  $ fileio run $some --file-test-mode=seqrd --events=200 --threads=2
  $ sed -n '/^Validation/,/^Init/p; /^Using/p' out
  Validation checks: on.
  
  Initializing random number generator from current time
  Using synchronous I/O mode
  Using checksums validation.
  $ for engine in $(sysbench fileio help | sed -n 's/.*operations mode {\(.*\)}.*/\1/p' | tr , ' '); do
  >   for mode in rndrw rndrd rndwr seqrewr seqrd; do
  >     fileio run $some --file-test-mode=$mode --events=3000 --threads=4 --file-io-mode=$engine --file-fsync-freq=500 >res
  >     [ ! -s res ] || { echo "$engine $mode:"; cat res; }
  >   done; done

The same with merged requests and with sizes that are no multiple of the block: stock cannot do these.

  $ for o in 'seqrewr --file-merged-requests=3' 'seqrd --file-merged-requests=5' rndrw; do
  >   fileio run $some --events=200 --file-test-mode=$o; done
  $ odd='--file-num=3 --file-total-size=1000000'
  $ rm test_file.*; sysbench fileio prepare $odd --validate >/dev/null
  $ for mode in seqrd rndrw seqrewr rndrd seqrd; do fileio run $odd --file-test-mode=$mode --events=500 --threads=3; done

More in flight than there are blocks.

  $ rm test_file.*; sysbench fileio prepare --file-num=1 --file-total-size=64K --validate >/dev/null
  $ engine=sync; if sysbench fileio help | grep -q -- --file-async-backlog; then engine=async; fi
  $ for e in sync $engine; do
  >   fileio run --file-num=1 --file-total-size=64K --file-test-mode=rndrw --events=2000 --threads=8 --file-io-mode=$e; done

Who has done its requests, or sleeps until its next one, holds no block that others wait for.  The figure is the lag's median.

  $ for rate in '' --rate=200 --tx-rate=200; do for mode in seqrewr rndrw; do
  >   timeout 60 sysbench fileio run --file-num=1 --file-total-size=64K --file-test-mode=$mode --validate --events=200 \
  >     --time=50 --threads=8 $rate --file-io-mode=$engine >out 2>err || { echo "$mode $rate: $?"; cat err; }
  >   grep 'number of events' out
  > done; done | uniq -c
        6     total number of events:              200
  $ sysbench fileio run --file-num=1 --file-total-size=64K --file-test-mode=seqrewr --validate --threads=8 --tx-rate=5 \
  >   --time=3 --file-io-mode=$engine --report-file=run.json >out 2>err
  $ timed 0 0.15 $(python3 -c 'import json; print(json.load(open("run.json"))["summary"]["rate"]["lag_p50_s"])')

The layout: random bytes, their CRC-32, the offset.

  $ rm test_file.*; sysbench fileio prepare --file-num=1 --file-total-size=64 --file-block-size=32 --validate >/dev/null
  $ od -An -tu1 -v -w64 test_file.0 | awk '
  >   function plus(a, b,   r, p) { r = 0; for (p = 1; p < 4294967296; p *= 2) if (int(a / p) % 2 != int(b / p) % 2) r += p; return r }
  >   { for (block = 0; block < 2; block++) {
  >       crc = 4294967295
  >       for (i = 1; i <= 20; i++) { crc = plus(crc, $(block * 32 + i)); for (k = 0; k < 8; k++) { odd = crc % 2; crc = '\
  > 'int(crc / 2); if (odd) crc = plus(crc, 3988292384) } }
  >       crc = plus(crc, 4294967295)
  >       stored = 0; for (i = 24; i > 20; i--) stored = stored * 256 + $(block * 32 + i)
  >       offset = 0; for (i = 32; i > 24; i--) offset = offset * 256 + $(block * 32 + i)
  >       print (crc == stored), offset
  >   } }'
  1 0
  1 32

Damage is found: a byte, a block in the wrong place, files made without --validate, another block size.

  $ rm test_file.*; sysbench fileio prepare --file-num=1 --file-total-size=64K --validate >/dev/null
  $ one='--file-num=1 --file-total-size=64K --file-test-mode=seqrd --events=8'
  $ printf '\001\002\003' | dd of=test_file.0 bs=1 seek=20000 conv=notrunc 2>/dev/null
  $ fileio run $one | sed -E 's/0x[0-9a-f]+/0xX/g'
  exit 1
  FATAL: Checksum mismatch in block with offset: 16384
  FATAL:     Calculated value: 0xX    Stored value: 0xX
  FATAL: Validation failed on file 0, block offset 16384, exiting...
  $ rm test_file.*; sysbench fileio prepare --file-num=1 --file-total-size=64K --validate >/dev/null
  $ dd if=test_file.0 of=test_file.0 bs=16384 skip=3 seek=1 count=1 conv=notrunc 2>/dev/null
  $ fileio run $one
  exit 1
  FATAL: Offset mismatch in block:
  FATAL:    Actual offset: 16384    Stored offset: 49152
  FATAL: Validation failed on file 0, block offset 16384, exiting...
  $ rm test_file.*; sysbench fileio prepare --file-num=1 --file-total-size=64K >/dev/null
  $ fileio run $one | grep -o 'Stored.*\|Valid.*'
  Stored value: 0x0
  Validation failed on file 0, block offset 0, exiting...
  $ rm test_file.*; sysbench fileio prepare --file-num=1 --file-total-size=64K --validate --file-block-size=4K >/dev/null
  $ fileio run $one --file-block-size=4K
  $ fileio run $one --file-block-size=8K | grep -o 'Valid.*'
  Validation failed on file 0, block offset 0, exiting...

A block must have room.

  $ fileio run $one --file-block-size=8
  exit 1
  FATAL: Invalid value for file-block-size: 8. (--validate needs 12 bytes of it)
