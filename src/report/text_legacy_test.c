/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reports of 0.4.12 and 0.5 on fixed figures, byte by byte: each dialect, with and without
 * statements, with one percentile, several and none, and without events.
 */
#include "report/text.h"

#include "base/test.h"

static struct snapshot figures(void)
{
    struct snapshot s = {
        .kind = SNAPSHOT_FINAL,
        .elapsed_ns = 10 * NS_PER_SEC + 12300000,
        .interval_ns = 10 * NS_PER_SEC,
        .threads = 8,
        .threads_running = 7,
        .events = 1010,
        .reads = 14014,
        .writes = 4004,
        .other = 2002,
        .errors = 3,
        .reconnects = 1,
        .count = {[CNT_COMMIT] = 1001},
        .percentiles = 1,
        .percentile = {95},
        .latency_pct_ms = {4.18},
        .latency_min_ms = 0.38,
        .latency_avg_ms = 0.86,
        .latency_max_ms = 5123.4,
        .latency_sum_ms = 86150.4,
        .events_avg = 126.25,
        .events_stddev = 40,
        .exec_avg_s = 10.7688,
        .exec_stddev_s = 0.004,
    };

    return s;
}

static void several(struct snapshot *s)
{
    static const double p[] = {50, 99.9}, ms[] = {0.5, 1234.5};

    s->percentiles = 2;
    memcpy(s->percentile, p, sizeof p);
    memcpy(s->latency_pct_ms, ms, sizeof ms);
}

static void no_percentile(struct snapshot *s)
{
    s->percentiles = 0;
}

static void no_event(struct snapshot *s)
{
    s->events = s->reads = s->writes = s->other = s->errors = s->reconnects = 0;
    s->count[CNT_COMMIT] = 0;
    s->latency_pct_ms[0] = s->latency_min_ms = s->latency_avg_ms = s->latency_max_ms = 0;
    s->latency_sum_ms = 0;
}

static void unfinished(struct snapshot *s)
{
    s->unfinished_forced = 7;
}

/* --- intervals --- */

static void interval(enum generation g, dur_ns at, void (*change)(struct snapshot *s),
                     const char *want)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    s.elapsed_ns = at;
    if (change)
        change(&s);
    text_interval(&out, &s, TEXT_SQL, g, NULL);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void queued(struct snapshot *s)
{
    s->has_rate = s->stock_rate = true;
    s->queue_length = 5;
    s->concurrency = 2;
}

static void plain(struct snapshot *s)
{
    s->has_rate = s->plain_rate = true;
}

static void decimals(struct snapshot *s)
{
    s->stamp_decimals = 2;
}

static void warming(struct snapshot *s)
{
    s->warmup = true;
}

#define LINE_0_4                                                                                   \
    "threads: 8, tps: 101.00, reads/s: 1401.40, writes/s: 400.40 response time: 4.18ms (95%)\n"
#define LINE_0_5                                                                                   \
    "threads: 8, tps: 100.10, reads: 1401.40, writes: 400.40, response time: 4.18ms (95%), "       \
    "errors: 0.30, reconnects:  0.10\n"

