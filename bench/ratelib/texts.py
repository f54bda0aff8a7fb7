# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of the report: the heading, the explanation and the columns of every section."""

# section: heading, and what the reader must know to read the table; %(t)d is the time of a run
TEXTS = {
    "steady": ("1,200 transactions a second, any number of connections", """
Point selects, %(t)d s. Achieved = transactions done / time, in %% of the target. Stock and pgbench
draw Poisson arrivals: their number has a standard deviation of %(sigma).2f %% by design. pgbench
runs its own select-only script against PostgreSQL. Client CPU is that of the steady state, read
from outside between interval lines. Lag in ms; stock does not measure it, pgbench no percentiles.
"""),
    "noop": ("Every rate from 0.1 to 100,000 a second", """
An empty event (`function event() end`), so the load generator is all there is. Stock takes whole
numbers only, draws Poisson arrivals and shows no lag; its column `max` is its latency maximum.
"""),
    "highest": ("The highest rate of an empty event", """
Doubled from 100,000 until less than 99 %% was done, then the gap halved three times.
"""),
    "lag": ("Start lag with 256 clients", """
1,200/s, %(t)d s each, microseconds. `bare sleep` is one thread that does nothing but
clock_nanosleep() to the same schedule (bench/sleeper.c): what this machine's kernel and host allow
at that moment. pgbench shows the mean and the maximum of its lag only.
"""),
    "fair": ("Transactions per connection", """
1,200/s for %(t)d s. Ours: the line `transactions per thread` of the report; stock: its --debug
report; pgbench: its log.
"""),
    "stall": ("A stopped client, a stopped server", """
1,000/s. The process is stopped with SIGSTOP; `stopped` is how long it really was. `maximum` is the
response time of ours, the latency of stock; `lag max` is what ours and pgbench call lag. Accounts:
interval lines in which offered = done + failed + dropped + unfinished does not hold when summed up
from the start, of all interval lines; and whether it holds in the final block.
"""),
    "cpu": ("Client CPU per transaction at 1,200/s", """
Client and server pinned to one CPU (taskset for the client, all threads of the server), so that no
wake-up crosses CPUs: on a virtual machine that alone can change the figure several times over.
Steady state, from outside; `own report` is what the block `Load generator` says; `whole process`
includes starting and connecting.
"""),
    "mux": ("Many clients on few threads", """
As fast as it goes, %(t)d s.  `apart`: the client has one CPU and the server another; `both`: both
have both.  Client CPU per transaction from outside, between interval lines, connecting excluded; the
ratio is to stock's in the same case (medians). `ready`: from the start of the program until all are
connected.
Each server by itself (`--server`): MariaDB with a thread per connection, and with a pool of threads;
`$args` and `$socket` lead to that of the row.
"""),
    "many": ("Ten thousand connections", """
1,200/s for %(t)d s, point selects.
Each server by itself (`--server`): MariaDB with a thread per connection, and with a pool of threads;
`$args` and `$socket` lead to that of the row.
"""),
    "telemetry": ("What watching the server costs", """
2,000 connections, point selects, %(t)d s, a report every second. `server`: `--server=auto`;
`everything`: and `--server-events=default --host-stats --server-status`. Ratios are to the run
without telemetry in the same repeat (medians). The last figure is the CPU of the thread that makes the reports: the
merging of all clients' figures (which `off` has too) and every reading.
Each server by itself (`--server`): MariaDB with a thread per connection, and with a pool of threads;
`$args` and `$socket` lead to that of the row.
"""),
    "floor": ("Distance to the floor", """
Point selects as fast as they go, %(t)d s, client and server on a CPU of their own.  The bare loop
(bench/floor.c) sends prepared statements through the client library's own non-blocking calls and
does nothing else; the ratio is to its client CPU per transaction (medians).
Each server by itself (`--server`): MariaDB with a thread per connection, and with a pool of threads;
`$args` and `$socket` lead to that of the row.
"""),
    "paced": ("Client CPU at 1,200/s over few and many connections", """
Point selects, %(t)d s, client and server on a CPU of their own.  Client CPU per transaction from
outside, between interval lines, connecting excluded; the ratio is to stock's --rate with as many
connections (medians).  Lag in ms.  The bare loop (bench/floor.c) is a timer, the client library and
epoll: two wake-ups and a statement.
Each server by itself (`--server`): MariaDB with a thread per connection, and with a pool of threads;
`$args` and `$socket` lead to that of the row.
"""),
    "both": ("Client and server on all CPUs", """
Point selects as fast as they go, %(t)d s.  Ratios are to stock (medians): of throughput, where more
is better, and of client CPU per transaction.
Each server by itself (`--server`): MariaDB with a thread per connection, and with a pool of threads;
`$args` and `$socket` lead to that of the row.
"""),
    "flat": ("Without a rate", """
Point selects as fast as they go, %(t)d s. First both CPUs free to all, then client and server
pinned to one CPU (reproducible CPU per transaction). Threads that fill the machine squeeze what
else runs, so `others` understates here how much there is of it.
"""),
    "events": ("An empty event without a rate", """
`function event() end`, %(t)d s: events a second of the load generator alone.
"""),
    "scripts": ("Bundled scripts without a rate", """
%(t)d s each, client and server pinned to one CPU. Ratio = the median of ours / the median of
stock's client CPU per transaction.
"""),
    "memory": ("Memory per client", """
The resident set at its largest (VmHWM), flat out for %(t)d s. Per client = (what it is with
that many threads - what it is with one) / (threads - 1).
"""),
}

