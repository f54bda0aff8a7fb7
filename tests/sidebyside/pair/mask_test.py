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


class Normalise(unittest.TestCase):
    def test_times_of_errors_are_masked_and_nothing_else_of_them(self) -> None:
        row = "           2     0.004     0.012  duplicate 1062 (23000): Duplicate entry"
        later = row.replace("0.012", "9.120")
        self.assertEqual(mask.normalise(row), mask.normalise(later))
        silent = "      longest time without success:      0.088 s, to the end"
        self.assertEqual(mask.normalise(silent), mask.normalise(silent.replace("0.088", "1.500")))
        self.assertNotEqual(mask.normalise(silent), mask.normalise(silent[:-12]))
        for other in (row.replace("2 ", "3 ", 1), row.replace("1062", "1063"), row + "."):
            self.assertNotEqual(mask.normalise(row), mask.normalise(other))

    def test_positions_in_scripts_that_are_not_the_users(self) -> None:
        said = ": SQL error, errno = 1050"
        stock = mask.normalise("/usr/share/sysbench/oltp_common.lua:243" + said)
        self.assertEqual(stock, mask.normalise("sysbench-tx/oltp_tables.lua:115" + said))
        for other in ("/home/me/own.lua:115", "lua/sysbench-tx/own.lua:115"):
            self.assertNotEqual(stock, mask.normalise(other + said))

    def test_version_is_masked_in_its_two_lines_only(self) -> None:
        stock = mask.normalise("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n")
        luajit = "using system LuaJIT 2.1.0-beta3)\n"
        self.assertEqual(stock, mask.normalise("sysbench 1.1.0 (" + luajit))
        self.assertNotEqual(stock, mask.normalise("sysbench 1.0.20 (sysbench-tx 1.2.0, " + luajit))
        self.assertNotEqual(stock, mask.normalise("sysbench 1.0.20 (fork 1.2.0, " + luajit))
        self.assertNotEqual(stock, mask.normalise("sysbench 1.0.20 (using LuaJIT 2.1.0-beta3)\n"))
        self.assertEqual(
            mask.normalise("sysbench 1.0.20\n"), mask.normalise("sysbench 1.1.0-3ceba0b\n")
        )
        self.assertNotEqual(
            mask.normalise("x sysbench 1.0.20\n"), mask.normalise("x sysbench 1.2.0\n")
        )

    def test_empty_lines_and_the_last_newline_count(self) -> None:
        self.assertNotEqual(mask.normalise("a\n\nb\n"), mask.normalise("a\nb\n"))
        self.assertNotEqual(mask.normalise("a\n"), mask.normalise("a"))
        self.assertNotEqual(mask.normalise("a\n"), mask.normalise("a\n\n"))
        self.assertEqual(mask.normalise(""), [])

    def test_control_characters_are_seen(self) -> None:
        self.assertNotEqual(mask.normalise("a\0\n"), mask.normalise("a\n"))
        self.assertEqual(mask.normalise("a\tb\r\n"), ["a\tb\\x0d"])

    def test_the_line_at_the_end_of_a_run_may_be_missing(self) -> None:
        text = "[ 1s ] thds: 1 eps: 1.00 lat (ms,95%): 1.00\n"
        last = "[ 2s ] thds: 0 eps: 1.00 lat (ms,95%): 1.00\n"
        self.assertEqual(mask.normalise(text + last, seconds=2), mask.normalise(text, seconds=2))
        self.assertNotEqual(mask.normalise(text + last, seconds=3), mask.normalise(text, seconds=3))
        report = "[ 2s ] Checkpoint report:\n"
        self.assertNotEqual(mask.normalise(report, seconds=2), [])

    def test_order_counts_unless_told(self) -> None:
        self.assertNotEqual(mask.normalise("a\nb\n"), mask.normalise("b\na\n"))
        self.assertEqual(mask.normalise("a\nb\n", {"sorted"}), mask.normalise("b\na\n", {"sorted"}))
        self.assertNotEqual(
            mask.normalise("a b\nc\n", {"sorted"}), mask.normalise("a\nb c\n", {"sorted"})
        )
        self.assertEqual(
            mask.normalise("ab c\nd\n", {"letters"}), mask.normalise("dab\n\nc\n", {"letters"})
        )
        self.assertNotEqual(
            mask.normalise("ab\nd\n", {"letters"}), mask.normalise("ab\nd\nd\n", {"letters"})
        )

    def test_only_the_users_own_lines_count(self) -> None:
        self.assertEqual(
            mask.normalise("FATAL: /usr/share/sysbench/oltp_common.lua:28: x\n"),
            mask.normalise("FATAL: /opt/share/sysbench/oltp_tables.lua:31: x\n"),
        )
        self.assertNotEqual(
            mask.normalise("FATAL: lua/own.lua:28: x\n"),
            mask.normalise("FATAL: lua/own.lua:31: x\n"),
        )


if __name__ == "__main__":
    unittest.main()
