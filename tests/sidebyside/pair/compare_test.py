# SPDX-License-Identifier: GPL-2.0-or-later
"""A difference is explained when it is exactly the one that is written down, and not otherwise."""

from __future__ import annotations

import os
import tempfile
import unittest
from typing import Sequence

from pair import PairError, Step, Steps, cases, compare, golden, servers

from .cases import Section

KNOWN = {"known", "other"}


def step(out: Sequence[str], status: str = "0") -> Step:
    return {"exit": [status], "stdout": list(out), "stderr": []}


class Verdicts(unittest.TestCase):
    def judge(
        self, stock: Step, ours: Step, ids: Sequence[str] = (), expected: Sequence[str] = ()
    ) -> str:
        case = cases.Case("s", 1, "cpu run")
        case.ids, case.expected = list(ids), list(expected)
        found = compare.difference([stock], [ours])
        return compare.judge(case, found, KNOWN)[0]

    def test_each_stream_counts(self) -> None:
        self.assertEqual(self.judge(step("a"), step("a")), compare.EQUAL)
        others = [step("b"), step("a", "1")]
        others += [dict(step("a"), **{s: ["x"]}) for s in ("stderr", "sql", "tables")]
        for other in others:
            self.assertEqual(self.judge(step("a"), other), compare.UNEXPLAINED, other)

    def test_explained_to_the_letter(self) -> None:
        """Neither more nor less than is written down; a pattern takes added lines only."""
        letter, pattern = ["@ 1 stdout", "-b", "+c"], ["@ 1 stdout", "+* new \\d+"]
        rows: list[tuple[Step, Step, list[str], list[str], bool]] = [
            (step("ab"), step("ac"), ["known"], letter, True),
            (step("ab"), step("ac"), ["known", "other"], letter, True),
            (step("ab"), step("ac"), [], letter, False),
            (step("ab"), step("ac"), ["unheard-of"], letter, False),
            (step("ab"), step("ac"), ["known", "?"], letter, False),
            (step("ab"), step("acd"), ["known"], letter, False),
            (step("b"), step("c", "1"), ["known"], letter, False),
            (step("a"), step("a"), ["known"], letter, False),
            (step("a"), step(["a", "new 1", "new 2"]), ["known"], pattern, True),
            (step("a"), step(["a", "new 1", "old"]), ["known"], pattern, False),
            (step(["a", "new 1"]), step("a"), ["known"], pattern, False),
            (step("a"), step("a"), ["known"], pattern, False),
        ]
        for stock, ours, ids, expected, good in rows:
            want = compare.EXPLAINED if good else compare.UNEXPLAINED
            self.assertEqual(self.judge(stock, ours, ids, expected), want, (ours, ids, expected))


