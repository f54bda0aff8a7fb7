The dashboard of contrib/grafana and the documents name metrics that the program has.

  $ . "$TESTDIR/../include/report.sh"
  $ program=$(dirname "$(readlink -f "$(command -v sysbench)")")/report_metrics
  $ [ -x "$program" ] || skip 'no report_metrics was built'
  $ "$program" >metrics; grep -c '^# TYPE' metrics | awk '$1 < 70 { print "only", $1 }'
  $ python3 "$TESTDIR/../include/dashboard.py" names metrics "$SB_SOURCE/docs/figures.md"
  $ python3 "$TESTDIR/../include/dashboard.py" dashboard metrics "$SB_SOURCE/contrib/grafana/sysbench-tx.json"

A name or a label that does not exist is found.

  $ sed 's/sysbench_lag_seconds/sysbench_lack_seconds/; s/,state=/,stage=/' "$SB_SOURCE/contrib/grafana/sysbench-tx.json" >wrong.json
  $ python3 "$TESTDIR/../include/dashboard.py" dashboard metrics wrong.json
  Backlog: no label stage: sysbench_unfinished_transactions
  Lag: no metric sysbench_lack_seconds
  [1]
