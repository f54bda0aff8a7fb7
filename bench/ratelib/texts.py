# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of the report: the heading, the explanation and the columns of every section."""

# section: heading, and what the reader must know to read the table; %(t)d is the time of a run
TEXTS = {
    "steady": (
        "1,200 transactions a second, any number of connections",
        """
Point selects, %(t)d s. Achieved = transactions done / time, in %% of the target. Stock and pgbench
draw Poisson arrivals, whose number has a standard deviation of %(sigma).2f %% by design. pgbench
runs its own select-only script against PostgreSQL. Client CPU is measured in the steady state, from
outside, between interval lines. Lag is in ms. Stock does not report lag; pgbench reports no
percentiles.
""",
    ),
    "noop": (
        "Every rate from 0.1 to 100,000 a second",
        """
An empty event (`function event() end`) measures the load generator alone. Stock accepts only whole
numbers, draws Poisson arrivals and does not report lag; its `max` column is its maximum latency.
""",
    ),
    "highest": (
        "The highest rate of an empty event",
        """
The rate was doubled from 100,000 until less than 99 %% was done. Then the gap was halved three times.
""",
    ),
    "lag": (
        "Start lag with 256 clients",
        """
1,200/s, %(t)d s each, in microseconds. `bare sleep` is one thread that only calls clock_nanosleep()
on the same schedule (bench/sleeper.c). It is the limit set by this machine's kernel and host at that
moment. pgbench reports only the mean and the maximum of its lag.
""",
    ),
    "fair": (
        "Transactions per connection",
        """
1,200/s for %(t)d s. Source of the counts: for ours the line `transactions per thread` of the report,
for stock its --debug report, for pgbench its log.
""",
    ),
    "stall": (
        "A stopped client, a stopped server",
        """
1,000/s. SIGSTOP stops the process; `stopped` is the measured length of the stop. `maximum` is the
response time for ours and the latency for stock; `lag max` is what ours and pgbench call lag.
`accounts wrong` counts the interval lines in which offered = done + failed + dropped + unfinished
does not hold when summed from the start, out of all interval lines, and says whether it holds in the
final block.
""",
    ),
    "cpu": (
        "Client CPU per transaction at 1,200/s",
        """
Client and server are pinned to one CPU (taskset for the client, all threads of the server), so that no
wake-up crosses CPUs: on a virtual machine that alone can change the figure several times over. The
figure is that of the steady state, measured from outside. `own report` is the figure of the block
`Load generator`. `whole process` includes starting and connecting.
""",
    ),
    "mux": (
        "Many clients on few threads",
        """
Full speed, %(t)d s. `apart`: the client has one CPU and the server another; `both`: both use both
CPUs. Client CPU per transaction is measured from outside, between interval lines, without
connecting. The ratio is to stock in the same case (medians). `ready` is the time from the start of
the program until all clients are connected.
Measured against one server at a time (`--server`): MariaDB with a thread per connection, and MariaDB
with a pool of threads. `$args` and `$socket` are those of the row's server.
""",
    ),
    "many": (
        "Ten thousand connections",
        """
1,200/s for %(t)d s, point selects.
Measured against one server at a time (`--server`): MariaDB with a thread per connection, and MariaDB
with a pool of threads. `$args` and `$socket` are those of the row's server.
""",
    ),
    "telemetry": (
        "Overhead of watching the server",
        """
2,000 connections, point selects, %(t)d s, a report every second. `server`: `--server=auto`.
`everything`: additionally `--server-events=default --host-stats --server-status`. Ratios are to the
run without telemetry in the same repeat (medians). The last column is the CPU of the reporting
thread: merging the figures of all clients (which `off` does too) and taking every reading.
Measured against one server at a time (`--server`): MariaDB with a thread per connection, and MariaDB
with a pool of threads. `$args` and `$socket` are those of the row's server.
""",
    ),
    "floor": (
        "Distance to the floor",
        """
Point selects at full speed, %(t)d s, client and server each on their own CPU. The bare loop
(bench/floor.c) sends prepared statements through the client library's own non-blocking calls and
does nothing else. The ratio is to its client CPU per transaction (medians).
Measured against one server at a time (`--server`): MariaDB with a thread per connection, and MariaDB
with a pool of threads. `$args` and `$socket` are those of the row's server.
""",
    ),
    "paced": (
        "Client CPU at 1,200/s over few and many connections",
        """
Point selects, %(t)d s, client and server each on their own CPU. Client CPU per transaction is
measured from outside, between interval lines, without connecting. The ratio is to stock's --rate with
the same number of connections (medians). Lag is in ms. The bare loop (bench/floor.c) is a timer, the
client library and epoll: two wake-ups and a statement.
Measured against one server at a time (`--server`): MariaDB with a thread per connection, and MariaDB
with a pool of threads. `$args` and `$socket` are those of the row's server.
""",
    ),
    "both": (
        "Client and server on all CPUs",
        """
Point selects at full speed, %(t)d s. Ratios are to stock (medians), for throughput, where more is
better, and for client CPU per transaction.
Measured against one server at a time (`--server`): MariaDB with a thread per connection, and MariaDB
with a pool of threads. `$args` and `$socket` are those of the row's server.
""",
    ),
    "flat": (
        "Without a rate",
        """
Point selects at full speed, %(t)d s. First all programs may use both CPUs; then client and server are
pinned to one CPU (reproducible CPU per transaction). Threads that fill the machine displace other
programs, so `others` understates their load here.
""",
    ),
    "events": (
        "An empty event without a rate",
        """
`function event() end`, %(t)d s: events a second of the load generator alone.
""",
    ),
    "scripts": (
        "Bundled scripts without a rate",
        """
%(t)d s each, client and server pinned to one CPU. Ratio = median client CPU per transaction of ours /
median of stock.
""",
    ),
    "memory": (
        "Memory per client",
        """
Maximum resident set (VmHWM), full speed for %(t)d s. Per client = (RSS with N threads - RSS with one
thread) / (N - 1).
""",
    ),
    "memory_loop": (
        "Memory per connection beside the bare loop",
        """
Maximum resident set (VmHWM), full speed for %(t)d s. The bare loop (bench/floor.c) prepares and executes
the same statements: one kind for point select, seven for read only (BEGIN, five SELECTs, COMMIT), for
each table. Per connection = (RSS with N - RSS with one) / (N - 1).
""",
    ),
}

