/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output from fixed snapshots: the output of each part, that a script's hook replaces only
 * the body, and that text files show the same without hooks.
 */
#include "session/console.h"

#include <stdlib.h>

#include "base/test.h"
#include "base/test_capture.h"
#include "report/text.h"

static struct workload_ops ops = {.name = "fake"};
static struct workload workload = {.ops = &ops, .name = "fake"};
static struct run_result result = {.accounts_balance = true, .sustained = true};
static const struct report_action action = {.state = ACTION_NOT_RUN, .at_s = 1, .command = "true"};
static struct report_info info;
static struct plan plan = {.clients = 3};
static struct render render = {
    .workload = &workload, .info = &info, .result = &result, .plan = &plan};
static struct console console = {.render = &render};
static const struct mark mark = {.text = "now"};

static struct snapshot figures(enum snapshot_kind kind)
{
    return (struct snapshot){.kind = kind,
                             .elapsed_ns = 2 * NS_PER_SEC,
                             .interval_ns = NS_PER_SEC,
                             .threads = 3,
                             .threads_running = 3,
                             .events = 7};
}

/* The output of the three parts for one snapshot; "|" between them. */
static char *printed(const struct snapshot *s)
{
    static const struct observer_ops *const parts[] = {&console_head, &console_body, &console_tail};
    static char all[20000];
    struct snapshot copy = *s;

    *all = '\0';
    for (size_t i = 0; i < 3; i++) {
        capture();
        parts[i]->on(&console, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &copy});
        strcat(all, captured());
        strcat(all, i < 2 ? "|" : "");
    }
    return all;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void with_defaults(void)
{
    ops = (struct workload_ops){.name = "fake"};
    info = (struct report_info){0};
    render.histogram = render.debug = false;
    plan.generation = generation_facts(GENERATION_1_0);
    console.hooked_interval = console.hooked_cumulative = false;
    result.accounts_balance = true;
    log_set_verbosity(LOG_NOTICE);
}

static const char line[] = "[ 2s ] thds: 3 eps: 7.00 lat (ms,0%): 0.00\n";

static void intervals(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL);
    char want[200];

    with_defaults();
    snprintf(want, sizeof want, "|%s|", line);
    CHECK_STR(printed(&s), want);
    console.hooked_interval = true;
    CHECK_STR(printed(&s), "||");
    console.hooked_interval = false;
    console.hooked_cumulative = true; /* of another report */
    CHECK_STR(printed(&s), want);
    s.marks = &mark;
    s.nmarks = 1;
    CHECK(strstr(printed(&s), "now") < strstr(printed(&s), "|["));

    /* a long line: once a sentence behind it */
    s = figures(SNAPSHOT_INTERVAL);
    s.has_rate = true;
    console.fit = (struct text_fit){.most = 62, .kept = SIZE_MAX};
    snprintf(want, sizeof want, "|%.*s | failed 0 late 0\n", (int)strlen(line) - 1, line);
    CHECK(begins(printed(&s), want));
    CHECK(strstr(printed(&s), "hidden") == NULL);
    console.told = 0;
    strcpy(want + strlen(want), "9 figures hidden; --report-style=full, csv and json have all\n|");
    CHECK_STR(printed(&s), want);
    console.fit = (struct text_fit){0};
}

static void cumulatives(void)
{
    struct snapshot s = figures(SNAPSHOT_CHECKPOINT);

    with_defaults();
    CHECK(begins(printed(&s), "[ 2s ] Checkpoint report:\n|\nGeneral statistics:\n"));
    console.hooked_cumulative = true;
    CHECK(begins(printed(&s), "[ 2s ] Checkpoint report:\n||"));
    info.action = &action;
    info.actions = 1;
    CHECK(strstr(printed(&s), "Commands") == NULL);
    s.kind = SNAPSHOT_FINAL;
    CHECK(begins(printed(&s), "||The whole run ("));
    CHECK(strstr(printed(&s), "\n\nCommands:\n"));
    console.hooked_cumulative = false;
    CHECK(begins(printed(&s), "|\nGeneral statistics:\n"));
}

