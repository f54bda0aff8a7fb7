/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When the ticker wakes, and for what, on instants that the test names: intervals, checkpoints and
 * the beats of a member, which come only where nothing else tells a reading.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <stdio.h>
#include <string.h>

#include "base/test.h"

#define MS NS_PER_MS
#define S  NS_PER_SEC

/* 1.5 s after the process began, measuring begins. */
#define FROM (1500 * MS)

struct trial {
    struct plan plan;
    struct run run;
    struct ranks ranks;
    struct ticker ticker;
    char text[400];
};

static struct trial *trial(dur_ns interval, int rank)
{
    static struct trial t;

    memset(&t, 0, sizeof t);
    t.plan.report_interval = interval;
    t.plan.rank = rank;
    t.run.plan = &t.plan;
    t.run.measure_from = FROM;
    t.run.ranks = &t.ranks;
    t.ticker.run = &t.run;
    return &t;
}

/* The ticks of the first `ms`, each of them noticed `late` ms after it: "i1000" is an interval, "b"
 * a beat, "c" a checkpoint. */
static const char *ticks(struct trial *t, int ms, int late)
{
    enum snapshot_kind kind;

    ticks_schedule(&t->ticker);
    for (;;) {
        mono_ns tick = ticks_next(&t->ticker, &kind);
        size_t n = strlen(t->text);

        if (tick == MONO_NEVER || tick - FROM > ms * MS)
            return t->text;
        snprintf(t->text + n, sizeof t->text - n, "%s%c%lld", n ? " " : "",
                 kind == TICK_BEAT             ? 'b'
                 : kind == SNAPSHOT_CHECKPOINT ? 'c'
                                               : 'i',
                 (long long)((tick - FROM) / MS));
        ticks_advance(&t->ticker, kind, tick + late * MS);
    }
}

static void beats(void)
{
    CHECK_STR(ticks(trial(0, 1), 3500, 0), "b1000 b2000 b3000");
    CHECK_STR(ticks(trial(0, 1), 4500, 10), "b1000 b2000 b3000 b4000");
    CHECK_STR(ticks(trial(S, 1), 3000, 0), "i1000 i2000 i3000");
    CHECK_STR(ticks(trial(S, 1), 3000, 10), "i1000 i2000 i3000");
    CHECK_STR(ticks(trial(400 * MS, 1), 1600, 0), "i400 i800 i1200 i1600");
    CHECK_STR(ticks(trial(2 * S, 1), 4000, 0), "b1000 i2000 b3000 i4000");
    CHECK_STR(ticks(trial(1500 * MS, 1), 4500, 0), "b1000 i1500 b2500 i3000 b4000 i4500");
    CHECK_STR(ticks(trial(2500 * MS, 1), 5000, 20), "b1000 b2000 i2500 b3520 b4520 i5000");
    CHECK_STR(ticks(trial(0, 0), 3500, 0), "");
    CHECK_STR(ticks(trial(2 * S, 0), 4000, 0), "i2000 i4000");
}

/* A process that was stopped for some ticks takes one reading for all of them. */
static void missed(void)
{
    CHECK_STR(ticks(trial(S, 0), 8000, 2100), "i1000 i4000 i7000");
    CHECK_STR(ticks(trial(S, 1), 8000, 2100), "i1000 i4000 i7000");
    CHECK_STR(ticks(trial(0, 1), 8000, 2100), "b1000 b4000 b7000");
}

static void checkpoints(void)
{
    struct trial *t = trial(2 * S, 1);

    t->plan.checkpoint[0] = 500 * MS;
    t->plan.checkpoint[1] = 2 * S;
    t->plan.checkpoints = 2;
    CHECK_STR(ticks(t, 4000, 0), "c500 b1500 i2000 c2000 b3000 i4000");
}

TEST_MAIN(ticks_test)
{
    beats();
    missed();
    checkpoints();
    return test_done("ticks_test");
}
