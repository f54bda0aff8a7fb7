/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of readings: differences, absence, percentages, and the division of CPU time into
 * user and system.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/test_golden.h"
#include "telemetry/member.h"
#include "telemetry/sample.h"

#define MS    NS_PER_MS
#define EVERY (SAMPLE_ALL | SAMPLE_THROTTLE)

/* Two readings, 2 s apart. */
static const struct sample first = {
    .at = 1000 * MS,
    .processes = 2,
    .have = 0x7f,
    .count = {100 * MS, 60 * MS, 40 * MS, 30, 40, 50, 60, 10, 20, 70, 1, 1, 80, 90}};
static const struct sample second = {
    .at = 3000 * MS,
    .processes = 3,
    .have = 0x7f,
    .count = {400 * MS, 160 * MS, 240 * MS, 33, 44, 55, 66, 11, 22, 77, 1, 1, 8, 9}};

/* All that a difference says; its reasons figure by figure, where they are not all the same. */
static void show(const struct sample_delta *d, const char *title)
{
    bool one = true;

    golden_line("=== %s\nwall %lld, %d processes, have %#x, lower %#x%s, counts", title,
                (long long)d->wall_ns, d->processes, d->have, d->lower,
                d->broken ? ", broken" : "");
    for (size_t i = 0; i < COUNTS; i++)
        str_printf(&golden_all, " %lld", (long long)d->count[i]);
    for (unsigned i = 1; i < SAMPLE_FIGURES; i++)
        one = one && strcmp(d->why[i], d->why[0]) == 0;
    golden_line("\n'%s'", d->reason);
    for (unsigned i = 0; i <= SAMPLE_FIGURES; i += one ? SAMPLE_FIGURES : 1)
        golden_line("  %#x: %s", 1u << i, sample_why(d, 1u << i));
}

static void show_diff(const struct sample *b, const struct sample *a, const char *title)
{
    struct sample_delta d;

    sample_diff(b, a, &d);
    show(&d, title);
}

#define REASON(s, ...) snprintf((s).reason, sizeof(s).reason, __VA_ARGS__)

static void differences(void)
{
    struct sample a = {.at = 5, .have = EVERY}, b = {.at = 8, .have = EVERY};

    show_diff(&first, &second, "everything is there");
    for (size_t i = 0; i < COUNTS; i++) {
        a.count[i] = 1000 * (i + 1);
        b.count[i] = 1001 * (i + 1);
    }
    show_diff(&a, &b, "each counter grows by its own amount");
    a.no_throttle = "then";
    show_diff(&a, &b, "throttling, then");
    b.no_throttle = "now";
    show_diff(&a, &b, "throttling, now");
    b.have &= ~(unsigned)SAMPLE_THROTTLE;
    show_diff(&a, &b, "no throttling");

    a = first, b = second;
    a.have &= ~(unsigned)(SAMPLE_IO | SAMPLE_MEMORY);
    REASON(a, "old");
    show_diff(&a, &b, "absent before: a gauge needs only the later reading");
    b.have &= ~(unsigned)(SAMPLE_SWITCHES | SAMPLE_THREADS);
    b.lower = SAMPLE_SWITCHES | SAMPLE_RUNQ;
    REASON(b, "new");
    show_diff(&a, &b, "absent after");

    for (size_t i = 0; i < COUNT_GAUGES; i++) {
        char title[40];
        a = first, b = second;
        a.have = b.have = EVERY;
        b.count[i] = 0;
        snprintf(title, sizeof title, "counter %zu goes backwards", i);
        show_diff(&a, &b, title);
    }
}

/* Between neighbours there is nothing, over several readings a lower bound of both lives. */
static void lives(void)
{
    struct sample a = first, b = second;

    b.ended = 1;
    REASON(b, "mariadbd (pid 7) has ended");
    show_diff(&a, &b, "one has ended");
    b.reason[0] = '\0';
    show_diff(&a, &b, "one has ended, without a reason");

    a.kept = b.kept = SAMPLE_ALL;
    b.found = b.processes = 1;
    show_diff(&a, &b, "restarted");
    b.moved = 1;
    show_diff(&a, &b, "moved");
    b.moved = 0;
    REASON(a, "mariadbd (pid 7) has ended"); /* it was back later */
    show_diff(&a, &b, "restarted, and ended before");
    a.reason[0] = '\0';
    b.whole = 1;
    show_diff(&a, &b, "restarted, over several readings");
    b.found = b.have = b.processes = 0;
    REASON(b, "mariadbd (pid 7) has ended");
    show_diff(&a, &b, "ended and not back: what was read before");
    b.set = 1;
    show_diff(&a, &b, "counters of other processes have nothing to do with these");
}

