/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stock's lines, byte for byte, with our additions where they were asked for; the header of a run;
 * which blocks follow stock's report, and in which order; the verdict on the rate.
 */
#include "report/text_blocks.h"
#include "report/text_table.h"

#include <stdlib.h>

#include "base/test.h"

/* --- stock --- */

static struct snapshot figures(void)
{
    struct snapshot s = {
        .kind = SNAPSHOT_FINAL,
        .elapsed_ns = 4 * NS_PER_SEC + 12300000,
        .interval_ns = 2 * NS_PER_SEC,
        .threads_running = 8,
        .events = 101,
        .reads = 1400,
        .writes = 400,
        .other = 200,
        .errors = 3,
        .reconnects = 1,
        .percentiles = 1,
        .percentile = {95},
        .latency_pct_ms = {4.18},
        .latency_min_ms = 0.38,
        .latency_avg_ms = 0.86,
        .latency_max_ms = 5.1,
        .latency_sum_ms = 86.15,
        .events_avg = 50.5,
        .events_stddev = 40,
        .exec_avg_s = 0.0431,
        .exec_stddev_s = 0.004,
    };

    return s;
}

static void several(struct snapshot *s)
{
    static const double p[] = {50, 95, 99, 99.9}, ms[] = {0.5, 4.18, 5, 1234.5};

    s->percentiles = 4;
    memcpy(s->percentile, p, sizeof p);
    memcpy(s->latency_pct_ms, ms, sizeof ms);
}

static void no_percentile(struct snapshot *s)
{
    s->percentiles = 0;
}

static void expect(struct str *out, const char *want)
{
    CHECK_STR(str_cstr(out), want);
    str_free(out);
}

static void intervals(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    text_interval(&out, &s, TEXT_SQL, GENERATION_1_0, NULL);
    expect(
        &out,
        "[ 4s ] thds: 8 tps: 50.50 qps: 1000.00 (r/w/o: 700.00/200.00/100.00) lat (ms,95%): 4.18 "
        "err/s: 1.50 reconn/s: 0.50\n");
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    expect(&out, "[ 4s ] thds: 8 eps: 50.50 lat (ms,95%): 4.18\n");
    s.stamp_decimals = 2; /* --report-interval=0.25 */
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    expect(&out, "[ 4.01s ] thds: 8 eps: 50.50 lat (ms,95%): 4.18\n");
    s.stamp_decimals = 0;
    several(&s);
    text_interval(&out, &s, TEXT_SQL, GENERATION_1_0, NULL);
    expect(&out, "[ 4s ] thds: 8 tps: 50.50 qps: 1000.00 (r/w/o: 700.00/200.00/100.00) "
                 "lat (ms,50%,95%,99%,99.9%): 0.50/4.18/5.00/1234.50 err/s: 1.50 reconn/s: 0.50\n");
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    expect(&out, "[ 4s ] thds: 8 eps: 50.50 lat (ms,50%,95%,99%,99.9%): 0.50/4.18/5.00/1234.50\n");
    no_percentile(&s);
    s.stock_rate = true;
    s.queue_length = 5;
    s.concurrency = 2;
    text_interval(&out, &s, TEXT_SQL, GENERATION_1_0, NULL);
    expect(&out,
           "[ 4s ] thds: 8 tps: 50.50 qps: 1000.00 (r/w/o: 700.00/200.00/100.00) lat (ms,0%): 0.00 "
           "err/s: 1.50 reconn/s: 0.50\n[ 4s ] queue length: 5, concurrency: 2\n");
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    expect(&out,
           "[ 4s ] thds: 8 eps: 50.50 lat (ms,0%): 0.00\n[ 4s ] queue length: 5 concurrency: 2\n");
    text_checkpoint_stamp(&out, &s, GENERATION_1_0);
    expect(&out, "[ 4s ] Checkpoint report:\n");
}

