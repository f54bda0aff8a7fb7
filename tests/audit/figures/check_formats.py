# SPDX-License-Identifier: GPL-2.0-or-later
"""Every other format for programs beside the json document: csv, jsonl, HdrHistogram logs,
metrics; and the schemas."""

from __future__ import annotations

import csv
import json
import math
import os
from collections import Counter
from typing import Any, Dict, Sequence

import report

from . import grids
from .book import Book
from .reading import SERIES, ns
from .record import Record

Document = Dict[str, Any]
BOUNDS = [float("%ge%d" % (m, e)) for e in range(-5, 2) for m in (1, 2.5, 5)] + [100.0]


def validate(book: Book, directory: str, stem: str) -> bool:
    """json and jsonl against their schemas; False without a validator."""
    try:
        import jsonschema
    except ImportError:
        return False
    for suffix, schema in (("json", "report-1.json"), ("jsonl", "report-line-1.json")):
        validator = jsonschema.Draft202012Validator(report.load(os.path.join(directory, schema)))
        path = stem + "." + suffix
        for document in report.load_lines(path) if suffix == "jsonl" else [report.load(path)]:
            wrong = [
                "%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200])
                for e in validator.iter_errors(document)
            ]
            book.same(suffix, "schema", wrong[:3], [])
    return True


def check_csv(book: Book, document: Document, path: str, fmt: str, kind: str) -> None:
    reports = {
        "interval": document["intervals"],
        "checkpoint": document["checkpoints"],
        "summary": [document["summary"]],
    }[kind]
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    book.same(fmt, "rows", len(rows), len(reports))
    labels = {"label_" + k: v for k, v in document["run"]["labels"].items()}
    told = [m for row in rows if row["marks"] for m in row["marks"].split("; ")]
    marks = ["%.3f %s" % (m["elapsed_s"], m["text"]) for m in document["marks"]]
    book.same(fmt, "marks", told, marks if kind == "summary" else marks[: len(told)])
    for i, (row, figures) in enumerate(zip(rows, reports)):
        want, where = report.flat(figures), "row %d: " % (i + 1)
        book.same(fmt, where + "kind", row.pop("kind"), want.pop("kind"))
        book.same(
            fmt,
            where + "labels",
            {k: row.pop(k) for k in list(row) if k.startswith("label_")},
            labels,
        )
        for name in ("missing", "at_least"):
            book.same(fmt, where + name, bool(row.pop(name)), bool(figures[name]))
        row.pop("marks")
        for name, text in row.items():
            try:
                book.same(fmt, where + name, float(text) if text else None, want.get(name))
            except ValueError:
                book.same(fmt, where + name, text, want.get(name))
        book.same(fmt, where + "columns that it lacks", sorted(set(want) - set(row)), [])


def check_jsonl(book: Book, document: Document, path: str) -> None:
    lines = report.load_lines(path)
    book.same("jsonl", "first line", lines[0]["kind"], "run")
    book.same(
        "jsonl",
        "run",
        lines[0]["run"],
        {k: v for k, v in document["run"].items() if k in lines[0]["run"]},
    )
    for line in lines[1:]:
        book.same("jsonl", "labels of a line", line.pop("labels", {}), document["run"]["labels"])
    for kind, want in (
        ("interval", document["intervals"]),
        ("checkpoint", document["checkpoints"]),
        ("summary", [document["summary"]]),
    ):
        seen = [x for x in lines if x["kind"] == kind]
        book.same("jsonl", "lines of the kind " + kind, len(seen), len(want))
        for i, (a, b) in enumerate(zip(seen, want)):
            for name in ("server_syscalls", "retries"):
                book.same("jsonl", "%s %d: %s" % (kind, i + 1, name), a.get(name), b.get(name))
            a, b = report.flat(a), report.flat(b)
            for name in sorted(set(a) | set(b)):
                book.same(
                    "jsonl",
                    "%s %d: %s" % (kind, i + 1, name),
                    a.get(name, "nothing"),
                    b.get(name, "nothing"),
                )
    for kind, want in (("mark", document["marks"]), ("phase", document["phases"])):
        seen = [{k: v for k, v in x.items() if k != "kind"} for x in lines if x["kind"] == kind]
        book.same("jsonl", kind + "s", seen, want)
    summary = [x for x in lines if x["kind"] == "summary"]
    reports = document["intervals"] + document["checkpoints"] + [document["summary"]]
    book.same(
        "jsonl",
        "errors by code",
        sorted(json.dumps(x["errors_by_code"]) for x in lines if "errors_by_code" in x),
        sorted(json.dumps(x["errors_by_code"]) for x in reports),
    )
    book.same(
        "jsonl",
        "statements",
        summary and summary[0]["statements"],
        document["summary"]["statements"],
    )
    book.same(
        "jsonl",
        "histograms",
        [x["histograms"] for x in lines if x["kind"] == "histograms"],
        [document["histograms"]],
    )
    book.same("jsonl", "verdict", lines[-1].get("verdict"), document["verdict"])
    book.same("jsonl", "end", lines[-1].get("end"), document["end"])


