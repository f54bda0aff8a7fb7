# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report beside the document and the record, to the digits that are printed.

Each line is looked for where it belongs, and each number in it is compared. All that a line says
is in the document too, and the document has been compared with the record.
"""

import math
import re
from typing import Any, Dict, List, Optional, Tuple

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
            text = f.read()
        self.points = points(document)
        # lines of the warm-up are no figures of the run
        self.lines = [x for x in text.split("\n") if not x.startswith("Warm-up ")]

    def printed(self, name: str, text: str, value: Optional[float]) -> None:
        self.book.printed("txt", name, text, value)

    def all(self) -> None:
        self._intervals()
        marks = [x for x in self.lines if re.match(r"\[ -?[0-9.]+s \] mark: ", x)]
        want = ["[ %.3fs ] mark: %s" % (m["elapsed_s"], m["text"]) for m in self.document["marks"]]
        self.book.same("txt", "marks", marks, want)
        heads = [
            i for i, x in enumerate(self.lines) if re.match(r"\[ [0-9.]+s \] Checkpoint report:", x)
        ]
        self.book.same("txt", "checkpoints", len(heads), len(self.document["checkpoints"]))
        reports = self.document["checkpoints"] + [self.document["summary"]]
        ends = [i for i, x in enumerate(self.lines) if x.startswith("Threads fairness:")]
        self.book.same("txt", "reports", len(ends), len(reports))
        begin = 0
        for n, (end, figures) in enumerate(zip(ends, reports)):
            block = self.lines[(heads[n] if n < len(heads) else begin) : end + 3]
            begin = end + 3
            final = n == len(reports) - 1
            self._report("final: " if final else "checkpoint %d: " % (n + 1), block, figures)
            rest = self.lines[begin : heads[n + 1] if n + 1 < len(heads) else None]
            self._after(("final: " if final else "checkpoint %d: " % (n + 1)), rest, figures, final)

    # --- interval lines ---

    def _intervals(self) -> None:
        lines = [x for x in self.lines if LINE.match(x)]
        self.book.same("txt", "interval lines", len(lines), len(self.document["intervals"]))
        for i, (line, figures) in enumerate(zip(lines, self.document["intervals"])):
            self._line("line %d: " % (i + 1), line, figures)
        waiting = [re.search(r"queue length: (\d+),? concurrency: (\d+)", x) for x in self.lines]
        pairs = [(int(m.group(1)), int(m.group(2))) for m in waiting if m]
        if pairs:
            self.book.same(
                "txt",
                "queue length and concurrency",
                pairs,
                [
                    (f["rate"]["waiting"], f["rate"]["in_flight"])
                    for f in self.document["intervals"]
                ],
            )

    def find(self, name: str, pattern: str, text: str, values: List[Any]) -> None:
        """The numbers that the pattern finds are these."""
        found = re.search(pattern, text)
        if not found:
            self.book.same("txt", name, "nothing like " + pattern, "there")
            return
        for i, (seen, value) in enumerate(zip(found.groups(), values)):
            self.printed(name + (" (%d)" % (i + 1) if len(values) > 1 else ""), seen, value)

    def _line(self, where: str, line: str, figures: Figures) -> None:
        length = figures["interval_s"] or math.inf  # nothing in no time
        self.find(
            where + "thds, tps",
            LINE.pattern,
            line,
            [figures["threads_running"], figures["transactions_per_s"] or 0.0],
        )
        if " qps: " in line:
            self.find(
                where + "qps (r/w/o)",
                r"qps: (\S+) \(r/w/o: (\S+)/(\S+)/(\S+)\)",
                line,
                [figures["queries_per_s"] or 0.0]
                + [figures[k] / length for k in ("reads", "writes", "other")],
            )
            self.find(
                where + "err/s, reconn/s",
                r" err/s: (\S+) reconn/s: ([0-9.]+)",
                line,
                [figures["errors"] / length, figures["reconnects"] / length],
            )
        if self.points:
            values = [milli(figures["latency"]["text_" + key(p)]) or 0.0 for p in self.points]
            self.find(
                where + "lat",
                r"lat \(ms[^)]*\): +" + "/ *".join([r"([0-9.]+)"] * len(values)),
                line,
                values,
            )
        rate = figures["rate"]
        if not rate or " offered " not in line:
            return
        for name in ("offered", "done", "failed", "dropped", "unfinished", "late"):
            self.find(where + name, r" %s (\d+)" % name, line, [rate[name]])
        for name, what in (
            ("resp-p50", "response_p50_s"),
            ("resp-p95", "response_p95_s"),
            ("resp-p99", "response_p99_s"),
            ("svc-p99", "service_p99_s"),
            ("lag-p99", "lag_p99_s"),
        ):
            if float(name[-2:]) not in self.points or not name.startswith("resp"):
                self.find(where + name, r" %s %s" % (name, NUMBER), line, [milli(rate[what])])
        if figures["server"] is not None and " | srv-usr" in line:
            self._line_server(where, line, figures)

    def _line_server(self, where: str, line: str, figures: Figures) -> None:
        server, client = figures["server"], figures["client"]
        self.find(
            where + "srv-usr, srv-sys",
            r"srv-usr (\S+?)%? srv-sys ([0-9.]+|n/a)",
            line,
            [server["cpu_user_pct"], server["cpu_system_pct"]],
        )
        self.find(
            where + "cs/tx", r"cs/tx (?:>=)?" + NUMBER, line, [server["switches_per_transaction"]]
        )
        self.find(where + "thr", r"thr " + NUMBER, line, [server["threads"]])
        total = (
            None
            if client["cpu_user_pct"] is None
            else client["cpu_user_pct"] + client["cpu_system_pct"]
        )
        self.find(where + "cli-cpu", r"cli-cpu " + NUMBER, line, [total])

    # --- checkpoints and the final report ---

    def _report(self, where: str, block: List[str], figures: Figures) -> None:
        text, threads = "\n".join(block), figures["threads"]
        length = figures["interval_s"] or math.inf  # nothing in no time
        queries = figures["reads"] + figures["writes"] + figures["other"]
        if "SQL statistics:" in text:
            for name, value in (
                ("read", figures["reads"]),
                ("write", figures["writes"]),
                ("other", figures["other"]),
                ("total", queries),
            ):
                self.find(where + name, r"        %s: +(\d+)\n" % name, text, [value])
            for name, value in (
                ("transactions", figures["transactions"]),
                ("queries", queries),
                ("ignored errors", figures["errors"]),
                ("reconnects", figures["reconnects"]),
            ):
                self.find(
                    where + name,
                    r"    %s: +(\d+) +\(([0-9.]+) per sec\.\)" % name,
                    text,
                    [value, value / length],
                )
        label = "time elapsed" if self.generation == "1.1" else "total time"
        self.find(where + label, r"    %s: +([0-9.]+)s" % label, text, [figures["elapsed_s"]])
        if self.generation == "1.1":
            self.find(
                where + "events/s",
                r"events/s \(eps\): +([0-9.]+)",
                text,
                [figures["transactions_per_s"] or 0.0],
            )
        self.find(
            where + "total number of events",
            r"total number of events: +(\d+)",
            text,
            [figures["transactions"]],
        )
        for name, what in (("min", "min"), ("avg", "mean"), ("max", "max"), ("sum", "sum")):
            self.find(
                where + "latency " + name,
                r"\n +%s: +([0-9.]+)" % name,
                text,
                [milli(threads["latency_%s_s" % what]) or 0.0],
            )
        for p in self.points:
            self.find(
                where + "%gth percentile" % p,
                r"\n +%sth percentile: +([0-9.]+)" % re.escape("%.12g" % p),
                text,
                [milli(figures["latency"]["text_" + key(p)]) or 0.0],
            )
        self.find(
            where + "fairness, events",
            r"events \(avg/stddev\): +([0-9.]+)/([0-9.]+)",
            text,
            [threads["transactions_mean"], threads["transactions_stddev"]],
        )
        self.find(
            where + "fairness, execution time",
            r"execution time \(avg/stddev\): +([0-9.]+)/([0-9.]+)",
            text,
            [threads["execution_mean_s"], threads["execution_stddev_s"]],
        )

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
                self._process(
                    "%s%s, " % (where, name), "\n".join(lines[at:end]), figures, figures[name]
                )
        if final and figures["statements"]:
            self._statements(where, lines, figures["statements"])

    def _rate(self, where: str, text: str, figures: Figures, final: bool) -> None:
        rate, elapsed = figures["rate"], figures["elapsed_s"]
        achieved = self.document["verdict"]["achieved_per_s"]
        if not final or achieved is None:
            achieved = rate["total_done"] / elapsed
        self.find(where + "target", r"    target: +([0-9.]+) per sec", text, [rate["target_per_s"]])
        self.find(
            where + "achieved",
            r"    achieved: +([0-9.]+) per sec\. \(([0-9.]+)% of target\)",
            text,
            [achieved, 100 * achieved / rate["target_per_s"]],
        )
        for name in ("offered", "done", "failed", "dropped"):
            self.find(where + name, r"    %s: +(\d+)" % name, text, [rate["total_" + name]])
        self.find(where + "unfinished", r"    unfinished: +(\d+)", text, [rate["unfinished"]])
        if rate["waiting"] + rate["in_flight"]:
            self.find(
                where + "waiting, begun",
                r"    unfinished: +\d+ \((\d+) waiting,\s+(\d+) begun;"
                r"\s+the\s+oldest\s+for\s+([0-9.]+)",
                text,
                [rate["waiting"], rate["in_flight"], rate["oldest_s"]],
            )
        self.find(
            where + "late starts",
            r"    late starts \(over 1 ms\): +(\d+)",
            text,
            [rate["total_late"]],
        )
        listed = sorted(set(self.points) | {50.0, 95.0, 99.0})
        for name in ("response", "service", "lag"):
            want: List[Tuple[str, Optional[float]]] = [
                ("%s p%g" % (name, p), milli(rate["%s_%s" % (name, key(p))])) for p in listed
            ]
            want += [
                (name + " maximum", milli(rate[name + "_max_s"])),
                (name + " mean", self._mean(rate, name)),
            ]
            seen = [
                x for m in re.findall(r"\n    %s ([ 0-9.n/a>]+)" % name, text) for x in m.split()
            ]
            self.book.same("txt", where + name + ", cells", len(seen), len(want))
            for cell, (label, value) in zip(seen, want):
                self.printed(where + label, cell, value)

    def _retries(self, where: str, text: str, retries: Figures) -> None:
        if retries["transactions"]:
            self.find(
                where + "transactions",
                r"    transactions run again: +(\d+) \((\d+) retries, at most (\d+) of one\)",
                text,
                [retries["transactions"], retries["retries"], retries["most"]],
            )
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

    def _process(self, where: str, text: str, figures: Figures, process: Figures) -> None:
        if process["cpu_s"] is None:
            return
        wall = process["interval_s"]
        user, system, total = process["cpu_user_s"], process["cpu_system_s"], process["cpu_s"]
        cells = r"usr ([0-9.]+) sys ([0-9.]+) total ([0-9.]+)"
        one = [100 * x / wall for x in (user, system, total)]
        self.find(where + "% of one CPU", r"CPU, % of one CPU: +" + cells, text, one)
        cpus = one[0] / process["cpu_user_pct"] if process["cpu_user_pct"] else None
        if cpus:
            self.find(
                where + "% of the whole system",
                r"CPU, % of the whole system: +" + cells,
                text,
                [x / round(cpus) for x in one],
            )
        n = process["transactions"]
        if n:
            self.find(
                where + "per transaction, us",
                r"CPU per transaction, us: +" + cells,
                text,
                [x / n * 1e6 for x in (user, system, total)],
            )
        if process["voluntary_switches"] is not None:
            self.find(
                where + "context switches",
                r"context switches: +(?:at least )?voluntary (\d+) involuntary (\d+)",
                text,
                [process["voluntary_switches"], process["involuntary_switches"]],
            )
        if process["minor_faults"] is not None:
            self.find(
                where + "page faults",
                r"page faults: +minor (\d+) major (\d+)",
                text,
                [process["minor_faults"], process["major_faults"]],
            )
        if process["rss_bytes"] is not None:
            self.find(where + "RSS", r"RSS: +([0-9.]+) MiB", text, [process["rss_bytes"] / 1048576])

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