static void intervals(void)
{
    interval(GENERATION_0_4, 10 * NS_PER_SEC, NULL, "[  10s] " LINE_0_4);
    interval(GENERATION_0_4_TX, 100 * NS_PER_SEC, plain, "[ 100s] " LINE_0_4);
    interval(GENERATION_0_4_DRIZZLE, 1000 * NS_PER_SEC, NULL, "[1000s] " LINE_0_4);
    interval(GENERATION_0_4, 10000 * NS_PER_SEC, NULL, "[10000s] " LINE_0_4);
    interval(GENERATION_0_5, NS_PER_SEC, NULL, "[   1s] " LINE_0_5);
    interval(GENERATION_0_5, NS_PER_SEC, queued,
             "[   1s] " LINE_0_5 "[   1s] queue length: 5, concurrency: 2\n");
    interval(GENERATION_0_5, NS_PER_SEC, decimals, "[1.00s] " LINE_0_5);
    interval(GENERATION_0_5, NS_PER_SEC, warming, "Warm-up [   1s] " LINE_0_5);
    interval(GENERATION_0_5, NS_PER_SEC, several,
             "[   1s] threads: 8, tps: 100.10, reads: 1401.40, writes: 400.40, response time: "
             "0.50/1234.50ms (50/99.9%), errors: 0.30, reconnects:  0.10\n");
    interval(GENERATION_0_4, NS_PER_SEC, no_percentile,
             "[   1s] threads: 8, tps: 101.00, reads/s: 1401.40, writes/s: 400.40 response time: "
             "0.00ms (0%)\n");
    interval(GENERATION_0_5, NS_PER_SEC, no_event,
             "[   1s] threads: 8, tps: 0.00, reads: 0.00, writes: 0.00, response time: 0.00ms (95%)"
             ", errors: 0.00, reconnects:  0.00\n");
}

static void stamps(void)
{
    struct snapshot s = figures();
    struct str out = STR_INIT;

    text_checkpoint_stamp(&out, &s, GENERATION_0_5);
    text_interval_of(&out, &s, "1.00 MB/sec,", GENERATION_0_5, NULL);
    CHECK_STR(str_cstr(&out), "[  10s] Checkpoint report:\n[  10s] 1.00 MB/sec,\n");
    str_free(&out);
}

/* cpu, threads and mutex have neither intervals nor checkpoints. */
static void end_only(void)
{
    for (int g = 0; g < GENERATION_MAX; g++) {
        CHECK(!text_end_only(TEXT_SQL, (enum generation)g));
        CHECK_INT(text_end_only(TEXT_GENERIC, (enum generation)g),
                  generation_facts((enum generation)g)->old);
    }
}

/* --- the report --- */

#define QUERIES                                                                                    \
    "OLTP test statistics:\n"                                                                      \
    "    queries performed:\n"                                                                     \
    "        read:                            14014\n"                                             \
    "        write:                           4004\n"                                              \
    "        other:                           2002\n"                                              \
    "        total:                           20020\n"
#define EVENTS  "    transactions:                        1010   (101.00 per sec.)\n"
#define COMMITS "    transactions:                        1001   (100.10 per sec.)\n"
#define LOCKED  "    deadlocks:                           3      (0.30 per sec.)\n"
#define REQUESTS                                                                                   \
    "    read/write requests:                 18018  (1801.80 per sec.)\n"                         \
    "    other operations:                    2002   (200.20 per sec.)\n"
#define ERRORS                                                                                     \
    "    ignored errors:                      3      (0.30 per sec.)\n"                            \
    "    reconnects:                          1      (0.10 per sec.)\n"
#define SUMMARY(title, unit, latency)                                                              \
    "\n" title ":\n"                                                                               \
    "    total time:                          10.0123s\n"                                          \
    "    total number of events:              1010\n"                                              \
    "    total time taken by event execution: 86.1504" unit "\n"                                   \
    "    " latency ":\n"                                                                           \
    "         min:                                  0.38ms\n"                                      \
    "         avg:                                  0.86ms\n"                                      \
    "         max:                               5123.40ms\n"
#define OLDEST(unit) SUMMARY("Test execution summary", unit, "per-request statistics")
#define LATER(unit)  SUMMARY("General statistics", unit, "response time")
#define PERCENTILE   "         approx.  95 percentile:               4.18ms\n"
#define FAIRNESS                                                                                   \
    "\n"                                                                                           \
    "Threads fairness:\n"                                                                          \
    "    events (avg/stddev):           126.2500/40.00\n"                                          \
    "    execution time (avg/stddev):   10.7688/0.00\n"                                            \
    "\n"