def check_phases(book: Book, document: Document) -> None:
    """Each is a sum of whole intervals."""
    for i, phase in enumerate(document["phases"]):
        inside = [
            r for r in document["intervals"] if phase["begin_s"] < r["elapsed_s"] <= phase["end_s"]
        ]
        figures = phase["figures"]
        where = "phases[%d]." % i
        for name in ("transactions", "reads", "writes", "other", "errors"):
            book.same("json", where + name, figures[name], sum(r[name] for r in inside))
        for name in ("offered", "done", "failed", "dropped", "late") if figures["rate"] else ():
            book.same(
                "json",
                where + "rate." + name,
                figures["rate"][name],
                sum(r["rate"][name] for r in inside),
            )
        book.same(
            "json",
            where + "samples",
            figures["latency"]["samples"],
            sum(r["latency"]["samples"] for r in inside),
        )
        book.near(
            "json",
            where + "interval_s",
            figures["interval_s"],
            phase["end_s"] - phase["begin_s"],
            slack=1e-9,
        )


def check_hlog(book: Book, document: Document, record: Record, path: str) -> None:
    """Each line is the histogram that the interval's figures were taken from; all lines are the
    run."""
    rate = bool(document["summary"]["rate"])
    total: dict[str, Counter[int]] = {}
    at: dict[str, int] = {}
    with open(path) as f:
        lines = f.read().splitlines()
    book.same(
        "hlog",
        "marks",
        [x for x in lines if x.startswith("#[mark")],
        ["#[mark at %.3f: %s]" % (m["elapsed_s"], m["text"]) for m in document["marks"]],
    )
    for line in (x for x in lines if x.startswith("Tag=")):
        tag, start, length, highest, text = line[4:].split(",")
        i = at[tag] = at.get(tag, -1) + 1
        counts = report.decode(text)
        total.setdefault(tag, Counter()).update(counts)
        where = "%s line %d: " % (tag, i + 1)
        top = max(counts, default=None)
        book.printed(
            "hlog",
            where + "Interval_Max",
            highest,
            0.0 if top is None else grids.bucket_high(top) / 1e6,
        )
        reports = document["intervals"] + [document["summary"]]
        ends = [r["elapsed_s"] for r in reports]
        book.printed("hlog", where + "StartTimestamp", start, ends[i - 1] if i else 0.0)
        if i < len(document["intervals"]):
            figures = document["intervals"][i]
            book.printed(
                "hlog",
                where + "Interval_Length",
                length,
                max(ends[i] - (ends[i - 1] if i else 0.0), 0.0),
            )
            book.same(
                "hlog",
                where + "samples",
                sum(counts.values()),
                figures["rate"][tag + "_samples"] if rate else figures["latency"]["samples"],
            )
            max_s = figures["rate"][tag + "_max_s"] if rate else figures["latency"]["max_s"]
            book.same(
                "hlog",
                where + "longest",
                None if top is None else grids.bucket_high(top),
                max_s and ns(max_s),
            )
    names = SERIES if rate else {"latency": SERIES["response"]}
    book.same(
        "hlog", "tags", sorted(total), sorted(names) if lines and (total or record.done) else []
    )
    for tag, value in names.items():
        want = grids.fine(value(t) for t in record.done)
        book.same("hlog", tag + ", all lines", dict(total.get(tag, {})), dict(want))


