# SPDX-License-Identifier: GPL-2.0-or-later
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""report_readers.t: files as libraries of others read them."""

import json
import site

site.main()  # the interpreter may run without its site packages

from hdrh.histogram import HdrHistogram  # noqa: E402
from hdrh.log import HistogramLogReader  # noqa: E402
from prometheus_client.openmetrics.parser import text_string_to_metric_families  # noqa: E402
from prometheus_client.parser import text_string_to_metric_families as plain  # noqa: E402

document = json.load(open("a.json"))
for tag, want in document["histograms"].items():
    total, lines = HdrHistogram(1, 3600000000000, 3), 0
    reader = HistogramLogReader("a.hlog", total)
    while (h := reader.get_next_interval_histogram()) is not None:
        if h.get_tag() == tag:
            total.add(h)
            lines += 1
    buckets = [
        [total.get_lowest_equivalent_value(i.value_iterated_to), i.count_at_value_iterated_to]
        for i in total.get_recorded_iterator()
    ]
    print(
        tag,
        lines > 0,
        total.get_total_count() == want["samples"],
        buckets == [[low, n] for low, _, n in want["buckets"]],
    )
total = json.load(open("a.json"))["summary"]["total"]["transactions"]
families = {f.name: f for f in text_string_to_metric_families(open("a.om").read())}
older = {f.name: f for f in plain(open("a.prom").read())}
for name, both in (
    ("sysbench_transactions", "counter"),
    ("sysbench_latency_seconds", "summary"),
    ("sysbench_transaction_latency_seconds", "histogram"),
    ("sysbench_threads_running", "gauge"),
):
    print(
        name,
        families[name].type == older[name].type == both,
        families[name].samples == older[name].samples,
    )
print(
    set(families) ^ set(older) == {"sysbench_run", "sysbench_run_info"},
    families["sysbench_run"].type,
)
print(
    [
        (f.samples[0].value == total, f.samples[0].labels)
        for f in (families["sysbench_transactions"],)
    ]
)
print(
    all(
        f.unit in ("", "seconds", "bytes", "ratio", "hertz") and f.name.endswith(f.unit)
        for f in families.values()
    )
)