static void histogram(void)
{
    struct snapshot s = figures(SNAPSHOT_FINAL);
    uint64_t none[4] = {0};
    struct hist_counts h = {.count = none, .size = 4};

    with_defaults();
    render.histogram = true;
    s.stock_hist = &h;
    CHECK(begins(printed(&s), "Latency histogram (values are in milliseconds)\n \n|\nGeneral"));
    none[1] = 2;
    CHECK(strstr(printed(&s), "|**************************************** 2\n \n|") != NULL);
    s.kind = SNAPSHOT_CHECKPOINT;
    CHECK(strstr(printed(&s), "Latency histogram") == NULL);
}

static void own_interval(const struct workload *w, const struct snapshot *s, struct str *out)
{
    (void)w;
    str_printf(out, "%llu things", (unsigned long long)s->events);
}

static bool own_lines(const struct workload *w, const struct snapshot *s, enum generation g,
                      struct str *out)
{
    (void)w, (void)s;
    str_adds(out, g == GENERATION_1_1 ? "own 1.1\n" : "own 1.0\n");
    return false;
}

static bool own_report(const struct workload *w, const struct snapshot *s, enum generation g,
                       struct str *out)
{
    (void)w, (void)s, (void)g;
    str_adds(out, "own report\n");
    return true;
}

static void own_words(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL);

    with_defaults();
    ops.render_interval = own_interval;
    CHECK_STR(printed(&s), "|[ 2s ] 7 things\n|");
    s.kind = SNAPSHOT_FINAL;
    ops.render_cumulative = own_lines;
    CHECK(begins(printed(&s), "|own 1.0\n\nGeneral statistics:\n"));
    plan.generation = generation_facts(GENERATION_1_1);
    CHECK(begins(printed(&s), "|own 1.1\n\nThroughput:\n"));
    plan.generation = generation_facts(GENERATION_1_0);
    ops.render_cumulative = own_report;
    CHECK_STR(printed(&s), "|own report\n|");
    render.debug = true;
    CHECK_STR(printed(&s), "|own report\nDEBUG: Verbose per-thread statistics:\n\n\n|");
}

static void unbalanced(void)
{
    struct snapshot s = figures(SNAPSHOT_FINAL);
    const char *want =
        "ALERT: the accounts do not balance: offered 9, done 1, failed 2, dropped 3, "
        "unfinished 4\n";

    with_defaults();
    s.rate = (struct snapshot_rate){.total_offered = 9,
                                    .total_done = 1,
                                    .total_failed = 2,
                                    .total_dropped = 3,
                                    .unfinished = 4};
    CHECK(strstr(printed(&s), "ALERT") == NULL);
    result.accounts_balance = false;
    CHECK(strstr(printed(&s), want) != NULL);
    s.kind = SNAPSHOT_CHECKPOINT; /* not decided yet */
    CHECK(strstr(printed(&s), "ALERT") == NULL);
}

static struct text_screen narrow(void *arg)
{
    (void)arg;
    return (struct text_screen){.width = 80};
}

/* A cumulative report between two rows brings the header again. */
static void table(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL), checkpoint = figures(SNAPSHOT_CHECKPOINT);

    with_defaults();
    console.table = text_table_new(narrow, NULL);
    CHECK(strstr(printed(&s), "time s") != NULL);
    CHECK(strstr(printed(&s), "time s") == NULL);
    CHECK(strstr(printed(&s), "7.00") != NULL);
    printed(&checkpoint);
    CHECK(strstr(printed(&s), "time s") != NULL);
    console.hooked_cumulative = true;
    printed(&checkpoint);
    CHECK(strstr(printed(&s), "time s") != NULL);
    console_free(&console);
    CHECK(console.table == NULL);
}