class MetricsCheck:
    """A metrics file beside the document and the record."""

    def __init__(self, book: Book, document: Document, record: Record, path: str) -> None:
        self.book, self.document, self.record = book, document, record
        self.fmt = path.rsplit(".", 1)[1]
        del report.problems[:]
        self.values = report.read_metrics(path, document)
        book.same(self.fmt, "form and labels", report.problems[:3], [])

    def take(self, name: str, label: str = "") -> Any:
        return self.values.pop((name, label), None)

    def near(self, name: str, seen: Any, want: Any) -> None:
        self.book.near(self.fmt, name, seen, want, rel=1e-9, slack=1e-9)

    def all(self) -> None:
        summary = self.document["summary"]
        for name, value in report.flat(summary).items():
            if name == "kind" or (value is None and not report.metric_kind(name)):
                continue
            found = report.expected(self.document, name, value)
            if found and found[1] is not None:
                self.near("%s{%s}" % found[0], self.take(*found[0]), found[1])
        self._latencies(summary)
        self._statements(summary["statements"] or [])
        self._errors(summary)
        self.book.same(
            self.fmt, "marks_total", self.take("marks_total") or 0, len(self.document["marks"])
        )
        self.book.same(self.fmt, "run_active", self.take("run_active"), 0)
        self.book.same(
            self.fmt,
            "run_info",
            [self.values.pop(k) for k in list(self.values) if k[0] == "run_info"],
            [1],
        )
        start = (self.record.header["wall_unix_ns"] + self.record.began) / 1e9
        self.take("run_start_time_seconds")  # when the program began, before the log was opened
        self.book.within(
            self.fmt,
            "last_report_timestamp_seconds - measuring began",
            summary["wall_time_unix_s"] - start,
            0,
            summary["elapsed_s"] + 0.005,
        )
        for m, mark in enumerate(self.document["marks"]):
            if m >= len(self.document["marks"]) - 100:
                label = "mark=%d,text=%s" % (m + 1, mark["text"])
                self.book.near(
                    self.fmt,
                    "mark_timestamp_seconds{%s}" % label,
                    self.take("mark_timestamp_seconds", label),
                    mark["wall_time_unix_s"],
                    rel=0,
                    slack=0.001,
                )
        self.book.same(self.fmt, "samples that nothing else tells", sorted(self.values)[:5], [])

    def _quantiles(self, name: str, figures: Document, value: Any) -> None:
        values = [value(t) for t in self.record.done]
        for key, seen in figures.items():
            if seen is None or not (key[0] == "p" or key == "max_s"):
                continue
            q = 1.0 if key == "max_s" else float(key[1:-2].replace("_", ".")) / 100
            if key == "p100_s":
                continue
            label = "quantile=" + ("1.0" if q == 1 else "%.12g" % q)
            self.book.same(self.fmt, "%s{%s}" % (name, label), self.take(name, label), seen)
        self.book.same(self.fmt, name + "_count", self.take(name + "_count"), len(values))
        self.near(
            name + "_sum", self.take(name + "_sum"), math.fsum(map(grids.shown, values)) / 1e9
        )

    def _latencies(self, summary: Document) -> None:
        self._quantiles("latency_seconds", summary["latency"], SERIES["response"])
        for name, key in (("service_time_seconds", "service"), ("lag_seconds", "lag")):
            if summary["rate"]:
                figures = {
                    k[len(key) + 1 :]: v
                    for k, v in summary["rate"].items()
                    if k.startswith(key + "_")
                }
                self._quantiles(name, figures, SERIES[key])
        name = "transaction_latency_seconds"
        highs = sorted(grids.shown(t.response) for t in self.record.done)
        seen = {k[1][3:]: self.values.pop(k) for k in list(self.values) if k[0] == name + "_bucket"}
        self.book.same(self.fmt, "bounds", sorted(map(float, seen)), BOUNDS + [math.inf])
        for le, n in seen.items():
            want = sum(h <= float(le) * 1e9 for h in highs)
            self.book.same(self.fmt, "%s_bucket{le=%s}" % (name, le), n, want)
        self.book.same(self.fmt, name + "_count", self.take(name + "_count"), len(highs))
        self.near(
            name + "_sum",
            self.take(name + "_sum"),
            math.fsum(grids.shown(t.response) for t in self.record.done) / 1e9,
        )

    def _statements(self, statements: Any) -> None:
        for s in statements:
            family, label = "statement_duration_seconds", "statement=" + s["kind"]
            for q, key in (("0.5", "p50_s"), ("0.95", "p95_s"), ("0.99", "p99_s")):
                pair = "quantile=%s,%s" % (q, label)
                self.book.same(self.fmt, "%s{%s}" % (family, pair), self.take(family, pair), s[key])
            self.near("%s_sum{%s}" % (family, label), self.take(family + "_sum", label), s["sum_s"])
            for name, key in (
                (family + "_count", "count"),
                ("statement_errors_total", "errors"),
                ("statement_rows_total", "rows"),
            ):
                self.book.same(self.fmt, "%s{%s}" % (name, label), self.take(name, label), s[key])

    def _errors(self, summary: Any) -> None:
        """The runs of an audit lose no connection: every failure is an ignored error."""
        by_code = summary["errors_by_code"]
        for e in by_code:
            label = "class=%s,code=%d,sqlstate=%s" % (e["class"], e["code"] or 0, e["sqlstate"])
            seen = self.take("errors_by_code_total", label)
            self.book.same(self.fmt, "errors_by_code{%s}" % label, seen, e["count"])
        counted = sum(e["count"] for e in by_code)
        self.book.same(self.fmt, "sum of errors_by_code", counted, summary["total"]["errors"])


def check_formats(
    book: Book, document: Document, record: Record, stem: str, formats: Sequence[str]
) -> None:
    """Every file of the run that is for programs."""
    for suffix, kind in (
        ("csv", "interval"),
        ("summary.csv", "summary"),
        ("checkpoints.csv", "checkpoint"),
    ):
        if suffix in formats:
            check_csv(book, document, "%s.%s" % (stem, suffix), suffix, kind)
    check_jsonl(book, document, stem + ".jsonl")
    check_phases(book, document)
    check_hlog(book, document, record, stem + ".hlog")
    for suffix in ("prom", "om"):
        MetricsCheck(book, document, record, "%s.%s" % (stem, suffix)).all()


def load(path: str) -> Document:
    with open(path) as f:
        return json.load(f)
