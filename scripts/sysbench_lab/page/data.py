# SPDX-License-Identifier: GPL-2.0-or-later
"""Which charts of charts/ are in which section of the page, and what of them can be chosen there.

Numbers are those of runs.csv, digit for digit; medians and intervals are those of stats.py.  Only
figures that some run has are offered.
"""

from __future__ import annotations

import contextlib
from fnmatch import fnmatchcase
from typing import Any, Iterable, Sequence

from ..charts import Chart, Frame, Spec, happened, places
from ..plan import contrasts, found_rate, labels
from ..plan.model import Row, by
from ..results import figures
from ..statistics import answer, stats
from ..statistics.results import Results

# Title, what is first to be seen, and the names that the chart offers; a prefix ends in "*".
# fmt: off
GROUPS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("throughput", "Throughput", "tps",
        ("held_tps", "not_held_tps", "tps", "qps", "done", "late", "unfinished", "dropped")),
    ("response", "Response time", "response_p95_ms", ("response_*", "service_*", "lag_*")),
    ("cpu", "Server CPU", "", ("server_usr_pct",)),
    ("cost", "Per transaction", "server_cpu_us_per_tx",
        ("server_cpu_us_per_tx", "server_switches_per_tx", "instructions_per_tx", "cycles_per_tx",
         "client_cpu_us_per_tx", "client_switches_per_tx", "*_us_per_tx")),
    ("counters", "Hardware counters", "ipc",
        ("ipc", "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct",
         "tx_per_mcycle", "cpu_mhz", "power_w", "power_above_idle_w")),
    ("machine", "Machine", "server_cpu_pct", ("server_*", "client_*", "host_*", "*")),
)
# fmt: on
SEARCHES = (("highest", "Highest rate", found_rate.HELD, (found_rate.HELD, found_rate.MISSED)),)
CAPTIONS = {
    "change": "Above zero is more. A bar has the interval of the change as a line; without three"
    " runs that count on both sides there is no bar. Hollow: not both held the rate.",
    "highest": "The highest rate that held the objective, in the search of each run.",
    "throughput": "What the server did. A constant rate shows as a level line.",
    "response": "With a rate, response time counts from the planned start, so waiting is in it.",
    "cpu": "Share of all CPUs, of the run with the median sum. Solid: user mode; hatched: kernel.",
    "time": "Of the run with the median. Outside: between statements, network and client.",
    "sessions": "Each arm's first run that counts, or has a standstill or jump. Gaps are n/a.",
    "cost": "What one transaction takes. Lower is cheaper.",
    "counters": "From the CPU's performance counters, in the server's threads.",
    "machine": "Of the server's and the load generator's processes, and of the hosts.",
}


BELOW = ("errors_per_s", "connections_away")  # over time, charts of their own
LATE = "lag_p99_ms"  # too, where something happened


def tree(results: Results) -> dict[str, Any]:
    """What is embedded in the page: sections, and the places of points that many series share."""
    shared: dict[tuple[float, ...], int] = {}
    sections = [packed(one, shared) for one in of_page(Frame(results))]
    return {"sections": list(filter(None, sections)), "xs": list(shared)}