static void before_and_after(void)
{
    struct environment e = {0};

    with_defaults();
    capture();
    console_head.on(&console, &(struct run_event){.kind = RUN_HEADER});
    CHECK(strstr(captured(), "Number of threads: 3\n") != NULL);
    capture();
    console_head.on(&console, &(struct run_event){.kind = RUN_READY});
    CHECK_STR(captured(), "");
    environment_add(&e, "k", "v");
    console.environment = &e;
    capture();
    console_head.on(&console, &(struct run_event){.kind = RUN_READY});
    CHECK_STR(captured(), "Environment:\n    k:                                   v\n\n");
    console.environment = NULL;
    environment_free(&e);
    capture();
    console_head.on(&console, &(struct run_event){.kind = RUN_STARTED});
    CHECK_STR(captured(), "Threads started!\n\n");
    plan.warmup = 4 * NS_PER_SEC;
    capture();
    console_head.on(&console, &(struct run_event){.kind = RUN_WARMING_UP});
    CHECK_STR(captured(), "Warming up for 4 seconds...\n\n");
    capture();
    console_tail.on(&console, &(struct run_event){.kind = RUN_CLOSING});
    CHECK_STR(captured(), "");
    info.action = &action;
    info.actions = 1;
    capture();
    console_tail.on(&console, &(struct run_event){.kind = RUN_CLOSING});
    CHECK(begins(captured(), "Commands"));
}

/* A text file: independent of the hooks, and without the title of the histogram. */
static void files(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL);
    uint64_t one[4] = {0, 1, 0, 0};
    struct hist_counts h = {.count = one, .size = 4};
    struct str out = STR_INIT;

    with_defaults();
    console.hooked_interval = console.hooked_cumulative = true;
    render.histogram = true;
    s.stock_hist = &h;
    render_header(&render, &out);
    CHECK(strstr(str_cstr(&out), "Number of threads: 3\n") != NULL);
    str_reset(&out);
    render_report(&render, &s, &out);
    CHECK_STR(str_cstr(&out), line);
    str_reset(&out);
    s.kind = SNAPSHOT_CHECKPOINT;
    render_report(&render, &s, &out);
    CHECK(begins(str_cstr(&out), "[ 2s ] Checkpoint report:\n\nGeneral"));
    str_reset(&out);
    s.kind = SNAPSHOT_FINAL;
    render_report(&render, &s, &out);
    CHECK(begins(str_cstr(&out), "       value  ---"));
    CHECK(strstr(str_cstr(&out), "\nGeneral statistics:\n") != NULL);
    str_free(&out);
}

/* A built-in test of an old generation is reported at its end only, unless it has figures of its
 * own for an interval; a script is always reported with its statements. */
static void old_generation(void)
{
    struct snapshot interval = figures(SNAPSHOT_INTERVAL);
    struct snapshot checkpoint = figures(SNAPSHOT_CHECKPOINT);
    struct snapshot final = figures(SNAPSHOT_FINAL);
    struct str out = STR_INIT;

    with_defaults();
    plan.generation = generation_facts(GENERATION_0_5);
    CHECK_STR(printed(&interval), "||");
    CHECK_STR(printed(&checkpoint), "||");
    CHECK(begins(printed(&final), "|\nGeneral statistics:\n    total time:  "));
    CHECK(strstr(printed(&final), "execution: 0.0000s\n") != NULL);
    render_report(&render, &checkpoint, &out);
    CHECK_STR(str_cstr(&out), "");
    ops.render_interval = own_interval;
    CHECK_STR(printed(&interval), "|[   2s] 7 things\n|");
    CHECK(begins(printed(&checkpoint), "[   2s] Checkpoint report:\n|\nGeneral"));
    ops.render_interval = NULL;
    ops.is_script = true;
    CHECK(begins(printed(&interval), "|[   2s] threads: 3, tps: 0.00, reads: "));
    CHECK(begins(printed(&checkpoint), "[   2s] Checkpoint report:\n|OLTP test statistics:\n"));
    plan.generation = generation_facts(GENERATION_1_0);
    str_free(&out);
}