/* Each figure has the reasons that are about it, and those that are about everything. */
static void whys(void)
{
    static const char *const t[] = {
        "bytes read and written: /proc/7/io is for its own user and root; "
        "context switches, run-queue wait: taskstats: no",
        "mariadbd (pid 7): has ended; memory: gone",
        "memory, run-queue wait: both; bytes read and written, of it: none",
        "memory is not named: by a list",
    };
    struct sample_delta d = {.have = SAMPLE_ALL, .lower = SAMPLE_ALL};
    char text[SAMPLE_REASON_MAX];

    for (size_t i = 0; i < COUNT(t); i++) {
        sample_set_reason(&d, t[i]);
        show(&d, "reasons");
    }
    d.have = SAMPLE_ALL & ~SAMPLE_MEMORY, d.lower = SAMPLE_SWITCHES;
    sample_set_reason(&d, "memory: gone; context switches, run-queue wait: no; bytes read: none");
    sample_why_lower(&d, text);
    CHECK_STR(text, "context switches, run-queue wait: no; bytes read: none");
    sample_none(&d, "over");
    sample_why_lower(&d, text);
    CHECK_STR(text, "");
    show(&d, "none");
    golden_line("=== what does not fit whole is left out");
    for (int len = SAMPLE_WHY_MAX - 6; len < SAMPLE_WHY_MAX - 1; len++) {
        snprintf(text, sizeof text, "%0*d", len, 7);
        sample_set_reason(&d, text);
        golden_line("%d: %s", len, sample_why(&d, SAMPLE_CPU));
        snprintf(text, sizeof text, "%0100d; %0*d", 7, len - 102, 8);
        sample_set_reason(&d, text);
        golden_line("  %s", sample_why(&d, SAMPLE_CPU));
    }
    golden_line("=== clauses are joined as long as there is room for one");
    text[0] = '\0';
    sample_add_reason(text, "a %d", 1);
    sample_add_reason(text, "b");
    sample_add_reason(text, "%s", "c");
    golden_line("%s", text);
    for (int len = SAMPLE_REASON_MAX - 5; len < SAMPLE_REASON_MAX; len++) {
        snprintf(text, sizeof text, "%0*d", len, 7);
        sample_add_reason(text, "next");
        golden_line("%d: %zu ...%s", len, strlen(text), text + len - 3);
    }
}

static void percentages(void)
{
    CHECK_NEAR(sample_pct_one(1500 * MS, 1000 * MS), 150.0, 1e-9);
    CHECK_NEAR(sample_pct_system(1500 * MS, 1000 * MS, 4), 37.5, 1e-9);
    CHECK_NEAR(sample_pct_system(1, 3, 1), 100.0 / 3, 1e-9);
    CHECK_NEAR(sample_pct_one(0, 1), 0.0, 0);
    CHECK(isnan(sample_pct_one(1, 0)) && isnan(sample_pct_one(1, -1)));
    CHECK(isnan(sample_pct_system(1, 1, 0)) && isnan(sample_pct_system(1, 0, 1)));
    struct sample_delta d = {.have = SAMPLE_ALL, .runq_wait_ns = 30, .cpu_ns = 70};
    CHECK_NEAR(sample_waited_pct(&d), 30, 1e-9);
    d.cpu_ns = 0;
    CHECK_NEAR(sample_waited_pct(&d), 100, 0);
    d.runq_wait_ns = 0;
    CHECK(isnan(sample_waited_pct(&d)));
    d.runq_wait_ns = 1;
    for (int i = 0; i < 2; i++) {
        d.have = SAMPLE_ALL & ~(unsigned)(i ? SAMPLE_CPU : SAMPLE_RUNQ);
        CHECK(isnan(sample_waited_pct(&d)));
    }
}

