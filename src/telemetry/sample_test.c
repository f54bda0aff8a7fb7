/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of readings: differences, absence, percentages, and the division of CPU time into
 * user and system.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/test.h"
#include "telemetry/member.h"
#include "telemetry/sample.h"

#define MS    NS_PER_MS
#define EVERY (SAMPLE_ALL | SAMPLE_THROTTLE)

static const struct sample first = {
    .at = 1000 * MS,
    .processes = 2,
    .have = 0x7f,
    .cpu_ns = 100 * MS,
    .user_ns = 60 * MS,
    .sys_ns = 40 * MS,
    .vol_switches = 10,
    .invol_switches = 20,
    .minor_faults = 30,
    .major_faults = 40,
    .read_bytes = 50,
    .write_bytes = 60,
    .runq_wait_ns = 70,
    .rss_bytes = 80,
    .threads = 90,
};

static const struct sample second = {
    .at = 3000 * MS,
    .processes = 3,
    .have = 0x7f,
    .cpu_ns = 400 * MS,
    .user_ns = 160 * MS,
    .sys_ns = 240 * MS,
    .vol_switches = 11,
    .invol_switches = 22,
    .minor_faults = 33,
    .major_faults = 44,
    .read_bytes = 55,
    .write_bytes = 66,
    .runq_wait_ns = 77,
    .rss_bytes = 8,
    .threads = 9,
};

static void difference(void)
{
    struct sample_delta d;

    sample_diff(&first, &second, &d);
    CHECK_INT(d.processes, 3);
    CHECK_INT(d.lower, 0);
    CHECK_STR(d.reason, "");
    CHECK(!d.broken && !d.no_throttle);

    /* each counter grows by its own amount, all figures are there */
    struct sample a = {.at = 5, .have = EVERY}, b = {.at = 8, .have = EVERY};
    for (size_t i = 0; i < COUNTS; i++) {
        a.count[i] = 1000 * (i + 1);
        b.count[i] = 1001 * (i + 1);
    }
    sample_diff(&a, &b, &d);
    CHECK_INT(d.wall_ns, 3);
    CHECK_INT(d.have, EVERY);
    for (size_t i = 0; i < COUNTS; i++)
        CHECK_INT(d.count[i], (i < COUNT_GAUGES ? 1 : 1001) * (i + 1));
    a.no_throttle = "then";
    sample_diff(&a, &b, &d);
    CHECK_STR(sample_why(&d, SAMPLE_THROTTLE), "then");
    b.no_throttle = "now";
    sample_diff(&a, &b, &d);
    CHECK_STR(sample_why(&d, SAMPLE_THROTTLE), "now");
    b.have &= ~(unsigned)SAMPLE_THROTTLE;
    sample_diff(&a, &b, &d);
    CHECK_INT(d.have, SAMPLE_ALL);
    CHECK_INT(d.throttled_ns + (int64_t)d.throttled_periods, 0);
}

static void absence(void)
{
    struct sample a = first, b = second;
    struct sample_delta d;

    a.have &= ~(unsigned)(SAMPLE_IO | SAMPLE_MEMORY);
    snprintf(a.reason, sizeof a.reason, "old");
    sample_diff(&a, &b, &d);
    CHECK_INT(d.have, 0x7f & ~SAMPLE_IO); /* a gauge needs only the later reading */
    CHECK(d.read_bytes == 0 && d.write_bytes == 0 && d.rss_bytes == 8);
    CHECK_STR(d.reason, "old");

    b.have &= ~(unsigned)(SAMPLE_SWITCHES | SAMPLE_THREADS);
    b.lower = SAMPLE_SWITCHES | SAMPLE_RUNQ;
    snprintf(b.reason, sizeof b.reason, "new");
    sample_diff(&a, &b, &d);
    CHECK_INT(d.have, SAMPLE_CPU | SAMPLE_FAULTS | SAMPLE_MEMORY | SAMPLE_RUNQ);
    CHECK_INT(d.lower, SAMPLE_RUNQ);
    CHECK_STR(d.reason, "new");
    CHECK(d.vol_switches == 0 && d.threads == 0);
}

