# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of this directory; run by scripts/check, or by

    python3 -m unittest discover -s scripts/sblab -t scripts -p '*_test.py'

With them run those of the private servers (scripts/sysbench_lab/servers), which do without pytest.
SB_NO_SERVER in the environment skips those that start a server.
"""

from __future__ import annotations

import os
import unittest

from sblab.build import SOURCE
from sysbench_lab.readers import own_text as report


def load_tests(
    loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None
) -> unittest.TestSuite:
    """For unittest: adds the tests of the private servers to those of this file."""
    tests.addTests(loader.loadTestsFromName("sysbench_lab.servers.servers_test"))
    return tests


class Text(unittest.TestCase):
    def test_report(self) -> None:
        with open(os.path.join(SOURCE, "tests", "data", "report-rate.txt")) as f:
            v = report.parse(f.read())
        want = {
            "target": 500,
            "offered": 2500,
            "done": 2500,
            "failed": 0,
            "dropped": 0,
            "unfinished": 0,
            "sustained": "yes",
        }
        self.assertEqual({k: v[k] for k in want}, want)
        for key in (
            "tps",
            "achieved",
            "latency_avg",
            "response_p50",
            "response_max",
            "service_p99",
            "lag_mean",
            "server_usr_pct",
            "server_sys_pct",
            "server_cpu_us_tx",
            "server_switches_tx",
            "server_threads",
            "server_rss_mib",
            "client_cpu_pct",
        ):
            self.assertIsNotNone(v[key], key)
        self.assertRegex(
            v["why"],
            r"^but the load generator woke up late, by up to .* idle client\); "
            r"give it more CPU time$",
        )  # wrapped there
        self.assertAlmostEqual(
            v["server_usr_pct"] + v["server_sys_pct"], v["server_cpu_pct"], delta=0.02
        )

    def test_report_with_more_percentiles_in_the_words_of_1_1(self) -> None:
        v = report.parse(
            "Throughput:\n    time elapsed:      4.0123s\n    total number of events:  9\n\n"
            "Rate:\n    target:     50.00 per sec.\n"
            "    ms             p10     p50     p95     p99   p99.9  maximum    mean\n"
            "    response     2.000   5.000  20.000  30.000  40.000  100.000   7.500\n"
            "    service        n/a   4.000     n/a  28.000     n/a  100.000   7.000\n\n"
        )
        want = {
            "seconds": 4.0123,
            "events": 9,
            "response_p50": 5,
            "response_p95": 20,
            "response_p99": 30,
            "response_p99.9": 40,
            "response_max": 100,
            "response_mean": 7.5,
            "service_p95": None,
            "service_mean": 7,
            "lag_p50": None,
        }
        self.assertEqual({k: v[k] for k in want}, want)

    def test_report_with_percentiles_in_two_stripes_and_all_lines(self) -> None:
        v = report.parse(
            "Rate:\n"
            "    ms             p10     p50     p95     p99\n"
            "    response     2.000   5.000  20.000  30.000\n"
            "    ms           p99.9  maximum    mean\n"
            "    response    40.000  100.000   7.500\n\n"
            "Server: mariadbd\n"
            "    CPU, % of one CPU:                   usr 23.75 sys 4.15 total 27.90\n\n"
        )
        want = {
            "response_p10": 2,
            "response_p99": 30,
            "response_p99.9": 40,
            "response_max": 100,
            "response_mean": 7.5,
            "server_cpu_pct_one": 27.9,
        }
        self.assertEqual({k: v[k] for k in want}, want)

    def test_report_without_figures(self) -> None:
        v = report.parse(
            "SQL statistics:\n    transactions:    10     (2.50 per sec.)\n\n"
            "Server: mariadbd\n    CPU:      n/a (no permission)\n\n"
        )
        self.assertEqual(v["tps"], 2.5)
        for key in ("target", "response_p99", "server_cpu_pct", "server_threads", "sustained"):
            self.assertIsNone(v[key], key)


if __name__ == "__main__":
    unittest.main()