# every table ends with these two (see book.py)
NOISE = ["others %", "steal %"]

COLUMNS = {
    "steady": [
        "connections",
        "program",
        "runs",
        "achieved, % of target",
        "within 0.1 %",
        "lag p50",
        "lag p99",
        "client CPU, us/tx",
    ],
    "noop": [
        "rate",
        "threads",
        "program",
        "achieved, % of target",
        "within 0.1 %",
        "lag p50",
        "lag p99",
        "max, ms",
        "CPU, % of one",
        "CPU, us/tx",
    ],
    "highest": [
        "threads",
        "program",
        "highest that held",
        "lowest that did not",
        "achieved, % of target",
        "lag p99, ms",
    ],
    "lag": [
        "load",
        "program",
        "runs",
        "lag p50",
        "lag p99, least",
        "lag p99",
        "lag max",
        "client CPU, us/tx",
    ],
    "fair": ["program", "connections", "transactions", "least", "most", "difference"],
    "stall": [
        "stopped process",
        "program",
        "stopped, s",
        "maximum, ms",
        "lag max, ms",
        "late starts",
        "offered",
        "done",
        "unfinished",
        "accounts wrong",
        "exit",
    ],
    "cpu": [
        "connections",
        "program",
        "runs",
        "us/tx",
        "own report, us/tx",
        "whole process, s",
        "RSS, MiB",
    ],
    "mux": [
        "server",
        "load",
        "CPUs",
        "connections",
        "program",
        "client CPU, us/tx",
        "ratio to stock",
        "tps",
        "RSS, MiB",
        "ready, s",
    ],
    "many": [
        "server",
        "connections",
        "program",
        "ready, s",
        "achieved, % of target",
        "least",
        "most",
        "lag p50",
        "lag p99",
        "client CPU, us/tx",
        "RSS, MiB",
    ],
    "telemetry": [
        "server",
        "load",
        "clients",
        "telemetry",
        "runs",
        "tps",
        "ratio",
        "client CPU, us/tx",
        "ratio",
        "reporting thread, % of one core",
    ],
    "floor": [
        "server",
        "connections",
        "program",
        "runs",
        "client CPU, us/tx",
        "ratio to bare loop",
        "tps",
    ],
    "paced": [
        "server",
        "connections",
        "program",
        "runs",
        "achieved, % of target",
        "client CPU, us/tx",
        "ratio to stock",
        "lag p99",
    ],
    "both": [
        "server",
        "connections",
        "program",
        "runs",
        "tps",
        "ratio to stock",
        "client CPU, us/tx",
        "ratio to stock",
    ],
    "flat": ["threads", "program", "tps", "client CPU, us/tx", "pinned: tps", "pinned: us/tx"],
    "events": ["threads", "program", "runs", "events/s", "ours / stock"],
    "scripts": ["load", "threads", "program", "runs", "tps", "client CPU, us/tx", "ours / stock"],
    "memory": ["load", "threads", "program", "runs", "RSS, MiB", "KiB per client", "ours / stock"],
    "memory_loop": [
        "load",
        "tables",
        "connections",
        "program",
        "runs",
        "RSS, MiB",
        "KiB per connection",
        "ratio to bare loop",
    ],
}
