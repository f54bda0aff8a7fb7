# SPDX-License-Identifier: GPL-2.0-or-later
"""Directories of sysbench-lab and single json reports of sysbench as sources of a comparison."""

import re
from typing import Any, Iterable

from .. import LabError, documents, failing
from ..plan.model import Measure, by
from ..results import figures
from ..run import disturbance
from ..statistics import stats
from ..statistics.results import Results
from . import Source, SourceCell

SCHEMA = "sysbench-tx/report/1"
NO_LOAD = re.compile(  # options that say where to connect or what to write, and aliases
    r"server|label|raw-log|mark-on|verbosity|debug|histogram|num-threads|max-(time|requests)"
    r"|(report|cluster|defaults|metrics)-.*|server-(host|via|profile-file)"
    r"|.*(-(host|port|socket|user|password|db)|file|address)"
)


def read(path: str, name: str) -> Source:
    results = Results(path)
    varied = {f.name for f in results.exp.factors if len(f.levels) > 1}  # one tells nothing apart
    rows, levels = by(results.rows, lambda row: row["cell"]), [c.levels for c in results.plan.cells]
    labels = [{k: level for k, level in of.items() if k in varied} for of in levels]
    cells = [SourceCell(of, rows.get(number, [])) for number, of in enumerate(labels)]
    firsts = {r["cell"]: r for r in reversed(results.rows)}
    load = load_of(results.report(row) or {} for _, row in sorted(firsts.items()))
    notes = []
    if results.state != "done":
        done, planned = len(results.rows), len(results.plan.runs)
        notes.append("%s is not finished: %d of %d runs" % (name, done, planned))
    seed = results.exp.measure.seed
    return Source(name, "lab", cells, results.environment, load, notes, seed)


def load_of(reports: Iterable[Any]) -> dict[str, list[str]]:
    """What sysbench was asked to do, by option; several values where the cells have several."""
    found: dict[str, list[str]] = {}
    for run in (report.get("run") or {} for report in reports):
        options = (run.get("options") or {}).get("effective") or {}
        for name, value in {"script": run.get("test"), **options}.items():
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            values = found.setdefault(name.replace("_", "-"), [])
            values += [text] * (text not in values)
    return {name: values for name, values in found.items() if not NO_LOAD.fullmatch(name)}


def of_report(path: str, name: str, text: str) -> Source:
    with failing(path + " is no JSON document", ValueError):
        found = documents.tree_of(text)
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise LabError("%s is no json report of sysbench: its schema is not %s" % (path, SCHEMA))
    tree = documents.checked(path, found, "report-1")
    row = figures.row_of(tree)
    row["others_cpu_pct"] = disturbance.others_pct(tree)
    row["steal_pct"] = figures.get(tree, "summary", "host", "cpu_stolen_pct")
    row["disturbed"] = stats.disturbed(row, Measure())
    cut = ""
    if row["status"] != "done":
        end = (tree.get("end") or {}).get("status") or "unfinished"
        cut = "%s is the report of a run that did not complete: %s" % (name, end)
        row["status"] = "done"  # what it has is what there is
    labels = {"load.threads": str(row["clients"])} if row["clients"] is not None else {}
    environment = tree.get("environment") or {}
    cells, load = [SourceCell(labels, [row])], load_of([tree])
    missing = figures.get(tree, "summary", "missing") or {}
    notes = [cut] * bool(cut)
    return Source(name, "json report", cells, {"": environment}, load, notes, 1, missing, cut)