/* --batch of 0.4.12: lines in place of intervals, none of them folded. */
static void batch(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL);
    const char *zeros = "min: 0.0000  avg: 0.0000  max: 0.0000  percentile: 0.0000\n";
    char twice[200];

    with_defaults();
    hist_counts_init(&console.batch, HIST_BUCKETS);
    capture();
    console_body.on(&console, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    console_body.on(&console, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    snprintf(twice, sizeof twice, "%s%s", zeros, zeros);
    CHECK_STR(captured(), twice);
    console_free(&console);
}

#define FIRST   "Running the test with following options:\n"
#define IGNORED "Random number generator seed is 0 and will be ignored\n\n"
#define TIMER   "Initializing random number generator from timer.\n\n"
#define CLOCK   "Initializing random number generator from current time\n\n"

static const struct {
    enum generation generation;
    struct plan p;
    const char *want;
    bool debug, validate;
} headers[] = {
    {GENERATION_1_0, {.clients = 1}, FIRST "Number of threads: 1\n" CLOCK "\n", false, false},
    {GENERATION_1_0,
     {.clients = 8, .workers = 1},
     FIRST "Number of threads: 8\nWorker threads: 1\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 8, .workers = 2},
     FIRST "Number of threads: 8\nWorker threads: 2\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .think = 20500000},
     FIRST "Number of threads: 1\nThink time: 20.5 ms\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .think = 1000000, .think_exp = true},
     FIRST "Number of threads: 1\nThink time: 1 ms on average, exponential\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .warmup = 3 * NS_PER_SEC},
     FIRST "Number of threads: 1\nWarmup time: 3s\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .rate = 99.6, .stock_rate = true},
     FIRST "Number of threads: 1\nTarget transaction rate: 100/sec\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .rate = 99.6, .arrival = ARRIVAL_EVEN, .jitter = 1500},
     FIRST "Number of threads: 1\nTarget transaction rate: 99.6/sec, even arrivals, jitter 1.5 "
           "usec\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .rate = 1e6, .arrival = ARRIVAL_POISSON},
     FIRST "Number of threads: 1\nTarget transaction rate: 1000000/sec, Poisson arrivals, jitter 0 "
           "usec\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .rate = 5, .arrival = ARRIVAL_ALIGNED},
     FIRST "Number of threads: 1\nTarget transaction rate: 5/sec, aligned arrivals, jitter "
           "20000 usec\n" CLOCK "\n",
     false,
     false},
    {GENERATION_0_4_TX, {.clients = 4}, FIRST "Number of threads: 4\n\n", false, false},
    {GENERATION_0_4_TX,
     {.clients = 4, .seed_from_clock = true},
     FIRST "Number of threads: 4\n" TIMER "\n",
     false,
     false},
    {GENERATION_0_4_TX,
     {.clients = 4, .rate = 20, .old_rate = true},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec, with jitter 0 usec\n\n",
     false,
     false},
    {GENERATION_0_4_TX,
     {.clients = 4, .rate = 20, .old_rate = true, .jitter = 400000000},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec, with jitter 400000 usec\n\n",
     false,
     false},
    {GENERATION_0_4_TX,
     {.clients = 4, .rate = 20},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec, even arrivals, jitter 0 "
           "usec\n\n",
     false,
     false},
    {GENERATION_0_5,
     {.clients = 4, .rate = 20, .stock_rate = true, .seed_from_clock = true},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec\n" TIMER IGNORED "\n",
     false,
     false},
    {GENERATION_0_5,
     {.clients = 4, .rate = 20, .old_rate = true, .seed = 3},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec\n"
           "Initializing random number generator from seed (3).\n\n\n",
     false,
     false},
    {GENERATION_0_5,
     {.clients = 4,
      .report_interval = 10 * NS_PER_SEC,
      .checkpoint = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC},
      .checkpoints = 2},
     FIRST "Number of threads: 4\nReport intermediate results every 10 second(s)\n"
           "Report checkpoint(s) at 1, 10 seconds\nDebug mode enabled.\n\n"
           "Additional request validation enabled.\n\n" IGNORED "\n",
     true,
     true},
    {GENERATION_1_0,
     {.clients = 1, .report_interval = NS_PER_SEC / 2},
     FIRST "Number of threads: 1\nReport intermediate results every 0.5 second(s)\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1,
      .checkpoint = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC},
      .checkpoints = 1},
     FIRST "Number of threads: 1\nReport checkpoint(s) at 1 seconds\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1,
      .checkpoint = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC},
      .checkpoints = 3},
     FIRST "Number of threads: 1\nReport checkpoint(s) at 1, 10, 3600 seconds\n" CLOCK "\n",
     false,
     false},
    {GENERATION_1_0,
     {.clients = 1, .seed = 42},
     FIRST "Number of threads: 1\nDebug mode enabled.\n\nValidation checks: on.\n\n"
           "Initializing random number generator from seed (42).\n\n\n",
     true,
     true},
    {GENERATION_1_0,
     {.clients = 1,
      .time_limit = 9 * NS_PER_SEC,
      .warmup = NS_PER_SEC,
      .forced = FORCED_ON,
      .forced_grace = 5 * NS_PER_SEC},
     FIRST "Number of threads: 1\nWarmup time: 1s\n" CLOCK "Forcing shutdown in 15 seconds\n\n",
     false,
     false},
};