static void backwards(void)
{
    static const struct {
        size_t field;
        unsigned bit;
    } table[] = {
        {offsetof(struct sample, cpu_ns), SAMPLE_CPU},
        {offsetof(struct sample, user_ns), SAMPLE_CPU},
        {offsetof(struct sample, sys_ns), SAMPLE_CPU},
        {offsetof(struct sample, vol_switches), SAMPLE_SWITCHES},
        {offsetof(struct sample, invol_switches), SAMPLE_SWITCHES},
        {offsetof(struct sample, minor_faults), SAMPLE_FAULTS},
        {offsetof(struct sample, major_faults), SAMPLE_FAULTS},
        {offsetof(struct sample, read_bytes), SAMPLE_IO},
        {offsetof(struct sample, write_bytes), SAMPLE_IO},
        {offsetof(struct sample, runq_wait_ns), SAMPLE_RUNQ},
        {offsetof(struct sample, throttled_ns), SAMPLE_THROTTLE},
        {offsetof(struct sample, throttled_periods), SAMPLE_THROTTLE},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct sample a = first, b = second;
        struct sample_delta d;
        a.have = b.have = EVERY;
        a.throttled_ns = b.throttled_ns = 1;
        a.throttled_periods = b.throttled_periods = 1;
        memset((char *)&b + table[i].field, 0, 8);
        sample_diff(&a, &b, &d);
        CHECK_INT(d.have, EVERY & ~table[i].bit);
        CHECK(d.cpu_ns >= 0 && d.user_ns >= 0 && d.sys_ns >= 0 && d.runq_wait_ns >= 0);
        CHECK(d.vol_switches < 100 && d.invol_switches < 100 && d.minor_faults < 100 &&
              d.major_faults < 100 && d.read_bytes < 100 && d.write_bytes < 100);
        CHECK_STR(d.reason, "a counter of the kernel went backwards");
    }
}

static void replaced(void)
{
    struct sample b = second;
    struct sample_delta d;

    b.ended = 1;
    snprintf(b.reason, sizeof b.reason, "mariadbd (pid 7) has ended");
    sample_diff(&first, &b, &d);
    CHECK_INT(d.have, 0);
    CHECK(d.cpu_ns == 0 && d.rss_bytes == 0 && d.threads == 0 && d.minor_faults == 0);
    CHECK_STR(d.reason, "mariadbd (pid 7) has ended");
    b.reason[0] = '\0';
    sample_diff(&first, &b, &d);
    CHECK(d.reason[0] != '\0');
}

/* Between neighbours there is nothing, over several readings a lower bound of both lives. */
static void restarted(void)
{
    struct sample a = first, b = second;
    struct sample_delta d;

    a.kept = b.kept = SAMPLE_ALL;
    b.ended = b.found = 1;
    b.processes = 1;
    sample_diff(&a, &b, &d);
    CHECK(d.broken);
    CHECK_INT(d.have, SAMPLE_MEMORY | SAMPLE_THREADS);
    CHECK_STR(d.reason, "the server was restarted in this interval");
    b.moved = 1;
    sample_diff(&a, &b, &d);
    CHECK_STR(d.reason, "the clients went over to another server in this interval");
    b.moved = 0;
    snprintf(a.reason, sizeof a.reason, "mariadbd (pid 7) has ended"); /* it was back later */
    sample_diff(&a, &b, &d);
    CHECK_STR(sample_why(&d, SAMPLE_CPU), "the server was restarted in this interval");
    a.reason[0] = '\0';
    b.whole = 1;
    sample_diff(&a, &b, &d);
    CHECK(!d.broken);
    CHECK_INT(d.have, SAMPLE_ALL);
    CHECK_INT(d.lower, SAMPLE_ALL & ~(SAMPLE_MEMORY | SAMPLE_THREADS));
    CHECK_INT(d.cpu_ns, b.cpu_ns - a.cpu_ns);
    CHECK(strstr(sample_why(&d, SAMPLE_CPU), "the server was restarted") != NULL);
    b.found = 0; /* it has ended and is not back: what was read before */
    b.have = 0;
    b.processes = 0;
    snprintf(b.reason, sizeof b.reason, "mariadbd (pid 7) has ended");
    sample_diff(&a, &b, &d);
    CHECK_INT(d.have, SAMPLE_ALL & ~(SAMPLE_MEMORY | SAMPLE_THREADS));
    CHECK_INT(d.cpu_ns, b.cpu_ns - a.cpu_ns);
    CHECK_STR(sample_why(&d, SAMPLE_CPU), "mariadbd (pid 7) has ended");
    b.set = 1; /* counters of other processes have nothing to do with these */
    sample_diff(&a, &b, &d);
    CHECK_INT(d.have, 0);
}

