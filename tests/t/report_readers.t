Result files read by readers that are not ours: HdrHistogram's of Python, Prometheus' parser.

  $ . "$TESTDIR/../include/report.sh"
  $ python3 -c 'import hdrh.log, prometheus_client' 2>/dev/null || exit 80
  $ sysbench cpu --time=1 --threads=2 --tx-rate=200 --report-interval=0.25 --report-file=a.json,a.hlog,a.prom run >out 2>err; echo $?
  0
  $ cat >read.py <<'END'
  > import json
  > from hdrh.histogram import HdrHistogram
  > from hdrh.log import HistogramLogReader
  > from prometheus_client.openmetrics.parser import text_string_to_metric_families
  > document = json.load(open("a.json"))
  > for tag, want in document["histograms"].items():
  >     total, lines = HdrHistogram(1, 3600000000000, 3), 0
  >     reader = HistogramLogReader("a.hlog", total)
  >     while (h := reader.get_next_interval_histogram()) is not None:
  >         if h.get_tag() == tag:
  >             total.add(h)
  >             lines += 1
  >     buckets = [[total.get_lowest_equivalent_value(i.value_iterated_to), i.count_at_value_iterated_to]
  >                for i in total.get_recorded_iterator()]
  >     print(tag, lines > 0, total.get_total_count() == want["samples"], buckets == [[low, n] for low, _, n in want["buckets"]])
  > families = {f.name: f for f in text_string_to_metric_families(open("a.prom").read())}
  > print(families["sysbench_transactions"].samples[0].value == document["summary"]["total"]["transactions"])
  > END
  $ python3 read.py
  response True True True
  service True True True
  lag True True True
  True
