# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics files beside the json: each figure that has a metric, latencies by quantile."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, Dict, Sequence, Tuple

from metric_names import metric_kind, parse_sample
from report_common import Document, flat, problem, same

Metrics = Dict[Tuple[str, str], float]  # by name and label


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


def near_enough(got: Any, want: Any) -> bool:
    return got is not None and math.isclose(got, want, rel_tol=1e-12, abs_tol=1e-9)


def agree_quantiles(
    path: str, values: Metrics, name: str, figures: Document, samples: Any, prefix: str = ""
) -> None:
    for key, value in figures.items():
        m = re.fullmatch(prefix + r"(p[0-9_]+|max)_s", key)
        if not m or value is None:
            continue
        q = 1 if m.group(1) == "max" else float(m.group(1)[1:].replace("_", ".")) / 100
        text = "1.0" if q == 1 else "%.12g" % q
        got = values.pop((name, "quantile=" + text), None)
        if got != value:
            problem("%s: %s at %s is %r, in json %r", path, name, text, got, value)
    same(path, name, values.pop((name + "_count", ""), None), samples)
    if samples and not values.get((name + "_sum", ""), 0) > 0:
        problem("%s: no sum of %s", path, name)
    values.pop((name + "_sum", ""), None)


def agree_latencies(path: str, values: Metrics, document: Document) -> None:
    histograms, summary = document["histograms"], document["summary"]
    n = next(iter(histograms.values()))["samples"]
    agree_quantiles(path, values, "latency_seconds", summary["latency"], n)
    if summary["rate"]:
        for name, key in (("service_time_seconds", "service"), ("lag_seconds", "lag")):
            count = histograms[key]["samples"]
            agree_quantiles(path, values, name, summary["rate"], count, key + "_")
    name = "transaction_latency_seconds"
    buckets = [values.pop(k) for k in list(values) if k[0] == name + "_bucket"]
    if buckets != sorted(buckets) or buckets[-1] != n:
        problem("%s: its buckets are not cumulative, or not of %d", path, n)
    same(path, "histogram", values.pop((name + "_count", "")), n)
    values.pop((name + "_sum", ""))


def agree_metrics(path: str, document: Document) -> None:
    values = read_metrics(path, document)
    for name, value in flat(document["summary"]).items():
        if name == "kind":
            continue
        sample = expected(document, name, value) if value is not None or metric_kind(name) else None
        if not sample or sample[1] is None:
            continue
        got = values.pop(sample[0], None)
        if not near_enough(got, sample[1]):
            problem("%s: %s of %s is %r, in json %r", path, sample[0], name, got, sample[1])
    agree_latencies(path, values, document)
    same(path, "marks", values.pop(("marks_total", ""), 0), len(document["marks"]))
    same(path, "active", values.pop(("run_active", "")), 0)
    kinds = Counter(i["kind"] for i in document["summary"].get("incidents", []))
    for kind, n in kinds.items():
        same(path, "incidents", values.pop(("incidents_total", "kind=" + kind), 0), n)
    about_run = r"run_info|run_start_time_seconds|mark_timestamp_seconds|statement_\w+"
    for name, label in values:
        if not re.fullmatch(about_run, name):
            problem("%s: nothing in json is %s{%s}", path, name, label)
