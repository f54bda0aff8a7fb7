# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of the json document, recomputed from the raw log.

Intervals and checkpoints are compared with the ranges of record.py, the summary exactly.
"""

import math
from bisect import bisect_right
from typing import Any, Dict, List, Optional, Tuple

from . import grids
from .book import Book
from .draw import Run
from .reading import LATE, SERIES, Figures, Reading, ns, part, samples_of
from .record import Between, Range, Record


class RecordCheck:
    """The document of one run beside its raw log."""

    def __init__(self, book: Book, document: Figures, record: Record, run: Optional[Run] = None):
        self.book, self.run, self.document, self.record = book, run, document, record
        given = document["run"]["options"]["effective"]["report-checkpoints"]
        given = given if isinstance(given, list) else str(given or "").split(",")
        self.checkpoints = [float(c) for c in given if c]
        self.rate = bool(record.header["has_rate"])
        self.series = SERIES if self.rate else {"latency": SERIES["response"]}
        self.where = ""

    def all(self) -> None:
        self.of_log()
        assert self.run is not None
        ticks = [ns(self.run.interval) * (i + 1) for i in range(len(self.document["intervals"]))]
        self._reports("intervals", ticks)
        self._achieved(self.document["summary"]["rate"])

    def of_log(self) -> None:
        """What the raw log decides alone, however the run ended."""
        self._log()
        self._reports("checkpoints", [ns(c) for c in self.checkpoints])
        self._summary()
        self._histograms()
        self._marks()

    def same(self, name: str, seen: Any, expected: Any) -> None:
        self.book.same("json", self.where + name, seen, expected)

    def near(self, name: str, seen: Any, expected: Any, slack: float = 1e-12) -> None:
        self.book.near("json", self.where + name, seen, expected, slack=slack)

    def within(self, name: str, seen: Any, bounds: Tuple[float, float]) -> None:
        self.book.within("json", self.where + name, seen, *bounds)

    def each(self, figures: Figures, prefix: str = "", slack: float = 1e-12, **wanted: Any) -> None:
        """Figures by their names; a pair is a range."""
        for name, want in wanted.items():
            if isinstance(want, tuple):
                self.within(prefix + name, figures[name], (want[0], want[1]))
            else:
                self.near(prefix + name, figures[name], want, slack)

    def _log(self) -> None:
        """The raw log by itself."""
        end, rows = self.record.end, self.record.rows
        self.book.same("raw", "records", end and end["records"], len(rows))
        self.book.same("raw", "lost", end and end["lost"], 0)
        for client, every in self.record.all.items():
            overlap = sum(b.begun < a.end for a, b in zip(every, every[1:]))
            what = "client %d: begun before the one before had ended" % client
            self.book.same("raw", what, overlap, 0)
        early = sum(t.lag < 0 for t in rows)
        self.book.same("raw", "begun before their planned start", early, 0)

    # --- intervals and checkpoints ---

    def _reports(self, kind: str, ticks: List[int]) -> None:
        previous: Optional[Reading] = None
        totals: Dict[str, float] = {}
        for i, figures in enumerate(self.document[kind]):
            self.where = "%s[%d]." % (kind, i)
            reading = self._reading(figures, ticks[i], previous)
            self._times(figures, previous.figures["elapsed_s"] if previous else 0.0)
            self._growth(figures, totals)
            self._counts(reading, figures)
            for name, samples in reading.samples.items():
                least, most = reading.recorded(name).bounds()
                # a transaction is in the histograms before it is counted
                bounds = max(least, figures["total"]["transactions"]), most
                self.within("%s samples since the beginning" % name, samples, bounds)
            self._series(figures, previous, reading)
            if figures["threads"]:
                self._threads_between(figures["threads"], previous, reading)
            self._undone(figures, previous, reading)
            previous = reading

    def _reading(self, figures: Figures, due: int, previous: Optional[Reading]) -> Reading:
        reading = Reading(self.record, figures, due, False)
        for name in self.series:
            before = previous.samples[name] if previous else 0
            reading.samples[name] = before + samples_of(figures, name)
        return reading

    def _times(self, figures: Figures, last: float) -> None:
        self.each(figures, slack=1e-9, interval_s=figures["elapsed_s"] - last)
        self._per_second(figures)
        self.each(figures, threads_running=(0, self.record.header["clients"]))

    def _per_second(self, figures: Figures) -> None:
        header, length = self.record.header, figures["interval_s"]
        statements = figures["reads"] + figures["writes"] + figures["other"]
        per_s = figures["transactions"], statements
        tps, qps = (count / length if length else None for count in per_s)
        self.each(figures, transactions_per_s=tps, queries_per_s=qps)
        # the wall clock may be slewed by 500 ppm, which is less than 5 ms in 10 s; a report is
        # shorter
        wall = (header["wall_unix_ns"] + self.record.began) / 1e9 + figures["elapsed_s"]
        self.each(figures, slack=0.005, wall_time_unix_s=wall)

    def _growth(self, figures: Figures, totals: Dict[str, float]) -> None:
        """Totals are the sums of the reports so far, of every counter."""
        for name in ("transactions", "reads", "writes", "other", "errors", "reconnects"):
            totals[name] = totals.get(name, 0) + figures[name]
            self.same("total." + name, figures["total"][name], totals[name])
        rate = figures["rate"] or {}
        for name in ("offered", "done", "failed", "dropped", "late") if rate else ():
            totals["rate " + name] = totals.get("rate " + name, 0) + rate[name]
            self.same("rate.total_" + name, rate["total_" + name], totals["rate " + name])

    def _counts(self, reading: Reading, figures: Figures) -> None:
        done = reading.counted("done")
        self.within("total.transactions", figures["total"]["transactions"], done.bounds())
        rate = figures["rate"]
        self.same("rate is there", bool(rate), self.rate)
        if not rate:
            return
        self._balance(rate)
        self.same("rate.total_done", rate["total_done"], figures["total"]["transactions"])
        known = Between(self.record.of["done"], self.record.nothing(), reading.exact())
        late = sum(t.lag > LATE for t in known.sure)
        self.each(
            rate,
            "rate.",
            total_failed=reading.counted("failed").bounds(),
            withdrawn=reading.counted("withdrawn").bounds(),
            total_late=(late, late + sum(t.lag > LATE for t in known.open)),
        )
        if not reading.final:
            names = ("total_done", "total_failed", "withdrawn", "in_flight")
            what = "begun: rate.total_done + failed + withdrawn + in_flight"
            begun = self.record.begun(reading.due, reading.at)
            self.within(what, sum(rate[name] for name in names), begun)
            self._offered(rate, reading)

    def _balance(self, rate: Figures) -> None:
        for total, names in (
            ("total_offered", ("total_done", "total_failed", "total_dropped", "unfinished")),
            ("unfinished", ("waiting", "in_flight", "withdrawn")),
        ):
            what = "rate.%s = %s" % (total, " + ".join(names))
            self.same(what, rate[total], sum(rate[name] for name in names))

    def _offered(self, rate: Figures, reading: Reading) -> None:
        """Planned starts until the reading: those in the log, and those that were never begun,
        of which the end of the
        run knows how many."""
        final = self.document["summary"]["rate"]
        never = final["total_dropped"] + final["waiting"] + final["in_flight"]
        planned = bisect_right(self.record.planned, reading.at)
        effective = self.document["run"]["options"]["effective"]
        if effective.get("tx-arrival") == "aligned" and effective.get("events"):
            never += len(self.record.planned) - planned  # others may have got the first ones
        self.each(rate, "rate.", total_offered=(planned, planned + never))
        # the oldest that is unfinished was planned before the reading, and after none that had
        # ended by then
        waiting = [
            t.planned
            for t in self.record.measured
            if t.planned <= reading.at < t.end or t.end > reading.due
        ]
        if never == 0:
            oldest = reading.at - min(waiting, default=reading.at)
            self.each(rate, "rate.", oldest_s=(0, max(oldest, 0) / 1e9))

    def _series(self, figures: Figures, previous: Optional[Reading], reading: Reading) -> None:
        for name, value in self.series.items():
            before = previous.recorded(name) if previous else self.record.nothing()
            between = Between(self.record.of["done"], before, reading.recorded(name))
            values = between.range(value, samples_of(figures, name))
            if name != "latency":
                self._percentiles("rate.%s_" % name, part(figures["rate"], name), values)
            if name in ("latency", "response"):
                self.same("latency.samples", figures["latency"]["samples"], values.n)
                self._percentiles("latency.", figures["latency"], values)
                self._stock(figures, values, [r for r in (previous, reading) if r], name)

    def _stock(self, figures: Figures, values: Range, readings: List[Reading], series: str) -> None:
        """What the text shows, from stock's buckets.  These are read after the counts and
        before the fine ones, so they
        hold the same transactions where both of those do."""
        if values.loose or any(
            not r.final and r.samples[series] != r.figures["total"]["transactions"]
            for r in readings
        ):
            return
        for name, seen in figures["latency"].items():
            if name.startswith("text_p"):
                p = float(name[6:-2].replace("_", "."))
                want = grids.stock_percentile_ms(values.sure, p) / 1e3 if values.n else None
                self.near("latency." + name, seen, want, 1e-9)

    def _percentiles(self, prefix: str, figures: Figures, values: Range) -> None:
        for name, seen in figures.items():
            if name == "samples" or name.startswith("text_"):
                continue
            if values.n == 0:
                self.same(prefix + name, seen, None)
                continue
            if name == "mean_s":
                bounds = values.mean(grids.shown)
                slack = 1e-12
            else:
                p = 100.0 if name == "max_s" else float(name[1:-2].replace("_", "."))
                place = values.percentile(p)
                bounds = [float(grids.shown(v)) for v in place] if place else None
                slack = 0
            if bounds is None:
                self.same(prefix + name + " (a range for it)", "none", "some")
                continue
            low, high = bounds[0] / 1e9 * (1 - slack), bounds[1] / 1e9 * (1 + slack)
            self.within(prefix + name, seen, (low, high))

    def _undone(self, figures: Figures, previous: Optional[Reading], reading: Reading) -> None:
        """The time of transactions that failed or were withdrawn, as part of the server's time."""
        status = figures["server_status"]
        if not status or status["undone_us_per_transaction"] is None:
            return
        low = high = 0
        for outcome in ("failed", "withdrawn"):
            before = previous.counted(outcome) if previous else self.record.nothing()
            cuts = Between(self.record.of[outcome], before, reading.counted(outcome))
            low += sum(t.service for t in cuts.sure)
            high += sum(t.service for t in cuts.sure + cuts.open)
        seen = status["undone_us_per_transaction"] * 1e3 * figures["client"]["transactions"]
        bounds = low * (1 - 1e-9), high * (1 + 1e-9)
        self.within("server_status.undone_us_per_transaction * transactions", seen, bounds)

    def _threads_between(
        self, threads: Figures, previous: Optional[Reading], reading: Reading
    ) -> None:
        """A checkpoint's and the summary's exact figures: of what was counted since the
        checkpoint before."""
        before = previous.exact() if previous else self.record.nothing()
        between = Between(self.record.of["done"], before, reading.exact())
        n = reading.figures["transactions"]
        self._threads(threads, n)
        if n == 0:
            for name in ("min", "max", "mean", "sum"):
                self.same("threads.latency_%s_s" % name, threads["latency_%s_s" % name], None)
            return
        values = between.range(SERIES["response"], n)
        mean = values.mean(float)
        for name, place in (("min", values.place(1)), ("max", values.place(n)), ("mean", mean)):
            low, high = place or (math.inf, -math.inf)
            bounds = low / 1e9 - 1e-9, high / 1e9 + 1e-9
            name = "latency_%s_s" % name
            self.within("threads." + name, threads[name], bounds)
        if not between.open:
            self._each_thread(threads, between)

    def _each_thread(self, threads: Figures, between: Between) -> None:
        each: Dict[int, List[int]] = {c: [] for c in self.record.all}
        for t in between.sure:
            each[t.client].append(t.response)
        events = [len(v) for v in each.values()]
        times = [sum(v) / 1e9 for v in each.values()]
        self.each(
            threads,
            "threads.",
            1e-9,
            transactions_least=min(events),
            transactions_most=max(events),
            transactions_stddev=grids.spread(events),
            execution_stddev_s=grids.spread(times),
        )
        self.near("threads.latency_sum_s", threads["latency_sum_s"] or 0, math.fsum(times), 1e-9)

    def _threads(self, threads: Figures, n: int) -> None:
        clients, total = self.record.header["clients"], threads["latency_sum_s"]
        self.each(threads, "threads.", transactions_mean=n / clients)
        self.each(threads, "threads.", 1e-9, execution_mean_s=(total or 0) / clients)
        if n:
            self.each(threads, "threads.", 1e-9, latency_sum_s=threads["latency_mean_s"] * n)

    # --- the end ---

    def _summary(self) -> None:
        self.where = "summary."
        figures, record = self.document["summary"], self.record
        assert record.end is not None
        checkpoints = self.document["checkpoints"]
        last = checkpoints[-1] if checkpoints else None
        reading = Reading(record, figures, 0, True)
        self.each(figures, elapsed_s=(record.end["until"] - record.end["from"]) / 1e9)
        # a checkpoint at the time limit may be read when the last transaction has ended
        interval = figures["elapsed_s"] - (last["elapsed_s"] if last else 0)
        self.each(figures, slack=1e-9, interval_s=interval if interval >= 0 else None)
        self._per_second(figures)
        totals = dict(last["total"]) if last else {}
        if last and last["rate"]:
            names = ("offered", "done", "failed", "dropped", "late")
            totals.update({"rate " + k: last["rate"]["total_" + k] for k in names})
        self._growth(figures, totals)
        self._counts(reading, figures)
        samples = sum(c["latency"]["samples"] for c in checkpoints)
        what, samples = "latency.samples of all reports", samples + figures["latency"]["samples"]
        self.same(what, samples, len(record.done))
        previous: Optional[Reading] = None
        for checkpoint, due in zip(checkpoints, self.checkpoints):
            previous = self._reading(checkpoint, ns(due), previous)
        name = "response" if self.rate else "latency"
        before = previous.recorded(name) if previous else record.nothing()
        between = Between(record.of["done"], before, record.everything("done"))
        values = between.range(SERIES["response"], figures["latency"]["samples"])
        self._percentiles("latency.", figures["latency"], values)
        self._stock(figures, values, [previous] if previous else [], name)
        for name, value in SERIES.items() if figures["rate"] else ():
            every = [value(t) for t in record.done]
            self.same("rate.%s_samples" % name, figures["rate"][name + "_samples"], len(every))
            values = Range(every, [], len(every))
            self._percentiles("rate.%s_" % name, part(figures["rate"], name), values)
        self._threads_between(figures["threads"], previous, reading)
        self._undone(figures, previous, reading)

    def _achieved(self, rate: Figures) -> None:
        """Of a schedule that the time limit ended: what was done by then and, of what was not, at
        most as much as is in flight in an unloaded system, and the start due at the very end."""
        assert self.run is not None
        length = next(int(a[7:]) for a in self.run.args if a.startswith("--time="))
        args, log = " ".join(self.run.args), self.record.end
        end = self.record.began + ns(length)
        if not rate or not rate["total_offered"] or not length or not log or log["until"] < end:
            return
        if "--events=" in args or "=aligned" in args:  # which end it at another instant
            return
        done = sum(t.end <= end for t in self.record.done)
        service = sum(t.end - t.begun for t in self.record.done) / 1e9
        usual = rate["target_per_s"] * service / max(len(self.record.done), 1)
        most = min(done + usual + 1, len(self.record.done))
        # a schedule that ends between two starts covers the gap after the last one
        gaps = rate["total_offered"] / rate["target_per_s"]
        whole = gaps if length < gaps < length + 1 / rate["target_per_s"] else length
        bounds = done / whole - 1e-9, most / whole + 1e-9
        self.each(self.document["verdict"], "verdict.", achieved_per_s=bounds)

    def _histograms(self) -> None:
        """Bucket by bucket, of the whole run."""
        self.where = ""
        names = SERIES if self.rate else {"latency": SERIES["response"]}
        self.same("histograms", sorted(self.document["histograms"]), sorted(names))
        for name, value in names.items():
            want = grids.fine(value(t) for t in self.record.done)
            seen = self.document["histograms"].get(name, {"samples": None, "buckets": []})
            self.same("histograms.%s.samples" % name, seen["samples"], sum(want.values()))
            buckets = [(grids.bucket_low(i), grids.bucket_high(i), n) for i, n in want.items()]
            listed = list(map(tuple, seen["buckets"]))
            self.same("histograms.%s.buckets" % name, listed, sorted(buckets))

    def _marks(self) -> None:
        marks, told = self.document["marks"], self.record.header["marks"]
        self.same("marks", [m["text"] for m in marks], [text for _, text in told])
        for mark, (when, _) in zip(marks, told):
            self.near("mark", mark["elapsed_s"], (when - self.record.began) / 1e9, 1e-9)
