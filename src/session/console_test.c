/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output from fixed snapshots, by its three parts: what a script's hook replaces is the
 * body alone, and text files show the same without hooks (tests/data/golden/console_test.txt).
 */
#include "session/console.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/test_capture.h"
#include "base/test_golden.h"
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

/* The output of the three parts for one snapshot. */
static void show(const struct snapshot *s, const char *title)
{
    static const struct observer_ops *const parts[] = {&console_head, &console_body, &console_tail};
    struct snapshot copy = *s;
    struct str out = STR_INIT;

    for (size_t i = 0; i < COUNT(parts); i++) {
        capture();
        parts[i]->on(&console, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &copy});
        str_printf(&out, "%s%s", i ? "|" : "", captured());
    }
    golden(&out, "%s", title);
    str_free(&out);
}

/* The output of an event that is no snapshot. */
static void tell(const struct observer_ops *part, enum run_event_kind kind, const char *title)
{
    struct str out = STR_INIT;

    capture();
    part->on(&console, &(struct run_event){.kind = kind});
    str_adds(&out, captured());
    golden(&out, "%s", title);
    str_free(&out);
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

static void intervals(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL);

    with_defaults();
    show(&s, "an interval");
    console.hooked_interval = true;
    show(&s, "the same with a hook");
    console.hooked_interval = false;
    console.hooked_cumulative = true;
    show(&s, "with a hook of another report");
    s.marks = &mark;
    s.nmarks = 1;
    show(&s, "with a mark");
    /* a long line: once a sentence behind it */
    s = figures(SNAPSHOT_INTERVAL);
    s.has_rate = true;
    console.fit = (struct text_fit){.most = 62, .kept = SIZE_MAX};
    show(&s, "cut to a width");
    show(&s, "cut to a width, which has been said");
    console.fit = (struct text_fit){0};
}

static void cumulatives(void)
{
    struct snapshot s = figures(SNAPSHOT_CHECKPOINT);
    uint64_t none[4] = {0};
    struct hist_counts h = {.count = none, .size = 4};

    with_defaults();
    show(&s, "a checkpoint");
    console.hooked_cumulative = true;
    info.action = &action;
    info.actions = 1;
    show(&s, "the same with a hook and commands");
    s.kind = SNAPSHOT_FINAL;
    show(&s, "the final report, with a hook");
    console.hooked_cumulative = false;
    info.actions = 0;
    render.histogram = true;
    s.stock_hist = &h;
    show(&s, "an empty histogram");
    none[1] = 2;
    show(&s, "a histogram");
    s.kind = SNAPSHOT_CHECKPOINT;
    show(&s, "a checkpoint has none");
    render.histogram = false;
    s = figures(SNAPSHOT_FINAL);
    s.rate = (struct snapshot_rate){
        .total_offered = 9, .total_done = 1, .total_failed = 2, .total_dropped = 3, .waiting = 4};
    result.accounts_balance = false;
    show(&s, "accounts that do not balance");
    s.kind = SNAPSHOT_CHECKPOINT;
    show(&s, "not decided yet");
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
    show(&s, "an interval in own words");
    s.kind = SNAPSHOT_FINAL;
    ops.render_cumulative = own_lines;
    show(&s, "own lines");
    plan.generation = generation_facts(GENERATION_1_1);
    show(&s, "own lines, 1.1");
    plan.generation = generation_facts(GENERATION_1_0);
    ops.render_cumulative = own_report;
    render.debug = true;
    show(&s, "an own report, debug");
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
    show(&s, "table: first row");
    show(&s, "table: second row");
    show(&checkpoint, "table: a checkpoint");
    show(&s, "table: the header again");
    console.hooked_cumulative = true;
    show(&checkpoint, "table: a checkpoint with a hook");
    show(&s, "table: the header again after a hook");
    console_free(&console);
    CHECK(console.table == NULL);
}

static void before_and_after(void)
{
    struct environment e = {0};

    with_defaults();
    tell(&console_head, RUN_HEADER, "header");
    tell(&console_head, RUN_READY, "ready");
    environment_add(&e, "k", "v");
    console.environment = &e;
    tell(&console_head, RUN_READY, "ready, environment");
    console.environment = NULL;
    environment_free(&e);
    plan.warmup = 4 * NS_PER_SEC;
    tell(&console_head, RUN_WARMING_UP, "warming up");
    tell(&console_tail, RUN_CLOSING, "closing");
    info.action = &action;
    info.actions = 1;
    tell(&console_tail, RUN_CLOSING, "closing, commands");
    for (int g = 0; g < GENERATION_MAX; g++) {
        plan.generation = generation_facts((enum generation)g);
        tell(&console_head, RUN_STARTED, "started, each generation");
    }
}

/* A text file: independent of the hooks, and without the title of the histogram. */
static void files(void)
{
    static const enum snapshot_kind kinds[] = {SNAPSHOT_INTERVAL, SNAPSHOT_CHECKPOINT,
                                               SNAPSHOT_FINAL};
    uint64_t one[4] = {0, 1, 0, 0};
    struct hist_counts h = {.count = one, .size = 4};
    struct str out = STR_INIT;

    with_defaults();
    console.hooked_interval = console.hooked_cumulative = true;
    render.histogram = true;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct snapshot s = figures(kinds[i]);
        s.stock_hist = &h;
        render_report(&render, &s, &out);
        golden(&out, "file, kind %d", (int)kinds[i]);
    }
    render.histogram = false;
    plan.generation = generation_facts(GENERATION_0_5);
    struct snapshot checkpoint = figures(SNAPSHOT_CHECKPOINT);
    render_report(&render, &checkpoint, &out);
    golden(&out, "file, checkpoint of a built-in test, 0.5");
    str_free(&out);
}