#define STATEMENTS                                                                                 \
    "SQL statistics:\n"                                                                            \
    "    queries performed:\n"                                                                     \
    "        read:                            1400\n"                                              \
    "        write:                           400\n"                                               \
    "        other:                           200\n"                                               \
    "        total:                           2000\n"                                              \
    "    transactions:                        101    (50.50 per sec.)\n"                           \
    "    queries:                             2000   (1000.00 per sec.)\n"                         \
    "    ignored errors:                      3      (1.50 per sec.)\n"                            \
    "    reconnects:                          1      (0.50 per sec.)\n"
#define TOTALS_1_0                                                                                 \
    "\n"                                                                                           \
    "General statistics:\n"                                                                        \
    "    total time:                          4.0123s\n"                                           \
    "    total number of events:              101\n"                                               \
    "\n"
#define TOTALS_1_1                                                                                 \
    "\n"                                                                                           \
    "Throughput:\n"                                                                                \
    "    events/s (eps):                      50.5000\n"                                           \
    "    time elapsed:                        4.0123s\n"                                           \
    "    total number of events:              101\n"                                               \
    "\n"
#define LATENCY(percentiles)                                                                       \
    "Latency (ms):\n"                                                                              \
    "         min:                                    0.38\n"                                      \
    "         avg:                                    0.86\n"                                      \
    "         max:                                    5.10\n" percentiles                          \
    "         sum:                                   86.15\n"                                      \
    "\n"
#define FAIRNESS                                                                                   \
    "Threads fairness:\n"                                                                          \
    "    events (avg/stddev):           50.5000/40.00\n"                                           \
    "    execution time (avg/stddev):   0.0431/0.00\n"                                             \
    "\n"

static void cumulative(void)
{
    static const struct {
        enum text_form form;
        enum generation g;
        void (*change)(struct snapshot *s);
        const char *want;
    } t[] = {
        {TEXT_SQL, GENERATION_1_0, NULL,
         STATEMENTS TOTALS_1_0 LATENCY("         95th percentile:                        4.18\n")
             FAIRNESS},
        {TEXT_SQL, GENERATION_1_1, NULL,
         STATEMENTS TOTALS_1_1 LATENCY("         95th percentile:                        4.18\n")
             FAIRNESS},
        {TEXT_GENERIC, GENERATION_1_0, no_percentile,
         TOTALS_1_0 LATENCY("         percentile stats:               disabled\n") FAIRNESS},
        {TEXT_GENERIC, GENERATION_1_1, several,
         TOTALS_1_1 LATENCY("         50th percentile:                        0.50\n"
                            "         95th percentile:                        4.18\n"
                            "         99th percentile:                        5.00\n"
                            "        99.9th percentile:                    1234.50\n") FAIRNESS},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot s = figures();
        struct str out = STR_INIT;
        if (t[i].change)
            t[i].change(&s);
        text_cumulative(&out, &s, t[i].form, t[i].g);
        expect(&out, t[i].want);
    }
}

