Result files read by readers that are not ours: HdrHistogram's of Python, Prometheus' parsers of both formats.

  $ . "$TESTDIR/../include/report.sh"
  $ python3 -c 'import site; site.main(); import hdrh.log, prometheus_client' 2>/dev/null ||
  >   skip 'no hdrh or no prometheus_client for Python'
  $ sysbench cpu --time=1 --threads=2 --tx-rate=200 --report-interval=0.25 --label=env=prod --label='note=a "b" \c' \
  >   --report-file=a.json,a.hlog,a.prom,a.om run >out 2>err
  > exited $?
  $ cp "$TESTDIR/../include/cram_report_readers.py" read.py
  $ python3 read.py
  response True True True
  service True True True
  lag True True True
  sysbench_transactions True True
  sysbench_latency_seconds True True
  sysbench_transaction_latency_seconds True True
  sysbench_threads_running True True
  True info
  [(True, {'test': 'cpu', 'env': 'prod', 'note': 'a "b" \\c'})]
  True
