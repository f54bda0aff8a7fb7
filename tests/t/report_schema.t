Result files against their published schemas, by a validator that is not ours.

  $ . "$TESTDIR/../include/report.sh"
  $ files=--report-file=a.json,a.jsonl
  $ report schemas "$SB_SOURCE/docs/schema"
  $ echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(1000) end' >nap.lua
  $ run() { sysbench nap.lua --time=1 --threads=2 --report-interval=0.5 $files "$@" run >out 2>err; exited $?
  > cat err; valid a.json a.jsonl; }
  $ run
  $ run --tx-rate=100 --percentile=12.5,50,99.99 --server=$$ --report-checkpoints=1
  $ run --rate=100 --percentile=0
  $ run --tx-rate=0.01
  $ run --tx-rate=1000000 --tx-max-lag=1 --tx-strict
  exit 3

The validator has teeth: a figure more, one less, one of another type are found.

  $ python3 "$TESTDIR/../include/cram_report_schema.py"
  $ for f in more less other below; do valid $f.json >out; echo "$f $?"; done
  more 1
  less 1
  other 1
  below 1

A report that has something of every kind, which the unit tests make up with its run, has just the members of records.txt.

  $ for f in json jsonl
  > do awk -v t="=== file $f" '/^=== / { on = $0 == t; next } on && !/"kind":"run"/' "$SB_SOURCE/tests/data/golden/formats.txt" >all.$f
  > done
  $ wc -l <all.jsonl | awk '$1 < 20'; valid all.json all.jsonl | grep -v ' run/'
  [1]
