# SPDX-License-Identifier: GPL-2.0-or-later
"""What the masking hides, and above all what it does not."""

from __future__ import annotations

import unittest

from pair import forms, mask

TIME = "    total time:                          0.0443s"
LEAST = "         min:                                    0.38"
P95 = "         95th percentile:                        4.18"
EVENTS = "    total number of events:              100"
DONE = "    transactions:                        100    (2203.69 per sec.)"
RECONNECTS = "    reconnects:                          0      (0.00 per sec.)"
LINE = "[ 1s ] thds: 1 tps: 5.00 qps: 1.00 (r/w/o: 1.00/0.00/0.00)"
LINE += " lat (ms,95%): 1.00 err/s: 0.00 reconn/s: 0.00"
EPS = "[ 1s ] thds: 2 eps: 19.94 lat (ms,95%): 99.33"


class Forms(unittest.TestCase):
    def masked(self, line: str, old: str, new: str, counts: bool = False) -> bool:
        """Is the line the same with the one and the other?"""
        self.assertIn(old, line)
        other = line.replace(old, new)
        return forms.mask_line(line, counts) == forms.mask_line(other, counts)

    def test_figures(self) -> None:
        """Measured ones are masked; columns, decimals and words are not, nor are counts, time
        stamps and threads, nor a figure that is 0."""
        for line, old, new, counts, same in (
            (TIME, "0.0443s", "123.4567s", False, True),
            (LEAST, "  0.38", "100.38", False, True),
            (P95, " 4.18", "14.18", False, True),
            (LEAST, " 0.38", "0.38", False, False),
            (TIME, " 0.0443s", "0.0443s", False, False),
            (P95, "4.18", " 4.18", False, False),
            (TIME, "0.0443s", "0.044s", False, False),
            (LEAST, " 0.38", "0.380", False, False),
            (TIME, "total", "Total", False, False),
            (P95, "95th", "99th", False, False),
            (EVENTS, "100", "101", False, False),
            (EVENTS, "100", "101", True, True),
            (DONE, "2203.69", "1.00", False, True),
            (DONE, "100    (2203.69", "4711   (1.00", True, True),
            (DONE, "100    (2203.69", "12345678 (1.00", True, True),
            (DONE, "100    (", "100 (", True, False),
            (DONE, "100    (", "4711    (", True, False),
            (LINE, "tps: 5.00", "tps: 7.00", False, True),
            (LINE, "tps: 5.00", "tps: 0.00", False, False),
            (RECONNECTS, "(0.00", "(0.10", False, False),
            (EPS, "1s", "2s", False, False),
            (EPS, "thds: 2", "thds: 1", False, False),
            (EPS, "95%", "99%", False, False),
            ("FATAL: error 1045", "1045", "1046", False, False),
            ("Creating table 'sbtest1'...", "sbtest1", "sbtest2", False, False),
            ("my result: 1.50", "1.50", "1.51", True, False),
        ):
            self.assertEqual(self.masked(line, old, new, counts), same, (line, old, new))

    def test_what_is_no_number_is_not_masked(self) -> None:
        line = "         avg:                                     nan"
        self.assertEqual(forms.mask_line(line, True), line)

    def test_every_form_takes_what_it_prints(self) -> None:
        for form in forms.TABLE:
            line = "".join(p if isinstance(p, str) else self.figure(*p) for p in form.parts)
            self.assertIsNotNone(form.apply(line, False), line)

    @staticmethod
    def figure(directive: str, flag: str, width: int, left: bool, kind: str) -> str:
        decimals = directive.split(".")[1][:-1] if "." in directive else ""
        number = "7." + "5" * int(decimals) if kind == "f" else "7"
        return number.ljust(width) if left else number.rjust(width)


class Histogram(unittest.TestCase):
    GOOD = [
        "       0.285 |**************************************** 23",
        "       0.291 |*****                                    3",
    ]

    def test_well_drawn_rows_become_one_line(self) -> None:
        self.assertEqual(len(mask.fold_histograms(["a"] + self.GOOD + ["b"])), 3)

    def test_badly_drawn_rows_stay(self) -> None:
        for bad in (
            "       0.291 |***                                      3",  # too few stars
            "       0.280 |*****                                    3",  # not ascending
            "      0.291 |*****                                    3",  # moved
            "       0.291 |*****                                   3",
        ):  # narrow
            rows = [self.GOOD[0], bad]
            self.assertEqual(mask.fold_histograms(rows), rows)