static void division(void)
{
    static const struct {
        int64_t cpu;
        uint64_t u, s;
        double share;
        int64_t user;
    } table[] = {
        {0, 0, 0, 0.5, 0},
        {100 * MS, 10, 0, 0.5, 100 * MS}, /* nothing cut off: exact */
        {119 * MS, 5, 5, 0.5, 59500000},  /* 19 of 20 ms cut off: 9.5 each */
        {110 * MS, 5, 5, 0.5, 55 * MS},
        {1110 * MS, 80, 30, 0.9,
         805 * MS},                   /* much of both: half the rest each, whatever the share */
        {5 * MS, 0, 0, 0.5, 2500000}, /* nothing shown yet: the share is all there is */
        {5 * MS, 0, 0, 0.8, 4 * MS},
        {9 * MS, 0, 0, 1.0, 9 * MS},
        {5 * MS, 0, 0, 0.0, 0},
        {10 * MS, 0, 0, 1.0, 10 * MS},
        {11 * MS, 0, 0, 1.0, 10 * MS},
        {11 * MS, 0, 0, 0.0, 1 * MS},
        {20 * MS, 0, 0, 0.5, 10 * MS}, /* a tick of each */
        {31 * MS, 0, 0, 0.0, 0},       /* more than three ticks: in proportion */
        {30 * MS, 0, 0, 0.0, 15 * MS}, /* low > high */
        {90 * MS, 5, 5, 0.5, 45 * MS}, /* the clock is a tick behind */
        {89 * MS, 5, 5, 0.5, 44500000},
        {0, 1, 0, 1.0, 0},
        {26 * MS, 1, 0, 0.0, 18 * MS}, /* more than a tick of system time is likely */
        {26 * MS, 1, 0, 1.0, 20 * MS},
        {26 * MS, 0, 1, 1.0, 8 * MS},
        {26 * MS, 0, 1, 0.0, 6 * MS},
        {1009 * MS, 100, 0, 1.0, 1009 * MS}, /* never a moment of system time */
        {18 * MS, 0, 0, 1.0, 10 * MS},       /* 18 would have shown as 10 */
        {18 * MS, 0, 0, 0.0, 8 * MS},
        {99 * MS, 5, 5, 0.5, 49500000},          /* the clock was read a little before */
        {1000 * MS, 3000, 1000, 0.75, 750 * MS}, /* parts that do not add up: in proportion */
        {1000 * MS, 0, 0, 0.7, 700 * MS},
        {INT64_MAX, UINT64_MAX, 0, 0.5, INT64_MAX},
        {100 * MS, UINT64_MAX, UINT64_MAX, 0.5, 50 * MS},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        CHECK_NEAR(cpu_split_user(table[i].cpu, table[i].u, table[i].s, 10 * MS, table[i].share),
                   table[i].user, table[i].cpu > 2000 * MS ? 1e6 : 0);
    CHECK_INT(cpu_ticks_ns(7, 10 * MS), 70 * MS);
    CHECK(cpu_ticks_ns(UINT64_MAX, 10 * MS) == INT64_MAX);
}

/*
 * A process that uses user and system time in a given proportion, read at odd moments: the
 * estimate is never more than 10 ms off, mostly 3, and the running division never falls.
 */
static void division_over_time(int percent_user)
{
    struct cpu_split split = {0};
    int64_t user = 0, sys = 0, worst = 0, sum = 0;
    uint32_t noise = 12345;

    for (int i = 0; i < 2000; i++) {
        int64_t step = (noise >> 8) % (7 * MS), estimate, before = split.user_ns,
                sys_before = split.cpu_ns - split.user_ns;
        noise = noise * 1664525u + 1013904223u;
        user += step * percent_user / 100;
        sys += step - step * percent_user / 100;
        estimate = cpu_split_user(user + sys, (uint64_t)(user / (10 * MS)),
                                  (uint64_t)(sys / (10 * MS)), 10 * MS, 0.5);
        worst = llabs(estimate - user) > worst ? llabs(estimate - user) : worst;
        sum += llabs(estimate - user);
        cpu_split_advance(&split, user + sys, estimate);
        CHECK(split.user_ns >= before && split.cpu_ns - split.user_ns >= sys_before);
        CHECK(split.cpu_ns == user + sys);
        CHECK(llabs(split.user_ns - user) <= 10 * MS);
    }
    CHECK(worst <= 10 * MS);
    CHECK(sum / 2000 <= 3 * MS);
}

/*
 * A thousand processes with 4 ms each show no tick at all; with 14 ms each only a part of them
 * does.
 */
static void division_of_many(void)
{
    for (int64_t each = 1 * MS; each < 60 * MS; each += MS) {
        int64_t user = 0, estimate = 0;
        for (int i = 0; i < 1000; i++) {
            int64_t cpu = each / 2 + each * i / 1000, u = cpu * 7 / 10;
            user += u;
            estimate += cpu_split_user(cpu, (uint64_t)(u / (10 * MS)),
                                       (uint64_t)((cpu - u) / (10 * MS)), 10 * MS, 0.7);
        }
        CHECK_NEAR((double)estimate / (double)user, 1.0, 0.03);
    }
}

static void division_stands_still(void)
{
    struct cpu_split s = {0};

    cpu_split_advance(&s, 100, 60);
    CHECK(s.cpu_ns == 100 && s.user_ns == 60);
    cpu_split_advance(&s, 110, 50); /* would fall: all of the growth is system time */
    CHECK(s.cpu_ns == 110 && s.user_ns == 60);
    cpu_split_advance(&s, 120, 100); /* may not grow by more than the sum */
    CHECK(s.cpu_ns == 120 && s.user_ns == 70);
    cpu_split_advance(&s, 90, 0);
    CHECK(s.cpu_ns == 120 && s.user_ns == 70);
}

TEST_MAIN(sample_test)
{
    differences();
    lives();
    whys();
    golden_done("sample_test");
    percentages();
    division();
    for (int percent = 0; percent <= 100; percent += 10)
        division_over_time(percent);
    division_of_many();
    division_stands_still();
    return test_done("sample");
}
