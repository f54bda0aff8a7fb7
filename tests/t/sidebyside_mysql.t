Command lines through stock and through this program, where a stock sysbench is installed (tests/sidebyside/README.md).

  $ . "$TESTDIR/../include/common.sh"
  $ side() { TMPDIR=/tmp python3 "$SB_SOURCE/tests/sidebyside/run" --sysbench="$(command -v sysbench)" "$@" >out 2>&1; exited $?; }
  $ side --quick
  $ if grep -q '^skipped: no stock' out; then skip 'no stock sysbench'; fi
  $ tail -n 1 out | grep -o -E '[0-9]+ unexplained'
  0 unexplained
  $ grep -a -A 20 UNEXPLAINED: out
  [1]