/* Labels of every length; the last digit stays in its column. */
static void columns(void)
{
    static const struct {
        double p, ms;
        const char *want;
    } t[] = {
        {1, 0, "          1th percentile:                        0.00\n"},
        {100, 0.25, "        100th percentile:                        0.25\n"},
        {99.9, 0.25, "        99.9th percentile:                       0.25\n"},
        {0.5, 12345.678, "        0.5th percentile:                    12345.68\n"},
        {99.999, 1, "        99.999th percentile:                     1.00\n"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot s = {.percentiles = 1, .percentile = {t[i].p}, .latency_pct_ms = {t[i].ms}};
        struct str out = STR_INIT;
        text_percentile_lines(&out, &s, 53);
        CHECK_INT(out.len, 54);
        expect(&out, t[i].want);
    }
}

static void forced(void)
{
    static const char *const begins[] = {
        [GENERATION_1_0] =
            "\nNumber of unfinished transactions on forced shutdown: 7\n\nGeneral statistics:\n",
        [GENERATION_1_1] =
            "\nNumber of unfinished transactions on forced shutdown: 7\n\nThroughput:\n",
    };

    for (size_t g = 0; g < sizeof begins / sizeof *begins; g++) {
        struct snapshot s = figures();
        struct str out = STR_INIT;
        s.unfinished_forced = 7;
        text_cumulative(&out, &s, TEXT_GENERIC, (enum generation)g);
        CHECK(strncmp(str_cstr(&out), begins[g], strlen(begins[g])) == 0);
        str_free(&out);
    }
}

static struct snapshot_series series(int64_t p50, int64_t p95, int64_t p99)
{
    return (struct snapshot_series){.n = 100000,
                                    .p50 = p50 * NS_PER_MS,
                                    .p95 = p95 * NS_PER_MS,
                                    .p99 = p99 * NS_PER_MS,
                                    .max = 100 * NS_PER_MS,
                                    .mean = 7.5e6};
}

/* p50, p95 and p99 are always there; --percentile adds its own, each once, ascending. */
static void rates(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;
    const char *table;

    s.has_rate = true;
    s.rate.target = 50;
    s.rate.response = series(5, 20, 30);
    s.rate.service = series(4, 18, 28);
    s.rate.lag = series(1, 2, 3);
    text_rate(&out, &s);
    table = strstr(str_cstr(&out), "    ms  ");
    CHECK_STR(table, "    ms                p50        p95        p99    maximum       mean\n"
                     "    response        5.000     20.000     30.000    100.000      7.500\n"
                     "    service         4.000     18.000     28.000    100.000      7.500\n"
                     "    lag             1.000      2.000      3.000    100.000      7.500\n");
    str_free(&out);

    s.percentiles = 3;
    s.percentile[0] = 99.9;
    s.percentile[1] = 95;
    s.percentile[2] = 10;
    s.rate.response.pct[0] = 40 * NS_PER_MS;
    s.rate.response.pct[1] = 20 * NS_PER_MS;
    s.rate.response.pct[2] = 2 * NS_PER_MS;
    s.rate.service.pct[0] = s.rate.lag.pct[0] = -1;
    s.rate.lag.max = HIST_OVER_NS; /* longer than an hour; no more is known */
    text_rate(&out, &s);
    table = strstr(str_cstr(&out), "    ms  ");
    CHECK_STR(table, "    ms                p10        p50        p95        p99\n"
                     "    response        2.000      5.000     20.000     30.000\n"
                     "    service         0.000      4.000     18.000     28.000\n"
                     "    lag             0.000      1.000      2.000      3.000\n"
                     "    ms              p99.9    maximum       mean\n"
                     "    response       40.000    100.000      7.500\n"
                     "    service           n/a    100.000      7.500\n"
                     "    lag               n/a >3600000.000      7.500\n");
    s.rate.lag.max = 100 * NS_PER_MS;
    str_free(&out);
}

/* After stock's line: the response time at the percentiles that stock's part lacks, and no key that
 * a parser could take for stock's, or that has two meanings. */
static void check_rate_lines(const struct snapshot *s, const char *rate, const char *unfinished,
                             const char *lost)
{
    struct str out = STR_INIT, want = STR_INIT;

    text_rate(&out, s);
    *strstr(out.s, "    ms  ") = '\0'; /* the table */
    str_printf(&want,
               "Rate:\n"
               "%s"
               "    offered:                             203\n"
               "    done:                                190\n"
               "    failed:                              4\n"
               "    dropped:                             3\n"
               "    unfinished:                          6%s\n"
               "%s"
               "    late starts (over 1 ms):             17\n"
               "    transactions per thread:             94 to 96\n",
               rate, unfinished, lost);
    CHECK_STR(out.s, want.s);
    str_free(&out);
    str_free(&want);
}

/* The lines of a rate above its table. */
static void rate_lines(void)
{
    static struct snapshot_stage stage[9] = {{.text = "10:1s"}, {.text = "20-30:2s"}};
    const struct snapshot_rate q = {.target = 50,
                                    .achieved = NAN,
                                    .total_offered = 203,
                                    .total_done = 190,
                                    .total_failed = 4,
                                    .total_dropped = 3,
                                    .total_late = 17,
                                    .unfinished = 6,
                                    .events_least = 94,
                                    .events_most = 96};
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.elapsed_ns = 4 * NS_PER_SEC;
    s.rate = q;
    text_rate(&out, &s);
    CHECK_INT(out.len, 0); /* nobody asked */
    s.has_rate = true;
    check_rate_lines(
        &s,
        "    target:                              50.00 per sec.\n"
        "    achieved:                            47.50 per sec. (95.000% of target)\n",
        "", "");
    s.rate.waiting = 4;
    s.rate.in_flight = 1;
    s.rate.oldest_ns = 1234567890;
    s.rate.withdrawn = 1;
    s.rate.shared = true;
    s.rate.total_lost = 2;
    s.rate.achieved = 48;
    s.rate.target = 0.09;
    s.rate.target_changed = true;
    check_rate_lines(
        &s,
        "    target:                              0.09000000 per sec. on average (changed\n"
        "                                         by hand)\n"
        "    achieved:                            48.00000000 per sec. (53333.333% of\n"
        "                                         target)\n",
        " (4 waiting, 1 begun; the oldest for\n"
        "                                         1.235 s: percentiles are lower bounds)\n"
        "                                         (1 withdrawn by the script)",
        "    lost with their load hosts:          2\n");
    s.rate = q;
    s.rate.target_changed = true;
    s.stages = stage;
    s.nstages = 2;
    check_rate_lines(
        &s,
        "    target:                              50.00 per sec. on average (10:1s,\n"
        "                                         20-30:2s; changed by hand)\n"
        "    achieved:                            47.50 per sec. (95.000% of target)\n",
        "", "");
    for (size_t i = 2; i < COUNT(stage); i++)
        stage[i].text[0] = (char)('0' + i);
    s.nstages = COUNT(stage);
    s.stages_lost = 2;
    s.rate.target_changed = false;
    s.rate.target = 0;
    check_rate_lines(
        &s,
        "    target:                              0.00000000 per sec. on average (10:1s,\n"
        "                                         20-30:2s, 2, 3, 4, 5, 6, 7 and 3 more)\n"
        "    achieved:                            47.50000000 per sec.\n",
        "", "");
    s.find = &(struct find_record){.end = FIND_NONE};
    check_rate_lines(&s,
                     "    target:                              changed by --tx-find\n"
                     "    achieved:                            47.50 per sec.\n",
                     "", "");
}

static void rated_line(void)
{
    static const struct {
        size_t n;
        double p[3];
        const char *resp;
    } t[] = {{1, {95}, " resp-p50 5.000 resp-p99 30.000"},
             {3, {99, 50, 95}, ""},
             {2, {99.9, 99}, " resp-p50 5.000 resp-p95 20.000"},
             {0, {0}, " resp-p50 5.000 resp-p95 20.000 resp-p99 30.000"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot s = figures();
        struct str out = STR_INIT, want = STR_INIT;
        s.has_rate = true;
        s.rate.offered = 103;
        s.rate.done = 101;
        s.rate.unfinished = 2;
        s.rate.late = 7;
        s.rate.response = series(5, 20, 30);
        s.rate.service = series(4, 18, 28);
        s.rate.lag = series(1, 2, 3);
        s.percentiles = t[i].n;
        memcpy(s.percentile, t[i].p, sizeof t[i].p);
        text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
        str_printf(
            &want,
            " | offered 103 done 101 failed 0 dropped 0 unfinished 2 late 7 | ms:%s svc-p99 28.000 "
            "lag-p99 3.000\n",
            t[i].resp);
        CHECK_STR(strstr(str_cstr(&out), " | "), str_cstr(&want));
        str_free(&out);
        str_free(&want);
    }
}

static struct sample_delta used(int64_t user_ms, int64_t sys_ms)
{
    return (struct sample_delta){.wall_ns = NS_PER_SEC,
                                 .have = SAMPLE_ALL,
                                 .user_ns = user_ms * NS_PER_MS,
                                 .sys_ns = sys_ms * NS_PER_MS,
                                 .cpu_ns = (user_ms + sys_ms) * NS_PER_MS,
                                 .vol_switches = 200,
                                 .invol_switches = 2,
                                 .threads = 21,
                                 .rss_bytes = 64 << 20,
                                 .runq_wait_ns = 100 * NS_PER_MS};
}

/* A line that becomes too long lacks its less useful figures, and they do not come back. */
static void fitted(void)
{
    static const struct {
        size_t most, hidden;
        const char *want;
    } t[] = {
        {350, 0,
         "| offered 0 done 0 failed 0 dropped 0 unfinished 0 late 0 | ms: resp-p50 1.000 "
         "resp-p99 3.000 svc-p99 3.000 lag-p99 3.000 | srv-usr 15.00% srv-sys 5.00% cs/tx 2.00 "
         "thr 21 rss 64.0M | cli-cpu 20.00% | refused 4\n"},
        {250, 7,
         "| failed 0 dropped 0 unfinished 0 late 0 | ms: resp-p99 3.000 lag-p99 3.000 | srv-usr "
         "15.00% srv-sys 5.00% | cli-cpu 20.00% | refused 4\n"},
        {160, 14, "| failed 0 late 0 | refused 4\n"},
        {1, 16, "| refused 4\n"},
        {350, 16, "| refused 4\n"},
    };
    struct snapshot s = figures();
    struct text_fit fit = {.kept = SIZE_MAX};
    struct str out = STR_INIT;

    s.has_rate = true;
    s.rate.response = s.rate.service = s.rate.lag = series(1, 2, 3);
    s.ncpu = 2;
    s.server = s.self = (struct snapshot_server){.on = true, .d = used(300, 100)};
    s.clients_missing = 4;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        str_adds(&out, "before it\n");
        fit.most = t[i].most;
        text_interval(&out, &s, TEXT_SQL, GENERATION_1_0, &fit);
        CHECK_STR(strstr(str_cstr(&out), "0.50 |") + 5, t[i].want);
        CHECK_INT(fit.hidden, t[i].hidden);
        CHECK(out.len - 11 <= t[i].most || t[i].most == 1);
        str_free(&out);
    }
}

/* The server in the line and in the report, in brief and in full, and when it has ended. */
static void processes(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.ncpu = 2;
    s.server =
        (struct snapshot_server){.on = true, .describe = "mariadbd (pid 7)", .d = used(300, 100)};
    s.server.has_before = true;
    s.server.before_pct = 1.5;
    s.self = (struct snapshot_server){.on = true, .describe = "sysbench", .d = used(60, 40)};
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    CHECK_STR(strstr(str_cstr(&out), " | "),
              " | srv-usr 15.00% srv-sys 5.00% cs/tx 2.00 thr 21 rss 64.0M | cli-cpu 5.00%\n");
    str_free(&out);
    text_processes(&out, &s, TEXT_BRIEF);
    expect(&out, "Server: mariadbd (pid 7)\n"
                 "    CPU, % of the whole system:          usr 15.00 sys 5.00 total 20.00\n"
                 "    CPU per transaction, us:             usr 2970.30 sys 990.10 total 3960.40\n"
                 "    context switches:                    202 (2.00 per transaction)\n"
                 "    threads:                             21\n"
                 "    RSS:                                 64.0 MiB\n"
                 "    waited for a CPU:                    0.100 s, 20.0% of runnable time\n"
                 "    CPU before the load:                 1.50% of one CPU\n"
                 "\n"
                 "Load generator: sysbench\n"
                 "    CPU, % of the whole system:          usr 3.00 sys 2.00 total 5.00\n"
                 "    CPU per transaction, us:             usr 594.06 sys 396.04 total 990.10\n"
                 "\n");
    s.server.d.have = 0;
    sample_set_reason(&s.server.d, "mariadbd (pid 7) has ended");
    s.self.on = false;
    text_processes(&out, &s, TEXT_BRIEF);
    expect(&out, "Server: mariadbd (pid 7)\n"
                 "    CPU before the load:                 1.50% of one CPU\n"
                 "    n/a:                                 CPU, context switches, threads, RSS,\n"
                 "                                         waited for a CPU (mariadbd (pid 7) has\n"
                 "                                         ended)\n"
                 "\n");
    text_processes(&out, &s, TEXT_FULL);
    CHECK(strstr(out.s,
                 "    RSS:                                 n/a (mariadbd (pid 7) has ended)\n") !=
          NULL);
    CHECK(strstr(out.s,
                 "    page faults:                         n/a (mariadbd (pid 7) has ended)\n") !=
          NULL);
    str_free(&out);
}

/* Sessions that are not ours: in the line, in the server's block, or without one beside its
 * counters; the sentence says for how long there were any. */
static void others(void)
{
    static const struct status_name name[] = {{"Threads_running", true}};
    static const struct {
        bool server;
        double before; /* % of one CPU */
        const char *why;
        double known, active, busy; /* s */
        const char *want;
    } t[] = {
        {true, 0, NULL, 10, 0, 0,
         "active:              0 (mean)\n    waited for locks:                    0.0 s\n\n"},
        {true, 0, NULL, 10, 10, 10,
         "active:              1 (mean)\n    waited for locks:                    0.0 s\n    WARNING: 1 other session was active on this server; CPU "
         "per transaction\n    includes its work\n\n"},
        {true, 0, NULL, 10, 9, 3,
         "active:              0.9 (mean)\n    waited for locks:                    0.0 s\n    WARNING: 3 other sessions were active on this server "
         "for 3.0 of 10.0 s; CPU\n    per transaction includes their work\n\n"},
        {false, 0, NULL, 10, 10, 10,
         "active:              1 (mean)\n    waited for locks:                    0.0 s\n    WARNING: 1 other session was active on this server; its "
         "counters include\n    that session's work\n\n"},
        {true, 0, "hidden", 0, 0, 0,
         "of one CPU\n    n/a:                                 other sessions at the end, other\n"
         "                                         sessions, active, waited for locks\n"
         "                                         (hidden)\n\n"},
        /* nobody may say who it is; 10 % of one CPU are a quarter of what the run took, or not */
        {true, 10, "hidden", 0, 0, 0,
         "WARNING: the server was busy before the load; CPU per transaction may\n    include that "
         "work\n    n/a:"},
        {true, 9.9, "hidden", 0, 0, 0, "9.90% of one CPU\n    n/a:"},
        {true, 10, NULL, 10, 0, 0,
         "active:              0 (mean)\n    waited for locks:                    0.0 s\n\n"},
    };
    static const struct {
        struct status_others others;
        const char *want;
    } work[] = {
        {{.known = 10, .active = 10, .busy = 10, .counted = 1000, .least = 50, .most = 50},
         "other sessions, statements:          50 (5% of all)\n    waited"},
        {{.known = 10,
          .active = 10,
          .busy = 10,
          .counted = 1000,
          .least = 50,
          .most = 51,
          .background = true},
         "other sessions, transactions:        at least 50 (5% of all)\n    waited"},
        {{.known = 10, .active = 10, .busy = 10, .no_work = "late"},
         "    n/a:                                 other sessions, statements (late)\n"},
        {{.known = 10, .counted = 1000, .least = 50, .most = 51},
         "WARNING: other sessions worked on this server; CPU per transaction includes\n    their "
         "work\n"},
        {{.known = 10, .counted = 1000, .least = 9, .most = 9},
         "waited for locks:                    0.0 s\n\n"}, /* a monitor's */
    };
    static const struct status_waits lock_waits = {.known = NS_PER_SEC,
                                                   .waited = (dur_ns)12.5e9,
                                                   .behind = 10 * NS_PER_SEC,
                                                   .blockers = 2,
                                                   .who = "pid 7, psql"};
    struct probe_delta probe = {.how = "", .statuses = 1, .status_name = name};
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.ncpu = 2;
    s.probe = &probe;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        s.server = (struct snapshot_server){.on = t[i].server,
                                            .describe = "mariadbd (pid 7)",
                                            .d = used(300, 100),
                                            .has_before = true,
                                            .before_pct = t[i].before};
        probe.status = (struct status_delta){.have = 1,
                                             .waits.why = t[i].why,
                                             .waits.known = (dur_ns)(t[i].known * 1e9),
                                             .others = {.why = t[i].why,
                                                        .known = (dur_ns)(t[i].known * 1e9),
                                                        .active = (dur_ns)(t[i].active * 1e9),
                                                        .busy = (dur_ns)(t[i].busy * 1e9)}};
        text_processes(&out, &s, TEXT_BRIEF);
        CHECK(strstr(str_cstr(&out), t[i].want));
        if (!strstr(str_cstr(&out), t[i].want))
            printf("%zu: %s", i, str_cstr(&out));
        str_reset(&out);
    }
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        probe.status.others = work[i].others;
        text_processes(&out, &s, TEXT_BRIEF);
        CHECK(strstr(str_cstr(&out), work[i].want));
        if (!strstr(str_cstr(&out), work[i].want))
            printf("%zu: %s", i, str_cstr(&out));
        str_reset(&out);
    }
    probe.status.others = (struct status_others){.known = 10 * NS_PER_SEC};
    probe.status.others.connected = 3;
    probe.status.waits = (struct status_waits){.why = "hidden"};
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    CHECK(strstr(str_cstr(&out), "| Threads_running 0 other_sessions 3 other_sessions_active 0 "
                                 "lock_waited_s n/a lock_waited_for_others_s n/a\n"));
    str_reset(&out);
    probe.status.others = (struct status_others){.why = "hidden"};
    probe.status.waits = lock_waits;
    text_interval(&out, &s, TEXT_GENERIC, GENERATION_1_0, NULL);
    CHECK(strstr(str_cstr(&out), " other_sessions n/a other_sessions_active n/a lock_waited_s 12.5 "
                                 "lock_waited_for_others_s 10\n"));

    /* locks: as a whole, in part, and nothing of others */
    str_reset(&out);
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK(strstr(str_cstr(&out), "    waited for locks:                    12.5 s\n"
                                 "    of it for other sessions:            10.0 s\n"
                                 "    other sessions that blocked:         2\n"
                                 "    the last of them:                    pid 7, psql\n"));
    probe.status.wall_ns = 10 * NS_PER_SEC;
    probe.status.waits.known = 5 * NS_PER_SEC;
    probe.status.waits.blockers = 0;
    probe.status.waits.behind = 0;
    probe.status.waits.who[0] = '\0';
    str_reset(&out);
    text_processes(&out, &s, TEXT_BRIEF);
    CHECK(strstr(str_cstr(&out), "    waited for locks:                    at least 12.5 s\n"
                                 "    of it for other sessions:            at least 0.0 s\n"
                                 "    other sessions that blocked:         0\n"));
    CHECK(!strstr(str_cstr(&out), "the last of them"));
    str_free(&out);
}

