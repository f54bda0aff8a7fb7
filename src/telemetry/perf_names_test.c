/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of events: those found, those refused with suggestions, and the derived figures of a list.
 * Tracepoints come from a small made-up tree.  And the arithmetic of counters on recorded reads:
 * growth, scaling, ratios of two events, and the figures that must be absent instead of 0.
 */
#include "telemetry/perf.h"

#include <linux/perf_event.h>
#include <math.h>

#include "base/test_golden.h"
#include "base/test_tree.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const struct perf_names *tree;

/* What a list of events is, or why it is none. */
static void show_list(const char *list)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct err e = {0};
    size_t n;
    int rc = perf_names_parse(tree, list, s, &n, &e);
    const char *end = strstr(e.msg, "; names"); /* what libpfm4 is needed for */

    if (rc)
        golden_line("%s: %.*s", list, end ? (int)(end - e.msg) : 500, e.msg);
    CHECK_INT(e.kind, rc ? ERR_USAGE : ERR_NONE);
    for (size_t i = 0; !rc && i < n; i++)
        golden_line("%s: %s, type %u, config %#llx %#llx %#llx, role %d%s%s, '%s'", list, s[i].name,
                    s[i].type, (ull)s[i].config, (ull)s[i].config1, (ull)s[i].config2, s[i].role,
                    s[i].no_user ? ", not user" : "", s[i].no_kernel ? ", not kernel" : "",
                    s[i].why);
}

static void check_names(void)
{
    golden_line("=== events that there are");
    golden_each("instructions|instructions:u|cycles:k|cycles:uk|Branch-Misses|"
                "l1-icache-load-misses:u|iTLB-load-misses|context-switches|page-faults:u|syscalls|"
                "sched:sched_switch|sched:sched_switch:k|r01c2:u|r0|rffffffffffffffff|SYSCALLS:k|"
                "cpu-migrations:uk|faults:k|cpu-clock|minor-faults|major-faults|alignment-faults|"
                "emulation-faults|branch-instructions",
                show_list);
    golden_line("=== events that there are not");
    golden_each("instrutcions|instrutcions:u|cycles,context-swithces|sched:sched_swich|"
                "shed:sched_switch|zzzzzzzzzz||cycles,,branches|cycles:x|cycles:|"
                "context-switches:u|cycles:ku:u|cycles::u|:u|r|rx|r1g|cpu-migrations:u|"
                "sched:sched_switch:u|sched:|default,|syscalls:u",
                show_list);
    golden_line("=== lists: in order, each once, default in the middle");
    golden_each("task-clock:u,default,cycles:u,cs,syscalls", show_list);
}

static void check_bounds(void)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    char many[2000] = "cycles", name[PERF_NAME_MAX + 2], message[100];
    size_t n;

    for (int i = 1; i <= PERF_MAX_EVENTS; i++) {
        struct err e = {0};
        size_t len = strlen(many);
        snprintf(many + len, sizeof many - len, ",%sr%x", i < PERF_MAX_EVENTS ? "" : "default,",
                 (unsigned)i);
        CHECK_INT(perf_names_parse(tree, many, s, &n, &e), i < PERF_MAX_EVENTS ? 0 : -1);
    }
    memset(name, 'x', sizeof name);
    name[PERF_NAME_MAX + 1] = '\0';
    for (int len = PERF_NAME_MAX + 1; len >= PERF_NAME_MAX - 1; len--) {
        struct err why = {0};
        name[len] = '\0';
        CHECK_INT(perf_names_parse(tree, name, s, &n, &why), -1);
        snprintf(message, sizeof message, "unknown event '%.60s%s", name,
                 len >= PERF_NAME_MAX ? "...'" : "");
        CHECK_INT(strncmp(why.msg, message, strlen(message)), 0);
    }
}

/* Where tracepoints cannot be looked up, one that looks like one is n/a, and two that are n/a are
 * two, though nothing else tells them apart; a slip in a name is still an error. */
