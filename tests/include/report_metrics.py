# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics files beside the json: each figure that has a metric, latencies by quantile."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, Dict, Sequence, Tuple

from metric_names import metric_kind, parse_sample
from report_common import Document, flat, near, problem, same

Metrics = Dict[Tuple[str, str], float]  # by name and label
BOUNDS = [float("%ge%d" % (m, e)) for e in range(-5, 2) for m in (1, 2.5, 5)] + [100.0, math.inf]


def growth(reports: Sequence[Document], name: str, kind: str) -> float | None:
    """What the reports of one kind add up to; None when none of them tells."""
    values = [(flat(r).get(name), flat(r).get("host_interval_s")) for r in reports]
    if kind == "per_s":
        parts = [v * s for v, s in values if v is not None and s is not None]
    else:
        parts = [v for v, _ in values if v is not None]
    return math.fsum(parts) if parts else None


def expected(document: Document, name: str, value: Any) -> tuple[tuple[str, str], Any] | None:
    """(sample, value) of a figure of the summary, or None."""
    found = metric_kind(name)
    if not found:
        return None
    kind, sample = found
    family, _, label = sample.partition(" ")
    if kind == "level":
        sample, want = family, value
    elif kind == "since":
        sample, want = family + "_total", value
    else:
        whole = growth(document["checkpoints"] + [document["summary"]], name, kind)
        seen = growth(document["intervals"], name, kind)
        told = [v for v in (whole, seen) if v is not None]
        sample, want = family + "_total", max(told, default=None)
    if want is None:
        return None
    return (sample, label), want * (0.01 if name.endswith("_pct") else 1)


def read_metrics(path: str, document: Document) -> Metrics:
    """{(name, "label=value" or ""): value}, without the labels that all have."""
    common = dict(document["run"]["labels"], test=document["run"]["test"])
    values = {}
    with open(path) as f:
        lines = f.read().split("\n")
    same(path, "end", lines[-2:] == ["# EOF", ""], path.endswith(".om"))
    for line in lines:
        if not line or line.startswith("#"):
            continue
        sample = parse_sample(line)
        if not sample:
            problem("%s: no sample: %s", path, line)
            continue
        name, labels, value = sample
        for key, wanted in common.items():
            same(path, key + " of " + name, labels.pop(key, None), wanted)
        values[name, ",".join("%s=%s" % i for i in labels.items())] = value
    return values


class Agree:
    """A metrics file beside the json; what is left in `values` at the end, nothing tells."""

    def __init__(self, path: str, document: Document) -> None:
        self.path, self.document = path, document
        self.values = read_metrics(path, document)

    def near(self, name: str, want: Any, label: str = "") -> None:
        got = self.values.pop((name, label), None)
        near(self.path, "%s{%s}" % (name, label), got, want, 1e-9)

    def summary(self) -> None:
        for name, value in flat(self.document["summary"]).items():
            if name != "kind" and (value is not None or metric_kind(name)):
                sample = expected(self.document, name, value)
                if sample and sample[1] is not None:
                    self.near(sample[0][0], sample[1], sample[0][1])

    def series(self, name: str, buckets: list[list[int]]) -> None:
        """How many there were, and their sum: of each value the highest of its bucket."""
        self.near(name + "_count", sum(n for _, _, n in buckets))
        self.near(name + "_sum", math.fsum(high * n for _, high, n in buckets) / 1e9)

    def quantiles(self, name: str, figures: Document, prefix: str, series: str) -> None:
        for key, value in figures.items():
            m = re.fullmatch(prefix + r"(p[0-9_]+|max)_s", key)
            if m and value is not None and m[1] != "p100":
                q = 1 if m[1] == "max" else float(m[1][1:].replace("_", ".")) / 100
                self.near(name, value, "quantile=" + ("1.0" if q == 1 else "%.12g" % q))
        self.series(name, self.document["histograms"][series]["buckets"])

    def latencies(self) -> None:
        summary, name = self.document["summary"], "transaction_latency_seconds"
        whole = next(iter(self.document["histograms"]))
        self.quantiles("latency_seconds", summary["latency"], "", whole)
        if summary["rate"]:
            for family, key in (("service_time_seconds", "service"), ("lag_seconds", "lag")):
                self.quantiles(family, summary["rate"], key + "_", key)
        buckets = self.document["histograms"][whole]["buckets"]
        bounds = [label[3:] for family, label in self.values if family == name + "_bucket"]
        same(self.path, "bounds", sorted(map(float, bounds)), BOUNDS)
        for le in bounds:
            below = sum(n for _, high, n in buckets if high <= float(le) * 1e9)
            self.near(name + "_bucket", below, "le=" + le)
        self.series(name, buckets)

    def statements(self) -> None:
        for s in self.document["summary"]["statements"] or []:
            family, label = "statement_duration_seconds", "statement=" + s["kind"]
            for q, key in (("0.5", "p50_s"), ("0.95", "p95_s"), ("0.99", "p99_s")):
                self.near(family, s[key], "quantile=%s,%s" % (q, label))
            self.near(family + "_sum", s["sum_s"], label)
            self.near(family + "_count", s["count"], label)
            self.near("statement_errors_total", s["errors"], label)
            self.near("statement_rows_total", s["rows"], label)

    def errors(self) -> None:
        for e in self.document["summary"]["errors_by_code"] or []:
            label = "class=%s,code=%d,sqlstate=%s" % (e["class"], e["code"] or 0, e["sqlstate"])
            self.near("errors_by_code_total", e["count"], label)
        kinds = Counter(i["kind"] for i in self.document["summary"].get("incidents", []))
        for kind, n in kinds.items():
            self.near("incidents_total", n, "kind=" + kind)

    def stages(self) -> None:
        for s in self.document.get("stages") or []:
            rate, label = s["figures"]["rate"], "stage=%d,text=%s" % (s["number"], s["text"])
            self.near("stage_target_per_second", rate["target_per_s"], label)
            self.near("stage_sustained", s["sustained"], label)
            self.values.pop(("stage_achieved_per_second", label), None)  # as the verdict counts
            for name in ("offered", "done", "failed", "dropped", "late"):
                self.near("stage_" + name, rate[name], label)
            for name in ("response", "service", "lag"):
                family = {"response": "latency", "service": "service_time"}.get(name, name)
                for p, key in ((50, "p50"), (95, "p95"), (99, "p99"), (100, "max")):
                    want, of = rate["%s_%s_s" % (name, key)], "%s,percentile=%d" % (label, p)
                    self.near("stage_%s_seconds" % family, want, of)

    def run(self) -> None:
        marks = self.document["marks"]
        same(self.path, "marks", self.values.pop(("marks_total", ""), 0), len(marks))
        for i, mark in list(enumerate(marks))[-100:]:
            label = "mark=%d,text=%s" % (i + 1, mark["text"])
            got = self.values.pop(("mark_timestamp_seconds", label), None)
            near(self.path, label, got, mark["wall_time_unix_s"], 0, 0.001)
        self.near("run_active", 0)
        self.values.pop(("run_start_time_seconds", ""), None)  # when the program began
        info = [self.values.pop(k) for k in list(self.values) if k[0] == "run_info"]
        same(self.path, "run_info", info, [1])


def agree_metrics(path: str, document: Document) -> None:
    a = Agree(path, document)
    for check in (a.summary, a.latencies, a.statements, a.errors, a.stages, a.run):
        check()
    for name, label in a.values:
        problem("%s: nothing in json is %s{%s}", path, name, label)
