#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One transaction rate, a growing number of connections, two thread schedulers.

Builds the program, then runs the example half-load of sysbench-lab.  It starts a private MariaDB,
finds out what that can do, and offers half of it with each number of connections under
one-thread-per-connection and pool-of-threads.  The rate is constant, so the work is the same in
every run: differences in the server's CPU and in the latency are the overhead of the connections.

Beside the results it leaves the curve as connections.svg and connections-dark.svg (matplotlib);
--picture=docs/images/connections writes these of the README.

All other flags are those of `sysbench-lab run`: --tx-rate=500, --threads=16,64, --time=30 ...
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from typing import Sequence

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from sblab import LabError  # noqa: E402
from sblab.build import SOURCE, build, say  # noqa: E402
from sysbench_lab.servers import process  # noqa: E402

process.hide_passwords()
from sysbench_lab import commands, main, paths, visible  # noqa: E402
from sysbench_lab.statistics.results import Results  # noqa: E402

EXAMPLE = os.path.join(paths.examples(), "half-load.toml")
NEXT = """
Next:
  %(lab)s examples     # other experiments
  %(lab)s run constant-rate --tx-rate='50 %% of p99<100ms'     # longer, to 2,048 connections
On your own server:
  server="--mysql-host=HOST --mysql-user=USER --mysql-password=... --mysql-db=sbtest"
  %(sysbench)s oltp_read_only $server --tables=4 --table-size=50000 --threads=4 prepare
  %(sysbench)s oltp_read_only $server --tables=4 --table-size=50000 --threads=128 \\
      --tx-rate=500 --time=60 --report-interval=1 run

%(seconds).0f s"""


def quickstart(argv: Sequence[str]) -> int:
    began = time.monotonic()
    p = main.Parser(
        prog="scripts/quickstart",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--build", default=os.path.join(SOURCE, "build"), metavar="PATH")
    where = os.path.join("results", time.strftime("half-load-%Y%m%d-%H%M%S"))
    p.add_argument("--results", default=where, metavar="DIR")
    p.add_argument("--picture", default="", metavar="PATH", help="PATH.svg and PATH-dark.svg")
    try:
        args, flags = p.parse_known_args(argv)
        sysbench = os.path.join(os.path.abspath(args.build), "src", "sysbench")
        line = ["run", EXAMPLE, "--set=client.program=" + sysbench, *flags]
        line.append("--results=" + args.results)
        commands.asked(main.parser().parsed(line))  # before a build that takes minutes
        build(args.build, [])
    except LabError as e:
        sys.stderr.write("quickstart: %s\n" % visible(str(e)))
        return 1
    except KeyboardInterrupt:
        return 130
    status = main.main(line)
    if status == 0:
        try:
            from sysbench_lab.pictures import front

            picture = args.picture or os.path.join(args.results, "connections")
            for path in front.draw(Results(args.results), picture):
                say("picture: " + path)
        except (ImportError, LabError) as e:
            say("no picture: %s" % e)
        lab = os.path.relpath(os.path.join(SOURCE, "scripts", "sysbench-lab"))
        seconds = time.monotonic() - began
        say(NEXT % {"lab": lab, "sysbench": os.path.relpath(sysbench), "seconds": seconds})
    return status


if __name__ == "__main__":
    words = shlex.split(os.environ.pop("SB_QUICKSTART", ""))
    sys.exit(quickstart([*words, *sys.argv[1:]]))