static void histogram(void)
{
    struct hist_counts h;
    struct str out = STR_INIT;

    hist_counts_init(&h, HIST_STOCK_SIZE);
    text_histogram(&out, &h);
    expect(&out, "");
    hist_counts_put(&h, 0, 1);
    hist_counts_put(&h, 100, 40);
    hist_counts_put(&h, 1023, 3);
    text_histogram(&out, &h);
    expect(&out, "       value  ------------- distribution ------------- count\n"
                 "       0.001 |*                                        1\n"
                 "       0.006 |**************************************** 40\n"
                 "  100000.000 |***                                      3\n");
    hist_counts_fini(&h);
}

static void all_stock(void)
{
    intervals();
    cumulative();
    columns();
    forced();
    rates();
    rate_lines();
    rated_line();
    fitted();
    processes();
    others();
    histogram();
}

/* --- additions --- */

static const struct report_action action = {.state = ACTION_NOT_RUN, .at_s = 1, .command = "true"};
static const struct report_profile profile = {.ended = true, .why = "no reason"};
static const struct report_info info = {.action = &action, .actions = 1, .profile = &profile};
static const struct report_end sustained = {.sustained = true, .why = ""};

/* The first words of the lines that are not indented, and "sustained". */
static const char *blocks(const struct snapshot *s, const struct report_info *i)
{
    static char found[300];
    struct str out = STR_INIT;
    char *rest;

    *found = '\0';
    if (s)
        text_additions(&out, s, &sustained, i, TEXT_BRIEF, TEXT_WIDTH);
    else
        text_ending(&out, i);
    rest = out.s;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        char *word = line + strspn(line, " ");
        if (!*word || (word > line && strncmp(word, "sustained:", 10) != 0))
            continue;
        strncat(found, word, strcspn(word, ":"));
        strcat(found, "|");
    }
    str_free(&out);
    return found;
}

