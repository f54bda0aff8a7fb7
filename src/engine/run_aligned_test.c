/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs with aligned arrivals on a held clock, to the nanosecond: the start times that were measured
 * with the patch of 2009, its catching up, and its end.
 */
#include "engine/run_test.h"

#include "base/log.h"

#define STARTS 64

/* When each client began each transaction, ns after the start line. */
static dur_ns begun[8][STARTS];
static int n[8];
static mono_ns zero;
static int blocked_at;        /* the transaction of client 0 that lasts ... */
static dur_ns blocked, ahead; /* ... so long; how far ahead the start line is */

static void note_start_line(struct load *l)
{
    zero = test_now() + ahead;
}

static int keep_diary(struct load *l, struct client *c, struct err *err)
{
    int id = client_id(c);

    while (client_next(c)) {
        client_begin(c);
        begun[id][n[id] % STARTS] = test_now() - zero;
        busy(blocked && id == 0 && n[0] == blocked_at ? blocked : l->service);
        n[id]++;
        client_end(c);
    }
    return 0;
}

static void tell_diary(struct load *l, const struct snapshot *s)
{
    for (int i = 0; s->kind == SNAPSHOT_FINAL && i < s->nclients; i++)
        for (int k = 0; k < n[i]; k++)
            str_printf(&told, "%s%g%s", k ? " " : "begun at ", dur_ms(begun[i][k]),
                       k + 1 < n[i] ? "" : " ms\n");
}

/* A window of 1 ns moves nothing. */
static void aligned(struct load *l, struct plan *p, dur_ns time_limit)
{
    p->arrival = ARRIVAL_ALIGNED;
    p->jitter = 1;
    p->time_limit = time_limit;
    l->runs = keep_diary;
    l->service = MS;
    l->started = note_start_line;
    l->watched = tell_diary;
    memset(n, 0, sizeof n);
    blocked = 0;
    ahead = MS + p->clients * 30 * US;
}

/* The transaction of client 0 at that place lasts so long. */
static void block(int at, dur_ns length)
{
    blocked_at = at;
    blocked = length;
}

static void check_interval(struct load *l, const struct snapshot *s)
{
    CHECK(s->kind != SNAPSHOT_INTERVAL || s->interval_ns == 300 * MS);
}

static void interrupt_after_the_limit(struct load *l)
{
    note_start_line(l);
    l->delay = ahead + 1500 * MS;
    interrupt_later(l);
}

TEST_MAIN(run_aligned_test)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    /* A first round at i * 50 ms, then all together each 200 ms; 200 ms are left out.  The last
     * round begins with the time limit: 20 transactions in the second. */
    RUN(4, 20, aligned(l, p, NS_PER_SEC));
    /* The transaction of client 0 at 1200 ms lasts 877 ms.  It catches up back to back and is on
     * its grid again at 2200; client 1 never noticed. */
    RUN(2, 10, aligned(l, p, 2500 * MS), block(5, 877 * MS));
    /* Behind at the end: what was planned before the limit and never begun is unfinished.  The one
     * at 600 lasts until 1600, the last one until 2050, after the limit. */
    RUN(2, 10, aligned(l, p, 2000 * MS), block(2, 1000 * MS), l->service = 150 * MS);
    /* A period longer than the run: who sleeps at the limit wakes, runs one, and stops. */
    RUN(4, 1, aligned(l, p, 900 * MS));
    /* Pauses that the time limit leaves alone are reported in whole intervals ... */
    RUN(4, 1, aligned(l, p, 900 * MS), l->watched = check_interval, p->report_interval = 300 * MS);
    /* ... and ended by a signal. */
    RUN(4, 1, aligned(l, p, 900 * MS), l->started = interrupt_after_the_limit);
    /* --events, without a time limit: so many in all, and the run ends with the last one. */
    RUN(4, 20, aligned(l, p, 0), p->max_events = 10);
    /* The warm-up has its own rounds; what is measured begins with a staggered one again. */
    RUN(4, 20, aligned(l, p, NS_PER_SEC), p->warmup = NS_PER_SEC);
    /* What 0.4 calls response time begins with the transaction; without that it begins with its
     * planned start.  200 to 500: 300 and 400 are late by 200 and 101 ms, 500 by 2. */
    RUN(1, 10, aligned(l, p, NS_PER_SEC), block(1, 300 * MS));
    RUN(1, 10, aligned(l, p, NS_PER_SEC), block(1, 300 * MS), p->old_rate = true);
    held_clock_free(held);
    golden_done("run_aligned_test");
    return test_done("run_aligned_test");
}
