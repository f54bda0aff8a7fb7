/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of counters on recorded reads: growth, scaling, ratios of two events, and the
 * figures that must be absent instead of 0.
 */
#include "telemetry/perf.h"

#include <math.h>

#include "base/test.h"

static void names(struct perf_spec *s, size_t *n, const char *list)
{
    struct perf_names p;
    struct err e = {0};

    perf_names_open(&p, "/nowhere");
    CHECK_INT(perf_names_parse(&p, list, s, n, &e), 0);
    perf_names_close(&p);
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
    struct perf_delta d;
    size_t n;

    names(s, &n,
          "instructions:u,cycles:u,L1-icache-load-misses:u,iTLB-load-misses:u,branch-misses:u,"
          "branches:u");
    CHECK_INT(n, 6);
    for (size_t i = 0; i < n; i++) {
        b.v[i] = before[i];
        a.v[i].value = before[i].value + grown[i];
        a.v[i].enabled_ns = before[i].enabled_ns + 800000000;
        a.v[i].running_ns = before[i].running_ns + (i < 4 ? 800000000 : 320000000);
    }
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK_INT(d.wall_ns, NS_PER_SEC);
    CHECK(d.f[0].have && d.f[5].have);
    CHECK_NEAR(d.f[0].count, 3.2e9, 0);
    CHECK_NEAR(d.f[0].ratio, 1, 0);
    CHECK_NEAR(d.f[4].ratio, 0.4, 1e-12);
    CHECK_NEAR(d.f[4].count, 3750000, 1e-3); /* 1.5 M in 40 % of the time */
    CHECK_NEAR(d.f[5].count, 7.5e8, 1e-3);
    CHECK_NEAR(d.d.ipc, 1.6, 1e-12);
    CHECK_NEAR(d.d.icache_per_instruction, 0.02, 1e-12);
    CHECK_NEAR(d.d.itlb_per_instruction, 0.001, 1e-12);
    CHECK_NEAR(d.d.branch_miss_pct, 0.5, 1e-12);
    CHECK_NEAR(d.d.cycles, 2e9, 0);
    a.have &= ~2u; /* not read: nothing to divide by */
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK(isnan(d.d.cycles) && isnan(d.d.ipc));
    CHECK_NEAR(d.d.branch_miss_pct, 0.5, 1e-12);
    a.have |= 2u;
    a.v[1].value = b.v[1].value; /* none is no divisor */
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK(isnan(d.d.cycles) && isnan(d.d.ipc));
    /* both in the same modes, and the first of several */
    static const struct {
        const char *list;
        unsigned derived;
    } t[] = {
        {"cs", 0},
        {"cycles", PERF_WORK},
        {"instructions", 0},
        {"cycles,instructions", PERF_IPC | PERF_WORK},
        {"cycles:u,instructions:k", PERF_WORK},
        {"cycles:u,instructions", PERF_WORK},
        {"cycles:u,cycles:k,instructions:k", PERF_IPC | PERF_WORK},
        {"L1-icache-load-misses,instructions", PERF_ICACHE},
        {"iTLB-load-misses:u,instructions:u", PERF_ITLB},
        {"branch-misses,branches", PERF_BRANCH},
        {"branches", 0},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        names(s, &n, t[i].list);
        CHECK_INT(perf_figures_derived(s, n), t[i].derived);
    }
}

static void check_absent(void)
{
    struct perf_spec s[PERF_MAX_EVENTS];
    struct perf_reading b = {.have = 0x3f}, a = {.have = 0x1f};
    struct perf_delta d;
    size_t n;

    names(s, &n, "instructions:u,cycles:u,branches,branch-misses,page-faults,cs");
    snprintf(s[2].why, sizeof s[2].why, "no PMU");
    a.v[0] = (struct perf_value){100, 50, 0}; /* never on a counter */
    b.v[1] = (struct perf_value){100, 50, 50};
    a.v[1] = (struct perf_value){99, 60, 60}; /* backwards */
    a.v[3] = (struct perf_value){100, 50, 50};
    a.v[4] = (struct perf_value){0, 0, 0}; /* the server did not run: this is a true 0 */
    perf_figures_diff(s, n, &b, &a, &d);
    static const char *const why[] = {"other events held the CPU's counters all the time",
                                      "the counter went backwards",
                                      "no PMU",
                                      NULL,
                                      NULL,
                                      "the counter could not be read"};
    static const double count[] = {0, 0, 0, 100, 0, 0}, ratio[] = {0, 0, 0, 1, 1, 0};
    for (size_t i = 0; i < n; i++) {
        CHECK_INT(d.f[i].have, !why[i]);
        CHECK_STR(d.f[i].why ? d.f[i].why : "", why[i] ? why[i] : "");
        CHECK_NEAR(d.f[i].count, count[i], 0);
        CHECK_NEAR(d.f[i].ratio, ratio[i], 0);
    }
    CHECK_INT(d.wall_ns, 0);
    CHECK(isnan(d.d.cycles) && isnan(d.d.icache_per_instruction));
    /* each of the three that goes back, by 1; and one that was never switched on */
    for (int i = 0; i < 3; i++) {
        b.v[3] = (struct perf_value){100, 100, 100};
        a.v[3] = (struct perf_value){100 - (i == 0), 100 - (i == 1), 100 - (i == 2)};
        perf_figures_diff(s, n, &b, &a, &d);
        CHECK_STR(d.f[3].why, "the counter went backwards");
    }
    a.v[4] = (struct perf_value){0, 1, 0};
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK_STR(d.f[4].why, "it was never switched on");
    a.v[4] = (struct perf_value){3, 4, 1};
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK_NEAR(d.f[4].count, 12, 0);
    CHECK_NEAR(d.f[4].ratio, 0.25, 0);
    a.v[4] = (struct perf_value){3, 4, 5}; /* never more than always */
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK_NEAR(d.f[4].count, 3, 0);
    CHECK_NEAR(d.f[4].ratio, 1, 0);
    b.generation = 1;
    perf_figures_diff(s, n, &b, &a, &d);
    for (size_t i = 0; i < n; i++)
        CHECK_STR(d.f[i].why, i == 2 ? "no PMU" : "the counters were opened anew in this interval");
    b.generation = 0;
    perf_figures_diff(s, n, &b, &a, &d);
    CHECK(isnan(d.d.ipc) && isnan(d.d.branch_miss_pct) && isnan(d.d.itlb_per_instruction));
}

TEST_MAIN(perf_figures_test)
{
    check_scaled();
    check_absent();
    return test_done("perf_figures");
}
