/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The points of a backlog, and what follows from them.
 */
#include "engine/backlog.h"

#include <math.h>
#include <string.h>

#include "base/test_golden.h"

/* One point each second: offered, gone, begun; service times of 1 ms each. */
static struct backlog backlog_of(const uint64_t (*v)[3], size_t n)
{
    struct backlog b;

    backlog_begin(&b, 0);
    for (size_t i = 0; i < n; i++)
        backlog_add(&b, &(struct backlog_point){.at = (dur_ns)(i + 1) * NS_PER_SEC,
                                                .offered = v[i][0],
                                                .begun = v[i][2],
                                                .ended = v[i][1],
                                                .done = v[i][1],
                                                .service = 1e6 * (double)v[i][1]});
    return b;
}

static void backlog_points(void)
{
    static const struct {
        dur_ns length, step;
    } t[] = {{0, NS_PER_SEC},
             {NS_PER_SEC, 20 * NS_PER_MS},
             {64 * 20 * NS_PER_MS, 20 * NS_PER_MS},
             {64 * 21 * NS_PER_MS, 21 * NS_PER_MS},
             {64 * NS_PER_SEC, NS_PER_SEC},
             {65 * NS_PER_SEC, NS_PER_SEC},
             {100000 * NS_PER_SEC, NS_PER_SEC}};
    struct backlog b;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        memset(&b, 0x55, sizeof b);
        backlog_begin(&b, t[i].length);
        CHECK_INT(b.step, t[i].step);
        CHECK_INT(b.n, 1);
        CHECK(b.p[0].at == 0 && b.p[0].offered == 0 && b.p[0].service == 0);
    }
    for (int i = 1; i < BACKLOG_POINTS; i++)
        backlog_add(&b, &(struct backlog_point){.at = i});
    CHECK_INT(b.n, BACKLOG_POINTS);
    CHECK_INT(b.step, NS_PER_SEC);
    CHECK_INT(b.p[BACKLOG_POINTS - 1].at, BACKLOG_POINTS - 1);
    backlog_add(&b, &(struct backlog_point){.at = BACKLOG_POINTS}); /* every second one stays */
    CHECK_INT(b.n, BACKLOG_POINTS / 2 + 1);
    CHECK_INT(b.step, 2 * NS_PER_SEC);
    for (size_t i = 0; i < b.n; i++)
        CHECK_INT(b.p[i].at, 2 * i);
}

#define AT(s) ((dur_ns)((s)*1e9))

/* How large it was, since when and until when it was too large, and how long nothing ended. */
static void backlog_figures(void)
{
    static const uint64_t v[][3] = {{10, 10, 10}, {20, 15, 18}, {30, 15, 19}, {40, 15, 20},
                                    {50, 45, 46}, {60, 52, 55}, {70, 70, 70}, {80, 70, 70}};
    const struct backlog b = backlog_of(v, 8);
    const struct {
        double from, to, allowed;
        uint64_t most;
        double since, until;
    } t[] = {{0, 8, 4, 25, 1, 8},  {0, 8, 5, 25, 2, 8},  {0, 8, 10, 25, 2, 4}, {0, 8, 25, 0, 0, 0},
             {0, 8, 24, 25, 3, 4}, {0, 3, 10, 15, 2, 3}, {5, 7, 5, 8, 5, 6},   {5, 7, 8, 0, 0, 0},
             {0, 0, 0, 0, 0, 0},   {8, 9, 0, 10, 7, 8}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct backlog_peak p = backlog_peak(&b, AT(t[i].from), AT(t[i].to), t[i].allowed);
        CHECK_INT(p.most, t[i].most);
        CHECK_INT(p.from, AT(t[i].since));
        CHECK_INT(p.to, AT(t[i].until));
    }
    /* the second is as far from the first as that is long: one; or farther */
    const uint64_t far[][3] = {{10, 10, 5},  {20, 20, 20}, {30, 30, 20}, {40, 40, 40},
                               {50, 50, 50}, {60, 60, 60}, {70, 70, 70}, {80, 80, 60}};
    const struct backlog two = backlog_of(far, 8);
    const struct backlog_peak first = backlog_peak(&two, 0, AT(4), 4);
    const struct backlog_peak largest = backlog_peak(&two, 0, AT(8), 4);
    CHECK(first.n == 1 && first.from == 0 && first.to == AT(3) && first.most == 10);
    CHECK(largest.n == 2 && largest.from == AT(7) && largest.to == AT(8) && largest.most == 20);
    struct backlog_silence q = backlog_silence(&b, 0, AT(8));
    CHECK(q.length == AT(2) && q.from == AT(2));
    q = backlog_silence(&b, AT(3), AT(8));
    CHECK(q.length == AT(1) && q.from == AT(3));
    CHECK_INT(backlog_silence(&b, AT(4), AT(8)).length, 0); /* nothing is run in the last one */
    /* between two points as many end in each second */
    CHECK_INT(backlog_at(&b, AT(5)).ended, 45);
    CHECK_INT(backlog_at(&b, AT(4.5)).ended, 30);
    CHECK_INT(backlog_at(&b, AT(0.5)).offered, 5);
    CHECK_INT(backlog_at(&b, AT(99)).ended, 70);
    const struct backlog none = backlog_of(NULL, 0);
    CHECK_INT(backlog_at(&none, AT(1)).ended, 0);
}

