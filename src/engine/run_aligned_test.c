/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs with aligned arrivals on a held clock, to the nanosecond: the start times that were measured
 * with the patch of 2009, its catching up, and its end.
 */
#include "engine/run_test.h"

#include "base/log.h"

#define STARTS 64

/* When each client began each transaction, ns after the start line. */
struct diary {
    struct load l;
    mono_ns zero;
    dur_ns ahead;
    int blocked_at; /* the transaction of client 0 that lasts ... */
    dur_ns blocked; /* ... so long; 0: none */
    int n[8];
    dur_ns begun[8][STARTS];
};

static void note_start_line(struct load *l)
{
    struct diary *d = (struct diary *)l;

    d->zero = test_now() + d->ahead;
}

static int keep_diary(struct load *l, struct client *c, struct err *err)
{
    struct diary *d = (struct diary *)l;
    int id = client_id(c);

    while (client_next(c)) {
        client_begin(c);
        d->begun[id][d->n[id] % STARTS] = test_now() - d->zero;
        busy(d->blocked && id == 0 && d->n[0] == d->blocked_at ? d->blocked : d->l.service);
        d->n[id]++;
        client_end(c);
    }
    return 0;
}

static struct diary new_diary(const struct plan *p)
{
    struct diary d = {.l = fresh(), .ahead = MS + p->clients * 30 * US};

    d.l.runs = keep_diary;
    d.l.started = note_start_line;
    return d;
}

/* A window of 1 ns moves nothing. */
static struct plan aligned_plan(int clients, double rate)
{
    struct plan p = base_plan(clients, rate);

    p.arrival = ARRIVAL_ALIGNED;
    p.jitter = 1;
    return p;
}

static void check_starts(const struct diary *d, int client, const dur_ns *want_ms, int n)
{
    CHECK_INT(d->n[client], n);
    for (int i = 0; i < n; i++)
        CHECK_INT(d->begun[client][i], want_ms[i] * MS);
}

/* 4 clients, 20 a second: a first round at i * 50 ms, then all together each 200 ms; 200 ms are
 * left out.  The last round begins with the time limit: 20 transactions in the second. */
static void measured_starts(void)
{
    static const dur_ns want[4][5] = {{0, 400, 600, 800, 1000},
                                      {50, 400, 600, 800, 1000},
                                      {100, 400, 600, 800, 1000},
                                      {150, 400, 600, 800, 1000}};
    struct plan p = aligned_plan(4, 20);
    struct diary d = new_diary(&p);

    d.l.service = MS;
    CHECK_INT(run(&d.l, &p), 0);
    for (int i = 0; i < 4; i++)
        check_starts(&d, i, want[i], 5);
    check_rate(20, 20, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 1001 * MS);
    CHECK_INT(res.final.rate.lag.max, 0);
    CHECK(res.sustained);
}

/* 2 clients, 10 a second; the transaction of client 0 at 1200 ms lasts 877 ms.  It catches up back
 * to back and is on its grid again at 2200; client 1 never noticed. */
static void catches_up(void)
{
    static const dur_ns first[] = {0,    400,  600,  800,  1000, 1200, 2077,
                                   2078, 2079, 2080, 2200, 2400, 2600};
    static const dur_ns second[] = {100,  400,  600,  800,  1000, 1200, 1400,
                                    1600, 1800, 2000, 2200, 2400, 2600};
    struct plan p = aligned_plan(2, 10);
    struct diary d = new_diary(&p);

    p.time_limit = 2500 * MS;
    d.l.service = MS;
    d.blocked_at = 5;
    d.blocked = 877 * MS;
    CHECK_INT(run(&d.l, &p), 0);
    check_starts(&d, 0, first, 13);
    check_starts(&d, 1, second, 13);
    check_rate(26, 26, 0, 0);
    CHECK_INT(res.final.rate.total_late, 4);
    check_ns(res.final.rate.lag.max, 677 * MS);
    CHECK_INT(res.final.elapsed_ns, 2601 * MS);
}

/* Behind at the end: what was planned before the limit and never begun is unfinished. */
static void behind_at_the_end(void)
{
    static const dur_ns first[] = {0, 400, 600, 1600, 1750, 1900};
    struct plan p = aligned_plan(2, 10);
    struct diary d = new_diary(&p);

    p.time_limit = 2000 * MS;
    d.blocked_at = 2;
    d.blocked = 1000 * MS;
    d.l.service = 150 * MS;
    CHECK_INT(run(&d.l, &p), 0);
    /* the one at 600 lasts until 1600, the last one until 2050, after the limit */
    check_starts(&d, 0, first, 6);
    CHECK_INT(d.n[1], 10);
    check_rate(19, 16, 0, 3);
    CHECK_INT(res.final.rate.in_flight, 0);
    CHECK(!res.sustained);
}