ERROR = "           2     0.004     0.012  duplicate 1062 (23000): Duplicate entry"
SILENT = "      longest time without success:      0.088 s, to the end"
SAID = ".lua:243: SQL error, errno = 1050"
SHARED = "/usr/share/sysbench/oltp_common" + SAID
OTHER = SAID.replace("243", "115")
FIRST = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n"
INTERVAL = "[ 1s ] thds: 1 eps: 1.00 lat (ms,95%): 1.00\n"
LAST = INTERVAL.replace("1s", "2s")
# two texts, whether they are the same, tags, seconds of the run
ROWS: tuple[tuple[str, str, bool, str, int], ...] = (
    # times of errors are masked, and nothing else of them
    (ERROR, ERROR.replace("0.012", "9.120"), True, "", 0),
    (ERROR, ERROR.replace("2 ", "3 ", 1), False, "", 0),
    (ERROR, ERROR.replace("1062", "1063"), False, "", 0),
    (ERROR, ERROR + ".", False, "", 0),
    (SILENT, SILENT.replace("0.088", "1.500"), True, "", 0),
    (SILENT, SILENT[:-12], False, "", 0),
    # positions in scripts that are not the user's
    (SHARED, "sysbench-tx/oltp_tables" + OTHER, True, "", 0),
    ("FATAL: " + SHARED, "FATAL: /opt/share/sysbench/oltp_tables" + OTHER, True, "", 0),
    (SHARED, "/home/me/own" + OTHER, False, "", 0),
    (SHARED, "lua/sysbench-tx/own" + OTHER, False, "", 0),
    ("FATAL: lua/own" + SAID, "FATAL: lua/own" + OTHER, False, "", 0),
    # the version in its two lines only
    (FIRST, FIRST.replace("1.0.20", "1.1.0"), True, "", 0),
    (FIRST, FIRST.replace("(", "(sysbench-tx 1.2.0, "), False, "", 0),
    (FIRST, FIRST.replace("(", "(fork 1.2.0, "), False, "", 0),
    (FIRST, FIRST.replace("system ", ""), False, "", 0),
    ("sysbench 1.0.20\n", "sysbench 1.1.0-3ceba0b\n", True, "", 0),
    ("x sysbench 1.0.20\n", "x sysbench 1.2.0\n", False, "", 0),
    # empty lines, the last newline and control characters count
    ("a\n\nb\n", "a\nb\n", False, "", 0),
    ("a\n", "a", False, "", 0),
    ("a\n", "a\n\n", False, "", 0),
    ("a\0\n", "a\n", False, "", 0),
    # the line at the end of a run may be missing
    (INTERVAL + LAST, INTERVAL, True, "", 2),
    (INTERVAL + LAST, INTERVAL, False, "", 3),
    ("[ 2s ] Checkpoint report:\n", "", False, "", 2),
    # so does the order, unless it is told otherwise
    ("a\nb\n", "b\na\n", False, "", 0),
    ("a\nb\n", "b\na\n", True, "sorted", 0),
    ("a b\nc\n", "a\nb c\n", False, "sorted", 0),
    ("ab c\nd\n", "dab\n\nc\n", True, "letters", 0),
    ("ab\nd\n", "ab\nd\nd\n", False, "letters", 0),
)


class Normalise(unittest.TestCase):
    def test_what_is_the_same(self) -> None:
        for a, b, same, tags, seconds in ROWS:
            masked = [mask.normalise(text, tags.split(), seconds) for text in (a, b)]
            self.assertEqual(masked[0] == masked[1], same, (a, b))
        self.assertEqual(mask.normalise(""), [])
        self.assertEqual(mask.normalise("a\tb\r\n"), ["a\tb\\x0d"])


if __name__ == "__main__":
    unittest.main()
