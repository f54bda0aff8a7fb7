# SPDX-License-Identifier: GPL-2.0-or-later
"""Which cells can share tables.

Tables are made again when an option changes that `prepare` has looked at.  sysbench tells which
these are when it runs (--options-read); until then, or of a sysbench that does not tell, it may be
any option that is not sysbench's own.  What the tests that come with sysbench look at is known.

    key(settings, reads)    equal for cells that can share tables; reads: what prepare looked at
    before(settings)        its `reads` when prepare has not run yet

plan.py counts by it, and runner.py decides by it.
"""

from __future__ import annotations

import re
from typing import Collection, Optional

from . import mask
from .keys import part
from .model import BUILT_IN, Settings

Reads = Optional[Collection[str]]  # options that a prepare has looked at; None: not known

# Options of a run: prepare and cleanup do not get them.
RUN_ONLY = re.compile(
    r"threads|events|rate|tx-.*|think-time|workers|percentile|histogram|report-.*"
    r"|warmup-time|forced-shutdown|thread-init-timeout|label|metrics-listen|mark-on|raw-log|at|do"
    r"|server|server-.*|settle|host-stats|idle-connections|prepare(\..*)?|script"
)

# Others of sysbench itself: they are no test's, and shape no table unless a prepare looks at them.
OWN = re.compile(
    r"time|warmup-until|thread-stack-size|debug|validate|help|version|verbose|verbosity"
    r"|options-read|luajit-cmd|max-requests|max-time|num-threads|min-clients|trx-retries|cluster.*"
    r"|rand-(type|spec-iter|spec-pct|spec-res|seed|pareto-h|zipfian-exp)|db-ps-mode|db-debug"
    r"|prepare-method|on-error|connect-timeout|query-timeout|max-result-size|source-address"
    r"|mysql-(user|password.*|ssl.*|tls-version|cleartext|local-infile|protocol|compression.*"
    r"|debug|ignore-errors|dry-run)|pgsql-(user|password.*|sslmode|ignore-errors)"
    # old names, and what is part of another option now
    r"|intermediate-result-timer|batch|batch-delay|init-rng|rand-init|seed-rng|lua-state"
    r"|worker-(warn|batch)|error-backoff|events-of|reconnect-rate"
)

# Which server and database, and options that stand for others: always.
PLACE = re.compile(
    r"db-driver|(mysql|pgsql|drizzle)-(host|port|socket|db)|mysql-url|defaults-.*"
    r"|mysql-read-defaults|config-file|compat|prepare\..+"
)

OLTP = re.compile(
    r"oltp_(read_(only|write)|write_only|point_select|update_(non_)?index|delete|insert)"
    r"|select_random_(points|ranges)"
)
READ = {
    "oltp": "tables table-size auto-inc create-secondary create-table-options secondary"
    " mysql-storage-engine pgsql-variant prepare-method prepare-resume mysql-table-engine"
    " mysql-create-options mysql-table-options",
    "bulk_insert": "",
    "fileio": "file-num file-total-size file-block-size validate",
    **dict.fromkeys(BUILT_IN[:-1], ""),
}
# Names of 0.4 and 0.5 that are more than "oltp-" and today's name.
RENAMED = {"tables-count": "tables", "num-tables": "tables"}


def test_of(settings: Settings) -> str:
    """Tests of one family make the same tables."""
    script = str(settings["load.script"])
    return "oltp" if OLTP.fullmatch(script) else script


def before(settings: Settings) -> Reads:
    """What is known of a test before its prepare has run; None: nothing."""
    test = test_of(settings)
    return frozenset(READ[test].split()) if test in READ else None


def is_data(name: str, reads: Reads) -> bool:
    """May this option, without "load.", change the tables?"""
    if PLACE.fullmatch(name):
        return True
    if RUN_ONLY.fullmatch(name):
        return False
    if reads is None:
        return not OWN.fullmatch(name)
    rest = name[len("oltp-") :] if name.startswith("oltp-") else name
    return not {name, rest, RENAMED.get(rest, rest)}.isdisjoint(reads)


def key(settings: Settings, reads: Reads) -> str:
    """Equal for cells that can share tables."""
    options = part(settings, "load.")
    shape = ["load.%s=%s" % (k, mask.value("load." + k, v)) for k, v in options.items()
             if is_data(k, reads)]  # fmt: skip
    return " ".join([test_of(settings), *sorted(shape)])


def read_in(text: str) -> Reads:
    """What --options-read wrote."""
    return frozenset(name.replace("_", "-") for name in text.split())
