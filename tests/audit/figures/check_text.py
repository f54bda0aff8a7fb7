# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report beside the document and the record, to the digits that are printed.

Each line is looked for where it belongs, and each number in it is compared. All that a line says
is in the document too, and the document has been compared with the record.
"""

import math
import re
from typing import Any, Dict, List, Optional

from .book import Book
from .record import Record

Figures = Dict[str, Any]
NUMBER = r"(-?[0-9.]+|n/a)"
LINE = re.compile(r"\[ [0-9.]+s \] thds: (\d+) (?:tps|eps): (\S+) ")


def points(document: Figures) -> List[float]:
    """--percentile as given; [] when it is 0."""
    value = document["run"]["options"]["effective"]["percentile"]
    values = value if isinstance(value, list) else [float(x) for x in str(value).split(",")]
    return [float(v) for v in values if float(v)]


def key(p: float) -> str:
    return "p%s_s" % ("%.12g" % p).replace(".", "_")


def milli(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else seconds * 1e3


class TextCheck:
    """One text file of a run."""

    def __init__(
        self, book: Book, document: Figures, record: Record, path: str, generation: str
    ) -> None:
        self.book, self.document, self.record = book, document, record
        self.generation = generation
        with open(path) as f:
            text = re.sub(r"\n    \* of fewer samples .*", "", f.read())
        self.points = points(document)
        # lines of the warm-up are no figures of the run; a star says what there are few samples of
        lines = [x for x in text.split("\n") if not x.startswith("Warm-up ")]
        self.lines = [re.sub(r"(\d)\*", r"\1 ", x) for x in lines]

    def printed(self, name: str, text: str, value: Optional[float]) -> None:
        self.book.printed("txt", name, text, value)

    def all(self) -> None:
        self._intervals()
        marks = [x for x in self.lines if re.match(r"\[ -?[0-9.]+s \] mark: ", x)]
        want = ["[ %.3fs ] mark: %s" % (m["elapsed_s"], m["text"]) for m in self.document["marks"]]
        self.book.same("txt", "marks", marks, want)
        head = re.compile(r"\[ [0-9.]+s \] Checkpoint report:")
        heads = [i for i, x in enumerate(self.lines) if head.match(x)]
        self.book.same("txt", "checkpoints", len(heads), len(self.document["checkpoints"]))
        reports = self.document["checkpoints"] + [self.document["summary"]]
        ends = [i for i, x in enumerate(self.lines) if x.startswith("Threads fairness:")]
        self.book.same("txt", "reports", len(ends), len(reports))
        begin = 0
        for n, (end, figures) in enumerate(zip(ends, reports)):
            block = self.lines[(heads[n] if n < len(heads) else begin) : end + 3]
            begin = end + 3
            final = n == len(reports) - 1
            where = "final: " if final else "checkpoint %d: " % (n + 1)
            self._report(where, block, figures)
            rest = self.lines[begin : heads[n + 1] if n + 1 < len(heads) else None]
            self._after(where, rest, figures, final)

    # --- interval lines ---

    def _intervals(self) -> None:
        lines = [x for x in self.lines if LINE.match(x)]
        self.book.same("txt", "interval lines", len(lines), len(self.document["intervals"]))
        for i, (line, figures) in enumerate(zip(lines, self.document["intervals"])):
            self._line("line %d: " % (i + 1), line, figures)
        waiting = [re.search(r"queue length: (\d+),? concurrency: (\d+)", x) for x in self.lines]
        pairs = [(int(m.group(1)), int(m.group(2))) for m in waiting if m]
        if pairs:
            rates = [f["rate"] for f in self.document["intervals"]]
            want = [(r["waiting"], r["in_flight"]) for r in rates]
            self.book.same("txt", "queue length and concurrency", pairs, want)

    def find(self, name: str, pattern: str, text: str, *values: Any) -> None:
        """The numbers that the pattern finds are these."""
        found = re.search(pattern, text)
        if not found:
            self.book.same("txt", name, "nothing like " + pattern, "there")
            return
        for i, (seen, value) in enumerate(zip(found.groups(), values)):
            self.printed(name + (" (%d)" % (i + 1) if len(values) > 1 else ""), seen, value)

    def _line(self, where: str, line: str, f: Figures) -> None:
        length = f["interval_s"] or math.inf  # nothing in no time
        tps = f["transactions_per_s"] or 0.0
        self.find(where + "thds, tps", LINE.pattern, line, f["threads_running"], tps)
        if " qps: " in line:
            each = [f[k] / length for k in ("reads", "writes", "other", "errors", "reconnects")]
            qps = r"qps: (\S+) \(r/w/o: (\S+)/(\S+)/(\S+)\)"
            self.find(where + "qps (r/w/o)", qps, line, f["queries_per_s"] or 0.0, *each[:3])
            rates = r" err/s: (\S+) reconn/s: ([0-9.]+)"
            self.find(where + "err/s, reconn/s", rates, line, *each[3:])
        if self.points:
            values = [milli(f["latency"]["text_" + key(p)]) or 0.0 for p in self.points]
            cells = r"lat \(ms[^)]*\): +" + "/ *".join([r"([0-9.]+)"] * len(values))
            self.find(where + "lat", cells, line, *values)
        rate = f["rate"]
        if not rate or " offered " not in line:
            return
        for name in ("offered", "done", "failed", "dropped", "unfinished", "late"):
            self.find(where + name, r" %s (\d+)" % name, line, rate[name])
        for name in ("resp-p50", "resp-p95", "resp-p99", "svc-p99", "lag-p99"):
            if float(name[-2:]) not in self.points or not name.startswith("resp"):
                full = name.replace("resp", "response").replace("svc", "service").replace("-", "_")
                self.find(where + name, r" %s %s" % (name, NUMBER), line, milli(rate[full + "_s"]))
        if f["server"] is not None and " | srv-usr" in line:
            self._line_server(where, line, f["server"], f["client"])

    def _line_server(self, where: str, line: str, server: Figures, client: Figures) -> None:
        used = r"srv-usr (\S+?)%? srv-sys ([0-9.]+|n/a)"
        modes = ("cpu_user_pct", "cpu_system_pct")
        self.find(where + "srv-usr, srv-sys", used, line, *(server[m] for m in modes))
        switches = server["switches_per_transaction"]
        self.find(where + "cs/tx", r"cs/tx (?:>=)?" + NUMBER, line, switches)
        self.find(where + "thr", r"thr " + NUMBER, line, server["threads"])
        known = client["cpu_user_pct"] is not None
        total = sum(client[m] for m in modes) if known else None
        self.find(where + "cli-cpu", r"cli-cpu " + NUMBER, line, total)

    # --- checkpoints and the final report ---

    def _report(self, where: str, block: List[str], f: Figures) -> None:
        text, threads = "\n".join(block), f["threads"]
        length = f["interval_s"] or math.inf  # nothing in no time
        queries = f["reads"] + f["writes"] + f["other"]
        if "SQL statistics:" in text:
            counts = {"read": f["reads"], "write": f["writes"], "other": f["other"]}
            for name, value in {**counts, "total": queries}.items():
                self.find(where + name, r"        %s: +(\d+)\n" % name, text, value)
            rates = {"transactions": f["transactions"], "queries": queries}
            rates.update({"ignored errors": f["errors"], "reconnects": f["reconnects"]})
            for name, value in rates.items():
                pattern = r"    %s: +(\d+) +\(([0-9.]+) per sec\.\)" % name
                self.find(where + name, pattern, text, value, value / length)
        label = "time elapsed" if self.generation == "1.1" else "total time"
        self.find(where + label, r"    %s: +([0-9.]+)s" % label, text, f["elapsed_s"])
        if self.generation == "1.1":
            eps = f["transactions_per_s"] or 0.0
            self.find(where + "events/s", r"events/s \(eps\): +([0-9.]+)", text, eps)
        events = r"total number of events: +(\d+)"
        self.find(where + "total number of events", events, text, f["transactions"])
        for name, what in (("min", "min"), ("avg", "mean"), ("max", "max"), ("sum", "sum")):
            value = milli(threads["latency_%s_s" % what]) or 0.0
            self.find(where + "latency " + name, r"\n +%s: +([0-9.]+)" % name, text, value)
        for p in self.points:
            pattern = r"\n +%sth percentile: +([0-9.]+)" % re.escape("%.12g" % p)
            value = milli(f["latency"]["text_" + key(p)]) or 0.0
            self.find(where + "%gth percentile" % p, pattern, text, value)
        for name, what in (("events", "transactions_%s"), ("execution time", "execution_%s_s")):
            pattern = name + r" \(avg/stddev\): +([0-9.]+)/([0-9.]+)"
            values = [threads[what % part] for part in ("mean", "stddev")]
            self.find(where + "fairness, " + name, pattern, text, *values)

    def _after(self, where: str, lines: List[str], figures: Figures, final: bool) -> None:
        text = "\n".join(lines)
        if final and "\nRate:\n" in "\n" + text:
            self._rate(where, text, figures, final)
        if final and figures["retries"] and "\nRetries:\n" in "\n" + text:
            self._retries(where + "retries, ", text, figures["retries"])
        for title, name in (("Server: ", "server"), ("Load generator: ", "client")):
            at = next((i for i, x in enumerate(lines) if x.startswith(title)), None)
            if at is not None and figures[name]:
                end = lines.index("", at) if "" in lines[at:] else len(lines)
                block = "\n".join(lines[at:end])
                self._process("%s%s, " % (where, name), block, figures[name])
        if final and figures["statements"]:
            self._statements(where, lines, figures["statements"])

    def _rate(self, where: str, text: str, figures: Figures, final: bool) -> None:
        rate, elapsed = figures["rate"], figures["elapsed_s"]
        achieved, target = self.document["verdict"]["achieved_per_s"], rate["target_per_s"]
        if not final or achieved is None:
            achieved = rate["total_done"] / elapsed
        self.find(where + "target", r"    target: +([0-9.]+) per sec", text, target)
        share = r"    achieved: +([0-9.]+) per sec\. \(([0-9.]+)% of target\)"
        self.find(where + "achieved", share, text, achieved, 100 * achieved / target)
        for name in ("offered", "done", "failed", "dropped"):
            self.find(where + name, r"    %s: +(\d+)" % name, text, rate["total_" + name])
        self.find(where + "unfinished", r"    unfinished: +(\d+)", text, rate["unfinished"])
        if rate["waiting"] + rate["in_flight"]:
            pattern = r"    unfinished: +\d+ \((\d+) waiting,\s+(\d+) begun;"
            pattern += r"\s+the\s+oldest\s+for\s+([0-9.]+)"
            values = [rate[name] for name in ("waiting", "in_flight", "oldest_s")]
            self.find(where + "waiting, begun", pattern, text, *values)
        late = r"    late starts \(over 1 ms\): +(\d+)"
        self.find(where + "late starts", late, text, rate["total_late"])
        listed = sorted(set(self.points) | {50.0, 95.0, 99.0})
        for name in ("response", "service", "lag"):
            names = [key(p) for p in listed] + ["max_s"]
            want = [milli(rate["%s_%s" % (name, k)]) for k in names] + [self._mean(rate, name)]
            rows = re.findall(r"\n    %s ([ 0-9.n/a>]+)" % name, text)
            seen = [x for m in rows for x in m.split()]
            self.book.same("txt", where + name + ", cells", len(seen), len(want))
            for cell, label, value in zip(seen, [*names, "mean"], want):
                self.printed("%s%s %s" % (where, name, label), cell, value)

    def _retries(self, where: str, text: str, retries: Figures) -> None:
        if retries["transactions"]:
            pattern = r"    transactions run again: +(\d+) \((\d+) retries, at most (\d+) of one\)"
            values = [retries[name] for name in ("transactions", "retries", "most")]
            self.find(where + "transactions", pattern, text, *values)
        for name in ("first_attempt", "until_done"):
            row = re.search(r"\n    %s +([0-9.]+.*)" % name.replace("_", " "), text)
            if row:
                for cell, part in zip(row[1].split(), ("p50_s", "p95_s", "p99_s", "max_s")):
                    self.printed(where + name + " " + part, cell, milli(retries[name][part]))
                mean = int(retries[name]["mean_s"] * 1e9 + 1e-6) / 1e6  # whole ns are printed
                self.printed(where + name + " mean", row[1].split()[-1], mean)

    @staticmethod
    def _mean(rate: Figures, name: str) -> Optional[float]:
        """Whole ns are printed."""
        value = rate[name + "_mean_s"]
        return None if value is None else int(value * 1e9 + 1e-6) / 1e6

    def _process(self, where: str, text: str, process: Figures) -> None:
        if process["cpu_s"] is None:
            return
        used = [process["cpu_%ss" % mode] for mode in ("user_", "system_", "")]
        cells = r"usr ([0-9.]+) sys ([0-9.]+) total ([0-9.]+)"
        one = [100 * x / process["interval_s"] for x in used]
        self.find(where + "% of one CPU", r"CPU, % of one CPU: +" + cells, text, *one)
        cpus = one[0] / process["cpu_user_pct"] if process["cpu_user_pct"] else None
        if cpus:
            pattern = r"CPU, % of the whole system: +" + cells
            self.find(where + "% of the system", pattern, text, *(x / round(cpus) for x in one))
        n = process["transactions"]
        if n:
            pattern = r"CPU per transaction, us: +" + cells
            self.find(where + "per transaction", pattern, text, *(x / n * 1e6 for x in used))
        for pattern, names in (
            (
                r"context switches: +(?:at least )?voluntary (\d+) involuntary (\d+)",
                ("voluntary_switches", "involuntary_switches"),
            ),
            (r"page faults: +minor (\d+) major (\d+)", ("minor_faults", "major_faults")),
        ):
            if process[names[0]] is not None:
                self.find(where + names[0], pattern, text, *(process[name] for name in names))
        if process["rss_bytes"] is not None:
            self.find(where + "RSS", r"RSS: +([0-9.]+) MiB", text, process["rss_bytes"] / 1048576)

    def _statements(self, where: str, lines: List[str], statements: List[Figures]) -> None:
        begin = next((i for i, x in enumerate(lines) if x.startswith("Statements by kind")), None)
        if begin is None:
            self.book.same("txt", where + "statements", "no block", "there")
            return
        rows = {}
        for line in lines[begin + 2 :]:
            if not line:
                break
            cells = line.split(None, 10)
            rows[cells[10]] = cells
        self.book.same("txt", where + "statements, rows", len(rows), len(statements))
        for s in statements:
            name = " ".join(s["kind"].split())
            cells = rows.get(name, ["-"] * 10)
            values = [s["count"], s["errors"], s["rows"]] + [
                milli(s[k]) for k in ("min_s", "mean_s", "p50_s", "p95_s", "p99_s", "max_s")
            ]
            for title, cell, value in zip(
                ("count", "errors", "rows", "min", "avg", "p50", "p95", "p99", "max"), cells, values
            ):
                self.printed("%s%s of %s" % (where, title, name), cell, value)
            share = cells[9].rstrip("%")
            if s["share_pct"] is None:
                self.book.same("txt", where + "share of " + name, share, "-")
            else:
                self.printed(where + "share of " + name, share, s["share_pct"])