/* Whether the rate was sustained, and why not or with which reservation. */
static void verdicts(void)
{
    static const struct {
        uint64_t offered;
        struct report_end end;
        const char *want;
    } t[] = {{0, {.sustained = true, .why = ""}, "n/a (nothing was due)"},
             {1, {.sustained = true, .why = "", .interrupted = ""}, "yes"},
             {1, {.why = "one failed"}, "no: one failed"},
             {2, {.sustained = true, .why = "late"}, "yes, but late"},
             {2, {.sustained = true, .why = "after a backlog"}, "yes, after a backlog"},
             {2, {.unknown = true, .why = "x"}, "not known: x"},
             {2, {.why = "", .since_stage = 1, .since = "9:1s"}, "no, since stage 1 (9:1s)"},
             {2, {.why = "", .interrupted = "A"}, "no until it was interrupted (A)"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot s = {.has_rate = true, .rate.total_offered = t[i].offered};
        struct str out = STR_INIT;
        const char *said;
        text_verdict(&out, &s, &t[i].end);
        said = strstr(str_cstr(&out), "sustained:");
        said = said ? said + strlen("sustained:") : "";
        CHECK_INT(strcspn(said + strspn(said, " "), "\n"), strlen(t[i].want));
        CHECK(strncmp(said + strspn(said, " "), t[i].want, strlen(t[i].want)) == 0);
        str_free(&out);
    }
}

static void all_additions(void)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .interval_ns = NS_PER_SEC, .ncpu = 1};
    static const struct report_info nothing = {0};

    verdicts();
    CHECK_STR(blocks(&s, &nothing), "");
    CHECK_STR(blocks(&s, &info), "Commands|Server profile|");
    s.has_rate = true;
    CHECK_STR(blocks(&s, &info), "Rate|sustained|Commands|Server profile|");
    s.retries.transactions = 1;
    CHECK_STR(blocks(&s, &info), "Rate|sustained|Retries|Commands|Server profile|");
    s.retries.transactions = 0;
    s.self.on = s.server.on = true;
    s.server.describe = s.self.describe = "db";
    CHECK_STR(blocks(&s, &info), "Rate|sustained|Server|Load generator|Commands|Server profile|");
    s.elapsed_ns = 2 * NS_PER_SEC; /* a checkpoint before: one span above the line, one below it */
    CHECK_STR(blocks(&s, &info),
              "Server|Load generator|The whole run (the figures above are those since "
              "the last checkpoint)|Rate|sustained|Commands|Server profile|");
    CHECK_STR(blocks(&s, &nothing),
              "Server|Load generator|The whole run (the figures above are those since "
              "the last checkpoint)|Rate|sustained|");
    s.has_rate = false;
    CHECK_STR(blocks(&s, &nothing), "Server|Load generator|");
    s.has_rate = true;
    s.elapsed_ns = s.interval_ns;
    s.stock_rate = true; /* stock has no such blocks */
    CHECK_STR(blocks(&s, &info), "Server|Commands|Server profile|");
    s.stock_rate = false;
    s.kind = SNAPSHOT_CHECKPOINT; /* the run goes on */
    CHECK_STR(blocks(&s, &info), "Server|Load generator|");
    CHECK_STR(blocks(NULL, &info), "Commands|Server profile|");
    CHECK_STR(blocks(NULL, &nothing), "");
}

TEST_MAIN(text_test)
{
    all_stock();
    all_additions();
    return test_done("text");
}
