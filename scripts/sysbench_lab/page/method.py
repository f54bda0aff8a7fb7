# SPDX-License-Identifier: GPL-2.0-or-later
"""How it was measured, for the page: plan, settings, environments, commands, files beside the page.

All of it is plain text from the results folder; the template escapes it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..plan import labels, mask
from ..statistics import environment, rank_rows

if TYPE_CHECKING:
    from ..statistics.results import Results

MOST_LINES = 400  # of commands.log on the page
FILES = (
    ("runs.csv", "a line a run, all figures"),
    ("table.csv", "a line a cell"),
    ("ranks.csv", "a line for each rank of a run over several load hosts"),
    ("lab.json", "plan, seed, machine"),
    ("environment-difference.txt", "in what the arms differ"),
    ("environment.json", "the environment of each arm"),
    ("commands.log", "every command"),
    ("experiment.toml", "the experiment as it was given"),
)


def parts(results: Results, base: str) -> dict[str, Any]:
    return {
        "plan": plan(results),
        "varies": varies(results),
        "stays": [(k, value_text(v)) for k, v in sorted(results.exp.stays.items())],
        "hooks": [(h.moment, h.at_s, h.command) for h in results.exp.hooks],
        "hosts": hosts(results),
        "environment": environments(results),
        "commands": commands(results),
        "source": mask.toml(text_of(results, "experiment.toml")),
        "flames": flames(results, base),
        "files": files(results, base),
    }


def plan(results: Results) -> list[tuple[str, str]]:
    m = results.exp.measure
    warmup = "%g s" % m.warmup_s
    rows = [
        ("Runs", "%d: %d cells, %d rounds" % sizes(results)),
        ("Each run", "%g s, after a warm-up of %s" % (m.time_s, warmup + steady(m.warmup_steady))),
        ("Order", ORDERS.get(m.order, m.order)),
        ("Seed", "%d, of the order and of the intervals" % m.seed),
        ("Server restarts", RESTARTS.get(m.restart, m.restart)),
        ("Pause between runs", "%g s" % m.pause_s if m.pause_s else ""),
        ("Disturbed", "when other processes use more than %g %% of the CPUs" % m.disturbed_pct),
        ("Objective", m.objective),
        ("Baseline", m.baseline),
    ]
    return [(k, v) for k, v in rows if v]


ORDERS = {
    "abba": "forth and back: each round reverses the order of the one before",
    "shuffle": "shuffled anew for each round",
    "written": "as written, the same in each round",
}
RESTARTS = {"change": "when its settings change", "cell": "before each run", "never": "never"}


def steady(wanted: bool) -> str:
    return " at most, until it is steady" if wanted else ""


def sizes(results: Results) -> tuple[int, int, int]:
    return len(results.plan.runs), len(results.plan.cells), results.exp.measure.repeats


def varies(results: Results) -> list[dict[str, Any]]:
    """Each factor; `plain` if its levels change nothing but the setting of its name."""
    found: list[dict[str, Any]] = []
    for factor in results.exp.factors:
        plain = all(list(level.changes) == [factor.name] for level in factor.levels)
        levels: list[Any] = [
            {"name": level.name, "changes": [(k, value_text(v)) for k, v in level.changes.items()]}
            for level in factor.levels
        ]
        names = ", ".join(level.name for level in factor.levels)
        found.append(
            {
                "name": factor.name,
                "plain": names if plain else "",
                "levels": [] if plain else levels,
            }
        )
    return found


def value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def hosts(results: Results) -> list[dict[str, str]]:
    """What hosts.json says of each, as text."""
    names = ("name", "via", "node", "kernel", "cpus", "model", "version")
    found = rank_rows.hosts_of(results.folder)
    return [{n: str(host.get(n) or "") for n in names} for host in found]


def environments(results: Results) -> dict[str, Any]:
    """What differs between the arms, and what all have in common."""
    every = [set(environment.flat(found).items()) for found in results.environment.values()]
    return {
        "arms": list(results.environment),
        "differences": [(d.key, list(d.values.items())) for d in results.differences],
        "common": sorted(set.intersection(*every)) if every else [],
    }


def commands(results: Results) -> dict[str, Any]:
    lines = text_of(results, "commands.log").splitlines()
    return {
        "total": len(lines),
        "left_out": max(0, len(lines) - MOST_LINES),
        "lines": [
            mask.text(line).split("\t", 3) for line in lines[:MOST_LINES] if line.count("\t") >= 3
        ],
    }


def text_of(results: Results, name: str) -> str:
    try:
        with open(os.path.join(results.folder, name), encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def files(results: Results, base: str) -> list[tuple[str, str, str]]:
    """Address, name and meaning of those that are there."""
    return [
        (quote(base + name), name, meaning)
        for name, meaning in FILES
        if os.path.isfile(os.path.join(results.folder, name))
    ]


def flames(results: Results, base: str) -> list[tuple[str, int, str, str]]:
    """Flame graphs and their differences, which runs left in their folders as SVG.

    Differences come first, and of these the ones with the widths of the slower run.
    """
    found = []
    for row in results.rows:
        folder = os.path.join(results.folder, results.run_path(row))
        cell = labels.cell_text(results.plan.cells[int(row["cell"])])
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".svg"):
                address = quote("%s%s/%s" % (base, results.run_path(row), name))
                found.append((address, row["run"], cell, flame_words(name)))
    slow = {int(r["run"]): r.get("response_mean_ms") or 0 for r in results.rows}
    return sorted(found, key=lambda f: slow[f[1]] * ("minus" in f[3]), reverse=True)


def flame_words(name: str) -> str:
    """What a file of sysbench-flame shows."""
    kind = name.rsplit(".", 2)[-2] if name.count(".") > 1 else ""
    words = {"cpu": "where CPU time goes", "offcpu": "where threads wait"}.get(kind, name)
    other = re.match(r"minus-0*(\d+)\.", name)
    return "%s, minus that of run %s" % (words, other[1]) if other else words