/* Two clients, 10 starts a second, 0.1 s each: in the third second `ended` transactions end and
 * clients spend `busy` seconds in them; then the backlog is worked off, and nothing is lost.  That
 * second counts for the part of its starts that wait at its end. */
static void backlog_losses(void)
{
    static const struct {
        uint64_t ended, dropped;
        double busy, woken, late, lost_busy, lost_idle, lost_burst;
    } t[] = {
        {0, 0, 2, 0, 0, 2, 0, 0},          /* both were in transactions all the time */
        {0, 0, 0, 2, 0, 0, 2, 0},          /* both slept, and woke up late */
        {0, 0, 2, 0, 1, 0, 2, 0},          /* in transactions while the program did not run */
        {5, 0, 0.5, 1.5, 0, 0, 0.75, 0},   /* ran one in two */
        {5, 0, 2, 0, 0, 0.75, 0, 0},       /* each took four times as long */
        {0, 10, 2, 0, 0, 2, 0, 0},         /* dropped, and none waits */
        {10, 0, 1, 0, 0, 0, 0, 0},         /* no backlog */
        {2, 0, 0.5, 0.2, 0, 0.24, 0.2, 0}, /* no more than they are known to have slept */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct backlog b;
        backlog_begin(&b, 0);
        for (int k = 1; k <= 5; k++) {
            bool after = k > 2;
            uint64_t missing = k == 3 ? 10 - t[i].ended : 0, gone = k >= 3 ? t[i].dropped : 0;
            backlog_add(&b, &(struct backlog_point){
                                .at = AT(k),
                                .offered = 10 * (uint64_t)k,
                                .dropped = gone,
                                .begun = 10 * (uint64_t)k - missing * !t[i].dropped - gone,
                                .ended = 10 * (uint64_t)k - missing * !t[i].dropped - gone,
                                .busy = 1e9 * ((k < 3 ? k : k - 1) + after * t[i].busy),
                                .woken = after * t[i].woken * 1e9,
                                .late = after * AT(t[i].late)});
        }
        for (size_t k = 1; t[i].late && k < b.n; k++)
            b.p[k].begun += 2; /* two are under way */
        struct backlog_loss v =
            backlog_loss(&b, 0, AT(5), &(struct backlog_usual){2, 1e8, .part = 0.1});
        CHECK_NEAR(v.busy / 1e9, t[i].lost_busy, 1e-6);
        CHECK_NEAR(v.idle / 1e9, t[i].lost_idle, 1e-6);
        CHECK_NEAR(v.burst / 1e9, t[i].lost_burst, 1e-6);
    }
}

/* 100 starts in a second in which two clients do 20, and then none for four seconds. */
static void backlog_bursts(void)
{
    struct backlog b;

    backlog_begin(&b, 0);
    for (int k = 1; k <= 6; k++)
        backlog_add(&b, &(struct backlog_point){.at = AT(k),
                                                .offered = 100,
                                                .begun = 20 * (uint64_t)(k < 5 ? k : 5),
                                                .ended = 20 * (uint64_t)(k < 5 ? k : 5),
                                                .busy = 2e9 * (k < 5 ? k : 5)});
    struct backlog_loss v =
        backlog_loss(&b, 0, AT(6), &(struct backlog_usual){2, 1e8, .part = 0.1});
    CHECK(v.busy == 0 && v.idle == 0);
    CHECK_NEAR(v.burst / 1e9, 0.8 * 8, 1e-6); /* 80 transactions of 0.1 s */
}

/* Four of five seconds' excess lies in the third second. */
static void backlog_worst_part(void)
{
    static const double busy[] = {1, 2, 6, 7.5, 8.5};
    dur_ns from = 0, to = AT(5);
    struct backlog b;

    backlog_begin(&b, 0);
    for (int k = 1; k <= 5; k++)
        backlog_add(&b, &(struct backlog_point){
                            .at = AT(k), .ended = 10 * (uint64_t)k, .busy = busy[k - 1] * 1e9});
    backlog_worst(&b, &from, &to, 1e8);
    CHECK(from == AT(2) && to == AT(3));
}