static void check_without_tracefs(void)
{
    struct perf_names p;

    perf_names_open(&p, "/nowhere");
    CHECK_INT(p.tracefs_fd, -1);
    tree = &p;
    golden_line("=== without tracefs: %s", p.tracefs_why);
    golden_each("syscalls,sched:sched_switch|a:b,a:c,a:b|instrucions:u", show_list);
    perf_names_close(&p);
}

static void check_libpfm(const struct perf_names *p)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct err e = {0};
    size_t n;

#ifdef HAVE_LIBPFM
    CHECK(strcmp(perf_names_libpfm(), "no") != 0);
    CHECK_INT(perf_names_parse(p, "perf::PERF_COUNT_SW_CPU_MIGRATIONS", s, &n, &e), 0);
    CHECK_INT(s[0].type, PERF_TYPE_SOFTWARE);
    CHECK_INT(s[0].config, PERF_COUNT_SW_CPU_MIGRATIONS);
    CHECK_INT(perf_names_parse(p, "LLC-store-misses,cache-misses:u,node-loads:uk,bus-cycles:k", s,
                               &n, &e),
              0);
    CHECK(n == 4 && s[0].type == PERF_TYPE_HW_CACHE && s[0].config == 0x10102);
    CHECK(!s[0].no_user && !s[0].no_kernel && !s[2].no_user && !s[2].no_kernel);
    CHECK(s[1].config == PERF_COUNT_HW_CACHE_MISSES && s[1].no_kernel && !s[1].no_user);
    CHECK(s[3].config == PERF_COUNT_HW_BUS_CYCLES && s[3].no_user && !s[3].no_kernel);
    CHECK_INT(perf_names_parse(p, "LLC-loads:x", s, &n, &e), -1);
    CHECK_STR(e.msg,
              "event 'LLC-loads:x': only u (user) or k (kernel) may follow the colon, not 'x'");
    CHECK_INT(perf_names_parse(p, "perf::NO_SUCH_EVENT", s, &n, &e), -1);
    CHECK(strstr(e.msg, "unknown event 'perf::NO_SUCH_EVENT'") && !strstr(e.msg, "libpfm4-dev"));
#else
    CHECK_STR(perf_names_libpfm(), "no");
    CHECK_INT(perf_names_parse(p, "perf::PERF_COUNT_SW_CPU_MIGRATIONS", s, &n, &e), -1);
    CHECK(strstr(e.msg, "libpfm4-dev") != NULL);
#endif
}

/* --- figures --- */

static void show(const char *title, const struct perf_spec *s, size_t n,
                 const struct perf_reading *b, const struct perf_reading *a)
{
    static const char *const label[] = {"ipc", "icache", "itlb", "branch misses", "cycles"};
    struct perf_delta d;
    const double *const derived[] = {&d.d.ipc, &d.d.icache_per_instruction,
                                     &d.d.itlb_per_instruction, &d.d.branch_miss_pct, &d.d.cycles};

    perf_figures_diff(s, n, b, a, &d);
    golden_line("=== %s\nwall %lld", title, (long long)d.wall_ns);
    for (size_t i = 0; i < n; i++)
        golden_line("  %s: %s %.12g, ratio %.12g, '%s'", s[i].name, d.f[i].have ? "have" : "n/a",
                    d.f[i].count, d.f[i].ratio, d.f[i].why ? d.f[i].why : "");
    for (size_t i = 0; i < 5; i++)
        golden_line(isnan(*derived[i]) ? "  %s nan" : "  %s %.12g", label[i], *derived[i]);
}

static size_t names(const char *list, struct perf_spec *s)
{
    struct perf_names p;
    struct err e = {0};
    size_t n;

    perf_names_open(&p, "/nowhere");
    CHECK_INT(perf_names_parse(&p, list, s, &n, &e), 0);
    perf_names_close(&p);
    return n;
}