def of_page(frame: Frame) -> Iterable[dict[str, Any]]:
    """`beside`: all charts are shown, else one, chosen by `level`; `every`: all panels of it, else
    one, chosen by `figure`; `below`: further panels that are shown with it."""
    searched = all(map(found_rate.searched, frame.cells))
    heading = labels.capital(labels.heading(frame.exp.x)) if frame.exp.x else ""
    level = {"level": heading, "start": start_of(frame)}
    changes = places.changes(frame)
    rated = "server_cpu_us_per_tx" if any(map(answer.rated, frame.cells)) else "tps"
    words = "Change: " + "; ".join(contrasts.compared(frame.exp, frame.cells))
    yield {"id": "change", "title": words, "caption": CAPTIONS["change"], "charts": changes,
           "beside": True, "figure": "Figure", "first": [found_rate.HELD, rated]}  # fmt: skip
    for group in groups(offered(frame.results.rows), searched):
        names = ["cpu"] if group["id"] == "cpu" else group["names"]
        charts = [Chart("", "", w, places.panels_of(frame, names, [w])) for w in frame.works]
        yield {**group, "charts": charts, "beside": True, "figure": "Figure"}
    yield {"id": "time", "title": "Parts of the response time", "caption": CAPTIONS["time"],
           "charts": list(places.time(frame)), "beside": False, **level}  # fmt: skip
    over_time = by(happened.timelines(frame), lambda c: c.kind)
    timelines, outages = over_time.get("timeline", []), happened.outages(frame)
    stages = list(happened.stages(frame))
    known = {p["figure"] for c in timelines for p in c.panels}
    late = [LATE] * bool(outages or stages or "errors_per_s" in known)
    yield {"id": "timeline", "charts": timelines, "figure": "Figure", "first": ["tps"], **level,
           "below": [*BELOW, *late]}  # fmt: skip
    yield {"id": "sessions", "title": "Sessions in the server", "caption": CAPTIONS["sessions"],
           "charts": over_time.get("sessions", []), "every": True, **level}  # fmt: skip
    yield {"id": "stages", "charts": stages, "figure": "Figure", "first": ["tps"], **level}
    yield {"id": "search", "charts": list(happened.searches(frame)), "every": True, **level}
    yield {"id": "outages", "charts": outages, "every": True, "level": "Run", "start": ""}
    percentiles = [] if searched else happened.percentiles(frame)
    yield {"id": "percentiles", "charts": percentiles, "figure": heading, "first": [level["start"]]}


def packed(section: dict[str, Any], shared: dict[tuple[float, ...], int]) -> dict[str, Any] | None:
    """Without the charts that have no point; None if there is none."""
    charts: Sequence[Chart] = [c for c in section["charts"] if c.panels]
    if not charts:
        return None
    keys = list(dict.fromkeys(p["figure"] for c in charts for p in c.panels))
    first = next((n for n in section.get("first", ()) if n in keys), keys[0])
    names = [(n, title_of(n)) for n in keys]
    found = [{"title": c.title, "level": c.level, "panels": [copied(p, shared) for p in c.panels],
              "listed": c.listed, "below": c.below} for c in charts]  # fmt: skip
    return {**section, "charts": found, "figures": names, "first": first}


def copied(panel: Spec, shared: dict[tuple[float, ...], int]) -> Spec:
    series = [dict(s) for s in panel["series"]]
    for s in (s for s in series if "xs" in s):
        s["xs"] = shared.setdefault(tuple(s["xs"]), len(shared))
    return {**panel, "series": series}


def title_of(name: str) -> str:
    with contextlib.suppress(KeyError):
        return figures.column(name).title
    return name  # of a level


def start_of(frame: Frame) -> str:
    """The last level at which every arm held the rate, else the last one."""
    levels = frame.levels()
    good = [n for n, cells in levels.items() if all(s.held and not s.flag for s in cells)]
    return [*levels, *good][-1] if levels else ""


def offered(rows: Sequence[Row]) -> list[str]:
    """Names of the figures that some run has, in the order of runs.csv."""
    names = dict.fromkeys(k for row in rows for k in row if stats.is_figure(k))
    return [n for n in names if any(stats.number(row.get(n)) for row in rows)]


def groups(names: Sequence[str], of_searches: bool = False) -> list[dict[str, Any]]:
    """The charts over the horizontal axis; each figure is in the first group that wants it."""
    left, found = list(names), []
    for ident, title, first, wanted in SEARCHES if of_searches else GROUPS:
        mine = list(dict.fromkeys(n for w in wanted for n in left if fnmatchcase(n, w)))
        if not mine:
            continue
        left = [n for n in left if n not in mine] if ident != "cpu" else left
        # a search has an answer; its throughput is that of all the rates that it tried
        words: dict[str, Any] = {"id": ident, "title": title, "caption": CAPTIONS[ident]}
        found.append({**words, "names": mine, "first": [found_rate.HELD, first]})
    return found