/* A built-in test of an old generation is reported at its end only, unless it has figures of its
 * own for an interval; a script is always reported with its statements. */
static void old_generation(void)
{
    static const enum snapshot_kind kinds[] = {SNAPSHOT_INTERVAL, SNAPSHOT_CHECKPOINT,
                                               SNAPSHOT_FINAL};

    with_defaults();
    plan.generation = generation_facts(GENERATION_0_5);
    for (size_t i = 0; i < 3 * COUNT(kinds); i++) {
        struct snapshot s = figures(kinds[i % 3]);
        char title[60];
        ops.render_interval = i / 3 == 1 ? own_interval : NULL;
        ops.is_script = i / 3 == 2;
        snprintf(title, sizeof title, "0.5, %s, kind %d",
                 ops.is_script         ? "script"
                 : ops.render_interval ? "own words"
                                       : "built-in test",
                 (int)kinds[i % 3]);
        show(&s, title);
    }
    plan.generation = generation_facts(GENERATION_1_0);
}

/* --batch of 0.4.12: lines in place of intervals, none of them folded. */
static void batch(void)
{
    struct snapshot s = figures(SNAPSHOT_INTERVAL);

    with_defaults();
    hist_counts_init(&console.batch, HIST_BUCKETS);
    show(&s, "batch");
    show(&s, "batch again");
    console_free(&console);
}

static const struct {
    enum generation generation;
    bool debug; /* and validation */
    struct plan p;
#define ROW(generation, debug, ...)                                                                \
    {                                                                                              \
        GENERATION_##generation, debug,                                                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
} headers[] = {
    ROW(1_0, false, .clients = 1),
    ROW(1_0, false, .clients = 8, .workers = 1),
    ROW(1_0, false, .clients = 8, .workers = 2),
    ROW(1_0, false, .clients = 1, .think = 20500000),
    ROW(1_0, false, .clients = 1, .think = 1000000, .think_exp = true),
    ROW(1_0, false, .clients = 1, .warmup = 3 * NS_PER_SEC),
    ROW(1_0, false, .clients = 1, .rate = 99.6, .stock_rate = true),
    ROW(1_0, false, .clients = 1, .rate = 99.6, .arrival = ARRIVAL_EVEN, .jitter = 1500),
    ROW(1_0, false, .clients = 1, .rate = 1e6, .arrival = ARRIVAL_POISSON),
    ROW(1_0, false, .clients = 1, .rate = 5, .arrival = ARRIVAL_ALIGNED),
    ROW(0_4_TX, false, .clients = 4),
    ROW(0_4_TX, false, .clients = 4, .seed_from_clock = true),
    ROW(0_4_TX, false, .clients = 4, .rate = 20, .old_rate = true),
    ROW(0_4_TX, false, .clients = 4, .rate = 20, .old_rate = true, .jitter = 400000000),
    ROW(0_4_TX, false, .clients = 4, .rate = 20),
    ROW(0_5, false, .clients = 4, .rate = 20, .stock_rate = true, .seed_from_clock = true),
    ROW(0_5, false, .clients = 4, .rate = 20, .old_rate = true, .seed = 3),
    ROW(0_5, true, .clients = 4, .report_interval = 10 * NS_PER_SEC,
        .checkpoint = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC}, .checkpoints = 2),
    ROW(1_0, false, .clients = 1, .report_interval = NS_PER_SEC / 2),
    ROW(1_0, false, .clients = 1, .checkpoint = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC},
        .checkpoints = 1),
    ROW(1_0, false, .clients = 1, .checkpoint = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC},
        .checkpoints = 3),
    ROW(1_0, true, .clients = 1, .seed = 42),
    ROW(1_0, false, .clients = 1, .time_limit = 9 * NS_PER_SEC, .warmup = NS_PER_SEC,
        .forced = FORCED_ON, .forced_grace = 5 * NS_PER_SEC),
    ROW(1_0, false, .workers = 2),
    ROW(1_0, false, .workers = 2, .workers_by_default = true),
    ROW(1_0, false, .workers = 2, .workers_by_default = true, .rate = 10),
    ROW(1_0, false, .workers = 2, .workers_by_default = true, .rate = 10, .stock_rate = true),
    ROW(0_4_TX, false, .workers = 2, .workers_by_default = true, .rate = 20, .old_rate = true),
    ROW(0_4_TX, false, .workers = 2, .workers_by_default = true, .rate = 20, .old_rate = true,
        .plain_rate = true),
};

static void header(void)
{
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct plan p = headers[i].p;
        struct report_info told = {0};
        struct render r = {
            .plan = &p, .debug = headers[i].debug, .validate = headers[i].debug, .info = &told};
        struct str out = STR_INIT;
        p.clients = p.clients ? p.clients : 1;
        p.generation = generation_facts(headers[i].generation);
        render_header(&r, &out);
        golden(&out, "header %zu", i + 1);
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
    } t[] = {{"--report-style=table", true, 280},
             {"--report-style=line", false, 280},
             {"--report-style=full", false, 0}};

    for (size_t i = 0; i < COUNT(t); i++) {
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
    own_words();
    table();
    before_and_after();
    files();
    header();
    old_generation();
    batch();
    style();
    golden_done("console_test");
    return test_done("console");
}