/* Each figure has the reasons that are about it, and those that are about everything. */
static void whys(void)
{
    static const struct {
        unsigned figure;
        const char *why;
    } t[] = {{SAMPLE_IO, "bytes read and written: /proc/7/io is for its own user and root"},
             {SAMPLE_SWITCHES, "context switches, run-queue wait: taskstats: no"},
             {SAMPLE_RUNQ, "context switches, run-queue wait: taskstats: no"},
             {SAMPLE_CPU, "cannot be read"},
             {SAMPLE_FAULTS, "cannot be read"},
             {SAMPLE_MEMORY, "cannot be read"}};
    struct sample b = second;
    struct sample_delta d;

    b.have = 0;
    snprintf(b.reason, sizeof b.reason, "%s; %s", t[0].why, t[1].why);
    sample_diff(&first, &b, &d);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_STR(sample_why(&d, t[i].figure), t[i].why);
    snprintf(b.reason, sizeof b.reason, "mariadbd (pid 7): has ended; memory: gone");
    sample_diff(&first, &b, &d);
    CHECK_STR(sample_why(&d, SAMPLE_CPU), "mariadbd (pid 7): has ended");
    CHECK_STR(sample_why(&d, SAMPLE_MEMORY), "mariadbd (pid 7): has ended; memory: gone");
    d.lower = d.have = SAMPLE_ALL;
    sample_set_reason(&d, "memory, run-queue wait: both; bytes read and written, of it: none");
    CHECK_INT(d.have & d.lower, SAMPLE_ALL);
    CHECK_STR(sample_why(&d, SAMPLE_MEMORY), "memory, run-queue wait: both");
    CHECK_STR(sample_why(&d, SAMPLE_RUNQ), "memory, run-queue wait: both");
    CHECK_STR(sample_why(&d, SAMPLE_IO), "bytes read and written, of it: none");
    CHECK_STR(sample_why(&d, SAMPLE_SWITCHES), "cannot be read");
    sample_set_reason(&d, "memory is not named: by a list");
    CHECK_STR(sample_why(&d, SAMPLE_CPU), "memory is not named: by a list");
    sample_none(&d, "over");
    CHECK_INT(d.have, 0);
    CHECK_INT(d.lower, 0);
    CHECK_STR(d.reason, "over");
    CHECK_STR(sample_why(&d, SAMPLE_CPU), "over");

    /* what does not fit whole is left out */
    char text[SAMPLE_REASON_MAX], part[SAMPLE_WHY_MAX];
    for (int len = SAMPLE_WHY_MAX - 6; len < SAMPLE_WHY_MAX - 1; len++) {
        snprintf(text, sizeof text, "%0*d", len, 7);
        sample_set_reason(&d, text);
        CHECK_STR(sample_why(&d, SAMPLE_CPU), len < SAMPLE_WHY_MAX - 3 ? text : "cannot be read");
        snprintf(text, sizeof text, "%0100d; %0*d", 7, len - 102, 8);
        sample_set_reason(&d, text);
        snprintf(part, sizeof part, "%0100d", 7);
        CHECK_STR(sample_why(&d, SAMPLE_CPU), len - 2 < SAMPLE_WHY_MAX - 3 ? text : part);
    }
}

/* Clauses are joined as long as there is room for one. */
static void reasons(void)
{
    char r[SAMPLE_REASON_MAX] = "", want[SAMPLE_REASON_MAX + 10];

    sample_add_reason(r, "a %d", 1);
    CHECK_STR(r, "a 1");
    sample_add_reason(r, "b");
    sample_add_reason(r, "%s", "c");
    CHECK_STR(r, "a 1; b; c");
    for (int len = SAMPLE_REASON_MAX - 5; len < SAMPLE_REASON_MAX; len++) {
        snprintf(r, sizeof r, "%0*d", len, 7);
        sample_add_reason(r, "next");
        snprintf(want, sizeof want, "%0*d%s", len, 7,
                 len < SAMPLE_REASON_MAX - 3 ? "; next" : "next");
        want[SAMPLE_REASON_MAX - 1] = '\0';
        CHECK_STR(r, want);
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
    difference();
    absence();
    backwards();
    replaced();
    restarted();
    whys();
    reasons();
    percentages();
    division();
    for (int percent = 0; percent <= 100; percent += 10)
        division_over_time(percent);
    division_of_many();
    division_stands_still();
    return test_done("sample");
}