/* A period longer than the run: who sleeps at the limit wakes, runs one, and stops. */
static void one_more(void)
{
    static const dur_ns want[4][2] = {{0, 8000}, {1000, 0}, {2000, 0}, {3000, 0}};
    struct plan p = aligned_plan(4, 1);
    struct diary d = new_diary(&p);

    d.l.service = MS;
    p.time_limit = 900 * MS;
    CHECK_INT(run(&d.l, &p), 0);
    for (int i = 0; i < 4; i++)
        check_starts(&d, i, want[i], i ? 1 : 2);
    check_rate(5, 5, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 8001 * MS);
    CHECK(res.sustained);
}

static void check_interval(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && s->interval_ns != 300 * MS)
        l->after++;
}

/* Pauses that the time limit leaves alone are reported in whole intervals. */
static void intervals_after_the_limit(void)
{
    struct plan p = aligned_plan(4, 1);
    struct diary d = new_diary(&p);

    d.l.service = MS;
    d.l.watched = check_interval;
    p.time_limit = 900 * MS;
    p.report_interval = 300 * MS;
    CHECK_INT(run(&d.l, &p), 0);
    CHECK_INT(d.l.after, 0);
    CHECK_INT(d.l.unbalanced, 0);
    check_rate(5, 5, 0, 0);
}

static void *interrupt(void *arg)
{
    const struct diary *d = arg;

    busy(d->ahead + 1500 * MS);
    raise(SIGINT);
    return NULL;
}

static void interrupt_later(struct load *l)
{
    note_start_line(l);
    clock_thread_create(held_clock(held), &l->killer, NULL, interrupt, l);
}

/* A signal ends even the pauses that the time limit leaves alone. */
static void interrupted_after_the_limit(void)
{
    struct plan p = aligned_plan(4, 1);
    struct diary d = new_diary(&p);

    d.l.service = MS;
    d.l.started = interrupt_later;
    p.time_limit = 900 * MS;
    CHECK_INT(run(&d.l, &p), 0);
    clock_thread_join(held_clock(held), d.l.killer);
    CHECK_INT(res.signal, SIGINT);
    CHECK(!res.clients_left);
    CHECK_INT(d.n[0] + d.n[1] + d.n[2] + d.n[3], 2);
    check_rate(2, 2, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 1001 * MS);
}

/* --events, without a time limit: so many in all, and the run ends with the last one. */
static void limited_by_events(void)
{
    struct plan p = aligned_plan(4, 20);
    struct diary d = new_diary(&p);

    d.l.service = MS;
    p.time_limit = 0;
    p.max_events = 10;
    CHECK_INT(run(&d.l, &p), 0);
    check_rate(10, 10, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 601 * MS);
    CHECK(res.sustained);
}

/* The warm-up has its own rounds; what is measured begins with a staggered one again. */
static void after_a_warm_up(void)
{
    static const dur_ns want[] = {0, 400, 600, 800, 1000, 1400, 1600, 1800, 2000};
    struct plan p = aligned_plan(4, 20);
    struct diary d = new_diary(&p);

    p.warmup = NS_PER_SEC;
    d.l.service = MS;
    CHECK_INT(run(&d.l, &p), 0);
    check_starts(&d, 0, want, 9);
    CHECK_INT(d.begun[1][4], 1050 * MS);
    check_rate(20, 20, 0, 0);
    CHECK_INT(res.final.elapsed_ns, 1001 * MS);
}

/* What 0.4 calls response time begins with the transaction; without that it begins with its
 * planned start. */
static void latency_from_begin(void)
{
    for (int from_begin = 0; from_begin < 2; from_begin++) {
        struct plan p = aligned_plan(1, 10);
        struct diary d = new_diary(&p);

        p.old_rate = from_begin;
        d.l.service = MS;
        d.blocked_at = 1;
        d.blocked = 300 * MS; /* 200 to 500: 300 and 400 are late by 200 and 101 ms, 500 by 2 */
        CHECK_INT(run(&d.l, &p), 0);
        CHECK_NEAR(res.final.latency_min_ms, 1, 1e-6);
        CHECK_NEAR(res.final.latency_max_ms, 300, 1e-6);
        CHECK_NEAR(res.final.latency_sum_ms, from_begin ? 309 : 309 + 303, 1e-6);
        check_rate(10, 10, 0, 0);
        check_ns(res.final.rate.lag.max, 200 * MS);
    }
}

TEST_MAIN(run_aligned_test)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    measured_starts();
    catches_up();
    behind_at_the_end();
    one_more();
    intervals_after_the_limit();
    interrupted_after_the_limit();
    limited_by_events();
    after_a_warm_up();
    latency_from_begin();
    held_clock_free(held);
    return test_done("run_aligned_test");
}