#define NOTHING(title, unit, latency)                                                              \
    "\n" title ":\n"                                                                               \
    "    total time:                          10.0123s\n"                                          \
    "    total number of events:              0\n"                                                 \
    "    total time taken by event execution: 0.0000" unit "\n"                                    \
    "    " latency ":\n"                                                                           \
    "         min:                                  0.00ms\n"                                      \
    "         avg:                                  0.00ms\n"                                      \
    "         max:                                  0.00ms\n"
#define UNFINISHED "\nNumber of unfinished transactions on forced shutdown: 7\n"

#define SQL_0_4 QUERIES EVENTS LOCKED REQUESTS OLDEST("") PERCENTILE FAIRNESS

static void cumulative(void)
{
    static const struct {
        enum generation g;
        enum text_form form;
        void (*change)(struct snapshot *s);
        const char *want;
    } t[] = {
        {GENERATION_0_4, TEXT_SQL, NULL, SQL_0_4},
        {GENERATION_0_4_TX, TEXT_SQL, NULL, SQL_0_4},
        {GENERATION_0_4_DRIZZLE, TEXT_SQL, NULL, SQL_0_4},
        {GENERATION_0_5, TEXT_SQL, NULL,
         QUERIES COMMITS REQUESTS ERRORS LATER("s") PERCENTILE FAIRNESS},
        {GENERATION_0_4, TEXT_GENERIC, NULL, OLDEST("") PERCENTILE FAIRNESS},
        {GENERATION_0_5, TEXT_GENERIC, NULL, LATER("s") PERCENTILE FAIRNESS},
        {GENERATION_0_4, TEXT_GENERIC, no_percentile, OLDEST("") FAIRNESS},
        {GENERATION_0_4, TEXT_GENERIC, several,
         OLDEST("") "         approx.  50 percentile:               0.50ms\n"
                    "         approx. 99.9 percentile:            1234.50ms\n" FAIRNESS},
        {GENERATION_0_4, TEXT_GENERIC, no_event,
         NOTHING("Test execution summary", "", "per-request statistics") FAIRNESS},
        {GENERATION_0_5, TEXT_GENERIC, no_event,
         NOTHING(
             "General statistics", "s",
             "response time") "         approx.  95 percentile:               0.00ms\n" FAIRNESS},
        /* the tarball says nothing about it */
        {GENERATION_0_4, TEXT_GENERIC, unfinished, OLDEST("") PERCENTILE FAIRNESS},
        {GENERATION_0_5, TEXT_SQL, unfinished,
         QUERIES COMMITS REQUESTS ERRORS UNFINISHED LATER("s") PERCENTILE FAIRNESS},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot s = figures();
        struct str out = STR_INIT;
        if (t[i].change)
            t[i].change(&s);
        text_cumulative(&out, &s, t[i].form, t[i].g);
        CHECK_STR(str_cstr(&out), t[i].want);
        str_free(&out);
    }
}

static void threads(void)
{
    static const struct snapshot_client c[] = {
        {.events = 2, .sum_ns = NS_PER_SEC, .min_ns = 1, .max_ns = 2},
        {.min_ns = -1, .max_ns = -1}};
    struct snapshot s = {.clients = c, .nclients = 2};
    struct str out = STR_INIT;

    text_threads(&out, &s, GENERATION_0_4);
    CHECK_STR(str_cstr(&out),
              "DEBUG: Verbose per-thread statistics:\n\n"
              "DEBUG:     thread #  0: min: 0.0000s  avg: 0.5000s  max: 0.0000s  events: 2\n"
              "DEBUG:                  total time taken by even execution: 1.0000s\n"
              "DEBUG:     thread #  1: min: 0.0000s  avg: 0.0000s  max: 0.0000s  events: 0\n"
              "DEBUG:                  total time taken by even execution: 0.0000s\n\n");
    str_free(&out);
}

TEST_MAIN(text_legacy_test)
{
    intervals();
    stamps();
    end_only();
    cumulative();
    threads();
    return test_done("text_legacy");
}