class Files(unittest.TestCase):
    TEXT = (
        "# remark\n\ncpu run\n[counts sql] a $MYSQL b ; \\\n! c | d\n    ~ one, two\n"
        "    @ 2 exit\n    -0\n    +1\nlast\n"
    )

    def section(self, text: str) -> Section:
        made = tempfile.TemporaryDirectory(prefix="sb-pair-")
        self.addCleanup(made.cleanup)
        directory = made.name
        with open(os.path.join(directory, "x.txt"), "w") as f:
            f.write(text)
        return cases.load(directory)[0]

    def test_read(self) -> None:
        s = self.section(self.TEXT)
        self.assertEqual([c.number for c in s.cases], [3, 4, 10])
        c = s.cases[1]
        self.assertEqual(
            (c.tags, c.needs, c.steps, c.ids, c.expected),
            (
                {"counts", "sql"},
                ["mariadb"],
                ["a $MYSQL b", "! c | d"],
                ["one", "two"],
                ["@ 2 exit", "-0", "+1"],
            ),
        )

    def test_written_as_it_was_read(self) -> None:
        s = self.section(self.TEXT)
        s.write()
        with open(s.path) as f:
            self.assertEqual(f.read(), self.TEXT)

    def test_bad_files(self) -> None:
        for text in ("[nosuch] cpu run\n", "cpu run\n    what is this\n", "cpu run\ncpu run\n"):
            with self.assertRaises(PairError):
                self.section(text)

    def test_golden_data_come_back(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            case = cases.Case("s", 1, "[sql] x")
            steps: Steps = [
                {"exit": ["0"], "sql": ["1 Query a", "| b", ""], "tables": []},
                {"sql": ["= c"]},
            ]
            golden.write(directory, "s", [(case, steps)])
            self.assertEqual(
                golden.read(directory, "s"),
                {"[sql] x": [{"sql": ["1 Query a", "| b", ""], "tables": []}, {"sql": ["= c"]}]},
            )

    def test_every_id_is_documented_and_used_ids_are_names(self) -> None:
        here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
        known = cases.documented(os.path.join(here, "..", "..", "docs", "differences.md"))
        used = {i for s in cases.load(os.path.join(here, "cases")) for c in s.cases for i in c.ids}
        self.assertEqual(used - known, set())
        self.assertGreater(len(known), 50)


class Logs(unittest.TestCase):
    MARIADB = (
        "261121 10:44:02\t     5 Connect\tsbtest@localhost on db using Socket\n"
        "\t\t     6 Connect\tsbtest@localhost on other using Socket\n"
        "\t\t     5 Query\tCREATE TABLE t(\n  id INT)\n"
        "\t\t     6 Query\tSELECT 'not ours'\n"
        "\t\t     7 Connect\tsbtest@localhost on db using Socket\n"
        "\t\t     5 Prepare\tSELECT ?\n\t\t     7 Quit\t\n\t\t     5 Execute\tSELECT 1\n"
        "\t\t     5 Quit\t\n"
    )
    POSTGRES = (
        "9|[unknown]|LOG:  connection received: host=[local]\n"
        "8|db|LOG:  disconnection: session time: 0:00:00\n"
        "9|db|LOG:  connection authorized: user=sbtest database=db application_name=x\n"
        "9|db|LOG:  duration: 1.506 ms  statement: CREATE TABLE t(\n\t  id INT)\n"
        "9|db|LOG:  duration: 0.003 ms  bind s1: SELECT $1\n"
        "9|db|DETAIL:  parameters: $1 = '3'\n"
        "9|db|DETAIL:  Parameters: $1 = '4'\n"
        "7|other|LOG:  duration: 0.003 ms  statement: SELECT 'not ours'\n"
    )

    def test_mariadb(self) -> None:
        lines, still_open = servers.MariaDB.parse(self.MARIADB, "db")
        self.assertFalse(still_open)
        self.assertEqual(
            lines,
            [
                "1 Connect sbtest@localhost on $MYDB using Socket",
                "1 Query CREATE TABLE t(\\n  id INT)",
                "idle Connect sbtest@localhost on $MYDB using Socket",
                "1 Prepare SELECT ?",
                "1 Execute SELECT 1",
                "1 Quit",
                "idle Quit",
            ],
        )

    def test_postgresql(self) -> None:
        lines, still_open = servers.PostgreSQL.parse(self.POSTGRES, "db")
        self.assertTrue(still_open)
        self.assertEqual(
            lines,
            [
                "1 connect",
                "1 statement: CREATE TABLE t(\\n  id INT)",
                "1 bind s1: SELECT $1",
                "1 detail parameters: $1 = '3'",
                "1 detail parameters: $1 = '4'",
            ],
        )

    def test_long_texts_keep_what_tells_them_apart(self) -> None:
        a, b = "x" * 1000, "x" * 999 + "y"
        self.assertNotEqual(servers.shorten(a), servers.shorten(b))
        self.assertLess(len(servers.shorten(a)), 200)


if __name__ == "__main__":
    unittest.main()
