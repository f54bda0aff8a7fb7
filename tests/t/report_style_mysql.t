Line, table and report with everything that can be asked for: what fits, and that they agree.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"
  $ unset COLUMNS
  $ filled oltp_read_only $SB_MYSQL_ARGS --tables=2 --table-size=1000
  $ run() { sysbench oltp_read_only $SB_MYSQL_ARGS --tables=2 --table-size=1000 --threads=8 --time=2 \
  >   --report-interval=1 "$@" run >out 2>err
  > exited $?; cat err; }
  $ everything="--tx-rate=100 --host-stats --server-events=default,syscalls --server-status --percentile=10,50,99.9 --workers=2 "\
  > "--report-statements"

The report of a rate and a server is at most 80 columns wide and, but for what a busy machine adds, 60 lines long, without a line of
figures that cannot be had.

  $ run --tx-rate=100 --tx-jitter=0; sed -n '/^SQL statistics/,$p' out >report; awk 'length($0) > 80' report
  $ in_range 40 60 $(unwrap <report | sed '/^Incidents:/,/^$/d' | grep -c -v 'WARNING\|lower bounds because\|^ *n/a:\|^    \*')
  $ run $everything; sed -n '/^SQL statistics/,$p' out >report; awk 'length($0) > 80' report
  > unwrap <report | grep -v 'did not answer within 0.1 s' | grep -c '^    [^n].*:  *n/a'
  0
  [1]

The table at several widths: every row is as wide as its header, and no wider than the screen.

  $ rows() { awk '/^ *time s / { w = length($0); if (w > most) print "header of " w; next } /^SQL/ { exit }
  >     w && /^ *[0-9.]+ / { n++; if (length($0) != w) print "row of " length($0) " under " w }
  >     END { if (!n) print "no row" }' most=$1 out; }
  $ for w in 40 80 120 200 400; do COLUMNS=$w run --report-style=table $everything; rows $w; done

At 80 the first columns are there and the groups have begun; with room enough every group is.  A figure that came too late for an
interval has its column, under a new header, as soon as it is there.

  $ until_shown() { : >out; export COLUMNS=$1; shift
  >   sysbench oltp_read_only $SB_MYSQL_ARGS --tables=2 --table-size=1000 --threads=8 --time=250 --report-interval=1 --report-style=table \
  >     $everything --report-file=a.csv run >out 2>err & pid=$!
  >   for c; do wait_for out "^ *time s.* $c\( \|\$\)"; done
  >   kill $pid; wait $pid; }
  $ until_shown 80 'tps  *p10  *p50  *p95  *p99  *late err/s  *usr%  *sys%  *cpu%  *[a-z].*'
  [143]
  $ until_shown 600 csw/tx sysc/tx us% id% rd wr cpu run quer/s unfin cs/tx qps
  [143]
  $ ! grep 'more column' out

What it shows is what a file has.

  $ cp "$TESTDIR/../include/cram_report_style_mysql.py" compare.py
  $ python3 compare.py | uniq
  True True True True True True True True

What this machine cannot count has no column, and a reason.

  $ COLUMNS=400 run --report-style=table --tx-rate=100 --server-events=cycles:u,page-faults --workers=1
  $ if grep -q '^n/a: server events tx/Gcyc, cyc:u/tx (' out
  > then grep -c '^ *time s .*cyc:u/tx' out; else grep -q '^ *time s .*cyc:u/tx' out && echo 0; fi
  0
  [1]
  $ sysbench oltp_read_only $SB_MYSQL_ARGS --tables=2 cleanup >out