/* A digit for each second: by how many tens the backlog grew in it. */
static void backlog_in_stretches(void)
{
    static const char *const grown[] = {
        "00090000",                    /* one */
        "0009900000",                  /* of two steps */
        "0090800000",                  /* one other is between them */
        "0090080000",                  /* two are */
        "0090020000",                  /* not a quarter as fast */
        "0000000000",                  /* none */
        "00099990",                    /* half of the time */
        "0119000000",                  /* slowly before it, ... */
        "0090110900",                  /* ... between two, ... */
        "0090110000",                  /* ... and after it */
        "0090001000",                  /* a tenth of it after it, and less */
        "9000000000",                  /* at the very beginning, ... */
        "0000000009",                  /* ... and end */
        "900900900900900900900900900", /* too many */
    };
    const struct backlog_chance all[] = {{.in_flight = 1},
                                         {.in_flight = 900},
                                         {.in_flight = 400},
                                         {.uneven = true},
                                         {.woken = true}};

    for (size_t i = 0; i < sizeof grown / sizeof *grown; i++) {
        struct backlog_stretch s[BACKLOG_STRETCHES];
        struct backlog b;
        uint64_t lost = 0;
        int k = 0;
        backlog_begin(&b, 0);
        for (const char *c = grown[i]; *c; c++, k++) {
            lost += 10 * (uint64_t)(*c - '0');
            backlog_add(&b, &(struct backlog_point){.at = AT(k + 1),
                                                    .offered = 1000 * (uint64_t)(k + 1),
                                                    .ended = 1000 * (uint64_t)(k + 1) - lost,
                                                    .woken = (double)lost});
        }
        golden_line("%s", grown[i]);
        for (size_t u = 0; u < sizeof all / sizeof *all; u++) {
            size_t n = backlog_stretches(&b, 0, AT(k), &all[u], s);
            for (size_t m = 0; m < n; m++)
                golden_line("  %zu: %g to %g: %g", u, dur_sec(s[m].from), dur_sec(s[m].to),
                            s[m].lost);
        }
    }
}

/* Mean service times of stretches of an eighth of all, or 20. */
static void backlog_services(void)
{
    struct backlog b;
    double least, most;
    static const struct {
        uint64_t done;
        double mean_ms; /* of those since the point before */
    } v[] = {{10, 1}, {20, 3}, {40, 5}, {50, 9}, {60, 7}};
    struct backlog_point p = {0};

    backlog_begin(&b, 0);
    for (size_t i = 0; i < 5; i++) {
        p.at += NS_PER_SEC;
        p.service += v[i].mean_ms * 1e6 * (double)(v[i].done - p.done);
        p.done = v[i].done;
        backlog_add(&b, &p);
    }
    backlog_service(&b, 0, AT(5), &least, &most);
    CHECK_NEAR(least, 2e6, 1e-3);
    CHECK_NEAR(most, 8e6, 1e-3);
    backlog_service(&b, 0, AT(1), &least, &most); /* fewer */
    CHECK(fabs(least - 1e6) < 1e-3 && fabs(most - 1e6) < 1e-3);
    backlog_service(&b, AT(1), AT(2), &least, &most);
    CHECK(fabs(least - 3e6) < 1e-3 && fabs(most - 3e6) < 1e-3);
    backlog_service(&b, AT(5), AT(9), &least, &most); /* nothing was done */
    CHECK(isnan(least) && isnan(most));
    p.at += NS_PER_SEC, p.done = 400, p.service += 340 * 2e6; /* an eighth is 50 */
    backlog_add(&b, &p);
    backlog_service(&b, 0, AT(9), &least, &most);
    CHECK_NEAR(least, 2e6, 1e-3);
    CHECK_NEAR(most, 5.8e6, 1e-3); /* from 10 to 60 */
}

/* Of eight gaps of 10, two are shorter than a third of it; of seven, nothing is known. */
static void backlog_short_gaps(void)
{
    static const mono_ns even[] = {0, 10, 20, 31, 39, 50, 60, 70, 80},
                         uneven[] = {0, 10, 20, 22, 32, 42, 45, 55, 65};
    struct backlog_point p = {0};

    backlog_gaps(&p, even, 9);
    CHECK_INT(p.gaps, 8);
    CHECK_INT(p.short_gaps, 0);
    backlog_gaps(&p, uneven, 9);
    CHECK_INT(p.gaps, 16);
    CHECK_INT(p.short_gaps, 2);
    backlog_gaps(&p, uneven, 8);
    CHECK_INT(p.gaps, 16);
}

TEST_MAIN(backlog_test)
{
    backlog_points();
    backlog_figures();
    backlog_losses();
    backlog_bursts();
    backlog_short_gaps();
    backlog_worst_part();
    backlog_services();
    backlog_in_stretches();
    golden_done("backlog_test");
    return test_done("backlog");
}
