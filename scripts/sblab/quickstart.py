#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/quickstart: builds the program, then does what `sysbench-lab quickstart` does.

--picture=docs/images/create-index draws the picture of the README again, from the report of a run
that is kept beside it, and does nothing else.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import Sequence

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from sblab.build import SOURCE, build, say  # noqa: E402
from sysbench_lab.servers import process  # noqa: E402

process.hide_passwords()
from sysbench_lab import documents, main  # noqa: E402
from sysbench_lab import quickstart as story  # noqa: E402
from sysbench_lab.servers import command  # noqa: E402


def quickstart(argv: Sequence[str]) -> int:
    p = main.Parser(prog="scripts/quickstart", allow_abbrev=False, add_help=False)
    p.add_argument("--build", default=os.path.join(SOURCE, "build"))
    p.add_argument("--picture")
    args, flags = p.parse_known_args(argv)

    def build_first() -> int:
        os.environ["SB_SYSBENCH"] = os.path.join(os.path.abspath(args.build), "src", "sysbench")
        story.asked(main.parser().parsed(["quickstart", *flags]))  # a build takes minutes
        build(args.build, [])
        return 0

    if args.picture:
        report = documents.read(args.picture + ".json", "report-1")
        say("\n".join(story.draw(report, args.picture)))
        return 0
    return command.status_of("quickstart", build_first) or main.main(["quickstart", *flags])


if __name__ == "__main__":
    words = shlex.split(os.environ.pop("SB_QUICKSTART", ""))
    sys.exit(quickstart([*words, *sys.argv[1:]]))
