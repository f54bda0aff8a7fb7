# SPDX-License-Identifier: GPL-2.0-or-later
"""Outputs of other programs, for the tests of what reads them.

They have the form of each generation of sysbench, cut down, with figures of ours; the long one of
pgbench is what pgbench 15 printed.
"""

V04 = """\
sysbench 0.4.12:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 8

Doing OLTP test.
Running mixed OLTP test
Threads started!
Done.

OLTP test statistics:
    queries performed:
        read:                            140014
        write:                           50005
        other:                           20002
        total:                           210021
    transactions:                        10001  (499.98 per sec.)
    deadlocks:                           3      (0.15 per sec.)
    read/write requests:                 190019 (9499.60 per sec.)
    other operations:                    20002  (999.96 per sec.)

Test execution summary:
    total time:                          20.0028s
    total number of events:              10001
    total time taken by event execution: 159.9123
    per-request statistics:
         min:                                  5.31ms
         avg:                                 15.99ms
         max:                                201.45ms
         approx.  95 percentile:              28.72ms

Threads fairness:
    events (avg/stddev):           1250.1250/5.06
    execution time (avg/stddev):   19.9890/0.00
"""

V05 = """\
sysbench 0.5:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 64
Target transaction rate: 100/sec
Report intermediate results every 10 second(s)
Random number generator seed is 0 and will be ignored

Threads started!

[  10s] threads: 64, tps: 0.00, reads: 99.98, writes: 0.00, response time: 1.21ms (99%), \
errors: 0.00, reconnects:  0.00
OLTP test statistics:
    queries performed:
        read:                            2001
        write:                           0
        other:                           0
        total:                           2001
    transactions:                        0      (0.00 per sec.)
    read/write requests:                 2001   (100.02 per sec.)
    other operations:                    0      (0.00 per sec.)
    ignored errors:                      2      (0.10 per sec.)
    reconnects:                          1      (0.05 per sec.)

General statistics:
    total time:                          20.0060s
    total number of events:              2001
    total time taken by event execution: 1.3012s
    response time:
         min:                                  0.21ms
         avg:                                  0.65ms
         max:                                 14.50ms
         approx.  99 percentile:               1.31ms

Threads fairness:
    events (avg/stddev):           31.2656/1.20
    execution time (avg/stddev):   0.0203/0.00
"""

V10 = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 2
Initializing random number generator from current time


Initializing worker threads...

Threads started!

SQL statistics:
    queries performed:
        read:                            1400
        write:                           400
        other:                           200
        total:                           2000
    transactions:                        100    (2203.69 per sec.)
    queries:                             2000   (44073.73 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          0.0443s
    total number of events:              100

Latency (ms):
         min:                                    0.38
         avg:                                    0.86
         max:                                    5.10
         95th percentile:                        4.18
         sum:                                   86.15

Threads fairness:
    events (avg/stddev):           50.0000/40.00
    execution time (avg/stddev):   0.0431/0.00

"""

V11 = """\
Number of threads: 4

CPU speed:
    events per second:  1048.89

Throughput:
    events/s (eps):                      1049.1250
    time elapsed:                        10.0080s
    total number of events:              10499

Latency (ms):
         min:                                    0.22
         avg:                                    3.81
         max:                                   46.84
         percentile stats:               disabled
         sum:                                 40000.33

"""

PGBENCH = """\
pgbench (15.18 (Debian 15.18-0+deb12u1))
starting vacuum...end.
progress: 1.0 s, 351.8 tps, lat 15.454 ms stddev 7.808, 0 failed, lag 4.567 ms, 2444 skipped
progress: 2.0 s, 417.2 tps, lat 14.256 ms stddev 7.391, 0 failed, lag 4.616 ms, 2652 skipped
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
query mode: simple
number of clients: 4
number of threads: 1
maximum number of tries: 3
duration: 2 s
number of transactions actually processed: 774
number of failed transactions: 1 (0.129%)
number of transactions skipped: 5096 (86.814%)
latency average = 14.888 ms
latency stddev = 7.740 ms
rate limit schedule lag: avg 4.595 (max 5.000) ms
initial connection time = 24.337 ms
tps = 385.477748 (without initial connection time)
"""

OLD_PGBENCH = """\
transaction type: SELECT only
number of clients: 10
number of transactions actually processed: 10000/10000
tps = 618.764555 (including connections establishing)
tps = 622.977698 (excluding connections establishing)
"""

LOG = """\
0 1 2000 0 1795374013 100000 500
1 1 4000 0 1795374013 200000 1500
0 2 skipped 0 1795374013 300000 6000
1 2 6000 0 1795374014 100000 2500
1 3 failed 0 1795374014 150000 0
"""

SUMS = """\
1795374020 88 108982 426687510 146 13733 23405 47775949 28 4852 0 0 0 0 0
1795374021 12 12018 232516684 149 6562 31863 60907191 18 4519 0 0 0 0 0
"""