/* The header, and what follows when the threads have started. */
static void header(void)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct plan p = headers[i].p;
        struct render r = {.plan = &p, .debug = headers[i].debug, .validate = headers[i].validate};
        struct str out = STR_INIT;
        p.generation = generation_facts(headers[i].generation);
        render_header(&r, &out);
        CHECK_STR(str_cstr(&out), headers[i].want);
        str_free(&out);
    }
    with_defaults();
    for (int g = 0; g < GENERATION_MAX; g++) {
        bool old_0_4 = generation_facts((enum generation)g)->form == FORM_0_4;
        plan.generation = generation_facts((enum generation)g);
        capture();
        console_head.on(&console, &(struct run_event){.kind = RUN_STARTED});
        CHECK_STR(captured(), old_0_4 ? "Threads started!\n" : "Threads started!\n\n");
    }
}

/* The header of stock's options does not mention workers that the user did not request. */
static void header_workers(void)
{
    static const struct {
        struct plan p;
        enum generation generation;
        bool told;
    } t[] = {
        {{.workers = 2}, GENERATION_1_0, true},
        {{.workers = 2, .workers_by_default = true}, GENERATION_1_0, false},
        {{.workers = 2, .workers_by_default = true, .rate = 10}, GENERATION_1_0, true},
        {{.workers = 2, .workers_by_default = true, .rate = 10, .stock_rate = true},
         GENERATION_1_0,
         false},
        {{.workers = 2, .workers_by_default = true, .rate = 20, .old_rate = true},
         GENERATION_0_4_TX,
         true},
        {{.workers = 2,
          .workers_by_default = true,
          .rate = 20,
          .old_rate = true,
          .plain_rate = true},
         GENERATION_0_4_TX,
         false},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct plan p = t[i].p;
        struct str out = STR_INIT;
        p.generation = generation_facts(t[i].generation);
        render_header(&(struct render){.plan = &p}, &out);
        CHECK_INT(strstr(str_cstr(&out), "\nWorker threads: 2\n") != NULL, t[i].told);
        str_free(&out);
    }
}

/* Standard output is no terminal here: tests/t/report_style.t checks the effect of auto. */
static void style(void)
{
    static const struct opt_row rows[] = {
        {.name = "report-style", .type = OPT_STRING, .def = "auto"}};
    static const struct {
        const char *arg;
        bool table;
        size_t most;
    } t[] = {{"--report-style=table", true, 250},
             {"--report-style=line", false, 250},
             {"--report-style=full", false, 0}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = opts_new();
        opts_add(o, OPT_GROUP_LOG, rows, 1);
        CHECK_INT(opts_set_arg(o, t[i].arg, NULL), 0);
        CHECK_INT(console_wants_table(o), t[i].table);
        CHECK_INT(console_fit(o).most, t[i].most);
        opts_free(o);
    }
}

TEST_MAIN(console_test)
{
    intervals();
    cumulatives();
    histogram();
    own_words();
    unbalanced();
    table();
    before_and_after();
    files();
    header();
    header_workers();
    old_generation();
    batch();
    style();
    return test_done("console");
}