/*
 * A read of one second of two groups on one thread, as a Xeon gave it (perf stat -e ... with a
 * second group): the first group always ran, the second for a part of the time.
 */
static void check_scaled(void)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct perf_reading b = {.at = 1000, .have = 0x3f}, a = {.at = 1000 + NS_PER_SEC, .have = 0x3f};
    const struct perf_value before[] = {{4000, 1000, 1000}, {9000, 1000, 1000}, {17, 1000, 1000},
                                        {5, 1000, 1000},    {70, 1000, 400},    {900, 1000, 400}};
    const uint64_t grown[] = {3200000000, 2000000000, 64000000, 3200000, 1500000, 300000000};
    size_t n = names("instructions:u,cycles:u,L1-icache-load-misses:u,iTLB-load-misses:u,"
                     "branch-misses:u,branches:u",
                     s);

    for (size_t i = 0; i < n; i++) {
        b.v[i] = before[i];
        a.v[i].value = before[i].value + grown[i];
        a.v[i].enabled_ns = before[i].enabled_ns + 800000000;
        a.v[i].running_ns = before[i].running_ns + (i < 4 ? 800000000 : 320000000);
    }
    show("two groups", s, n, &b, &a);
    a.have &= ~2u;
    show("without cycles there is nothing to divide by", s, n, &b, &a);
    a.have |= 2u;
    a.v[1].value = b.v[1].value;
    show("no cycles are no divisor", s, n, &b, &a);
}

static void show_derived(const char *list)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    size_t n = names(list, s);

    golden_line("%s: %#x", list, perf_figures_derived(s, n));
}

static void check_absent(void)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct perf_reading b = {.have = 0x3f}, a = {.have = 0x1f};
    size_t n = names("instructions:u,cycles:u,branches,branch-misses,page-faults,cs", s);

    snprintf(s[2].why, sizeof s[2].why, "no PMU");
    a.v[0] = (struct perf_value){100, 50, 0}; /* never on a counter */
    b.v[1] = (struct perf_value){100, 50, 50};
    a.v[1] = (struct perf_value){99, 60, 60}; /* backwards */
    a.v[3] = (struct perf_value){100, 50, 50};
    a.v[4] = (struct perf_value){0, 0, 0}; /* the server did not run: this is a true 0 */
    show("absent", s, n, &b, &a);
    for (int i = 0; i < 3; i++) {
        b.v[3] = (struct perf_value){100, 100, 100};
        a.v[3] = (struct perf_value){100 - (i == 0), 100 - (i == 1), 100 - (i == 2)};
        a.v[4] =
            (struct perf_value[]){{0, 1, 0}, {3, 4, 1}, {3, 4, 5}}[i]; /* or more than always */
        show("each of the three goes back, by 1; never switched on, a part of the time", s, n, &b,
             &a);
    }
    b.generation = 1;
    show("opened anew", s, n, &b, &a);
}

TEST_MAIN(perf_names_test)
{
    struct perf_names p;

    tree_begin();
    tree_put("events/raw_syscalls/sys_enter/id", "77\n");
    tree_put("events/sched/sched_switch/id", "314\n");
    perf_names_open(&p, test_tree);
    CHECK(p.tracefs_fd >= 0);
    tree = &p;
    check_names();
    check_bounds();
    check_libpfm(&p);
    perf_names_close(&p);
    check_without_tracefs();
    check_scaled();
    golden_line("=== derived figures: both in the same modes, and the first of several");
    golden_each("cs|cycles|instructions|cycles,instructions|cycles:u,instructions:k|"
                "cycles:u,instructions|cycles:u,cycles:k,instructions:k|"
                "L1-icache-load-misses,instructions|iTLB-load-misses:u,instructions:u|"
                "branch-misses,branches|branches|instructions:u,cycles:k,branch-misses,branches|"
                "default",
                show_derived);
    check_absent();
    golden_done("perf_names_test");
    return test_done("perf_names");
}
