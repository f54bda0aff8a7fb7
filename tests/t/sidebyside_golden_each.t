Statements and tables, compared with what stock was recorded to send and store (tests/sidebyside/README.md).

  $ . "$TESTDIR/../include/common.sh"
  $ side() { TMPDIR=/tmp python3 "$SB_SOURCE/tests/sidebyside/run" --sysbench="$(command -v sysbench)" "$@" >out 2>&1; exited $?; }
  $ side --self-test
  $ side --stock="$(command -v sysbench)" --only=nothing; grep -o "is no stock sysbench 1.0 but 'sysbench 1.0.20, package: sysbench-tx" out
  exit 1
  is no stock sysbench 1.0 but 'sysbench 1.0.20, package: sysbench-tx
  $ side --golden --only="^sql-$DB"
  $ if grep -q 'its cases are skipped$' out; then skip "$(grep 'its cases are skipped$' out)"; fi
  $ tail -n 1 out | grep -o -E '[0-9]+ unexplained, [0-9]+ skipped'
  0 unexplained, 0 skipped
  $ grep -a -A 20 UNEXPLAINED: out
  [1]