# every table ends with these two (see book.py)
NOISE = ["others %", "steal %"]

COLUMNS = {
    "steady": ["connections", "program", "runs", "achieved, % of target", "within 0.1 %",
               "lag p50", "lag p99", "client CPU, us/tx"],
    "noop": ["rate", "threads", "program", "achieved, % of target", "within 0.1 %",
             "lag p50", "lag p99", "max, ms", "CPU, % of one", "CPU, us/tx"],
    "highest": ["threads", "program", "highest that held", "lowest that did not",
                "achieved, % of target", "lag p99, ms"],
    "lag": ["load", "program", "runs", "lag p50", "lag p99, least", "lag p99", "lag max",
            "client CPU, us/tx"],
    "fair": ["program", "connections", "transactions", "least", "most", "difference"],
    "stall": ["stopped process", "program", "stopped, s", "maximum, ms", "lag max, ms",
              "late starts", "offered", "done", "unfinished", "accounts wrong",
              "exit"],
    "cpu": ["connections", "program", "runs", "us/tx", "own report, us/tx",
            "whole process, s", "RSS, MiB"],
    "mux": ["server", "load", "CPUs", "connections", "program", "client CPU, us/tx", "ratio to stock", "tps",
            "RSS, MiB", "ready, s"],
    "many": ["server", "connections", "program", "ready, s", "achieved, % of target", "least", "most",
             "lag p50", "lag p99", "client CPU, us/tx", "RSS, MiB"],
    "telemetry": ["server", "load", "clients", "telemetry", "runs", "tps", "ratio", "client CPU, us/tx",
                  "ratio", "reporting thread, % of one core"],
    "floor": ["server", "connections", "program", "runs", "client CPU, us/tx", "ratio to bare loop", "tps"],
    "paced": ["server", "connections", "program", "runs", "achieved, % of target", "client CPU, us/tx",
              "ratio to stock", "lag p99"],
    "both": ["server", "connections", "program", "runs", "tps", "ratio to stock", "client CPU, us/tx",
             "ratio to stock"],
    "flat": ["threads", "program", "tps", "client CPU, us/tx", "pinned: tps",
             "pinned: us/tx"],
    "events": ["threads", "program", "runs", "events/s", "ours / stock"],
    "scripts": ["load", "threads", "program", "runs", "tps", "client CPU, us/tx", "ours / stock"],
    "memory": ["load", "threads", "program", "runs", "RSS, MiB", "KiB per client",
               "ours / stock"],
}
