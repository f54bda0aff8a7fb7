/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Outages from a list of events: where each begins and ends, what belongs together, and which
 * latencies are of which time.
 */
#include "stats/outages.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/test.h"

#define MS NS_PER_MS
#define S  NS_PER_SEC

/* What another client does while the accounts are read. */
enum other { NOBODY, ERROR, LOST, CONNECTED, READ, SUCCESS, OTHERS };

static struct {
    enum other other;
    struct outages *outages;
    pthread_t thread;
    _Atomic bool begun, done;
} beside;

static void *interfere(void *arg)
{
    struct outages *o = beside.outages;
    struct outage r[OUTAGES_MAX];
    unsigned away;
    size_t more;

    atomic_store(&beside.begun, true);
    switch (beside.other) {
    case ERROR: outages_error(o, 9 * S, false, 0); break;
    case LOST: outages_lost(o); break;
    case CONNECTED: outages_connected(o, 9 * S); break;
    case READ: outages_read(o, 9 * S, r, &more, &away); break;
    case SUCCESS: outages_success(o, 50 * S, 50 * S, 99 * S); break;
    default: break;
    }
    atomic_store(&beside.done, true);
    return arg;
}

/* The lock is held: who else needs it waits. */
static void let_others_try(void)
{
    struct timespec nap = {.tv_nsec = 10 * MS};

    CHECK_INT(pthread_create(&beside.thread, NULL, interfere, NULL), 0);
    while (!atomic_load(&beside.begun) || nanosleep(&nap, NULL) != 0)
        ;
    CHECK(!atomic_load(&beside.done));
}

static dur_ns in_time = 2 * MS;
static unsigned counted;

static void count(void *arg, mono_ns now, struct outage_counts *c, dur_ns *limit)
{
    counted++;
    *c = (struct outage_counts){.offered = (uint64_t)(now / MS)};
    CHECK(arg == &counted);
    if (limit)
        *limit = in_time;
    else if (beside.other)
        let_others_try();
}

static struct outages *fresh(void)
{
    counted = 0;
    return outages_new(count, &counted);
}

/* All its members. */
static void check(const struct outage *r, struct outage want)
{
    CHECK_INT(r->first_error, want.first_error);
    CHECK_INT(r->last_error, want.last_error);
    CHECK_INT(r->silent_from, want.silent_from);
    CHECK_INT(r->success, want.success);
    CHECK_INT(r->connected, want.connected);
    CHECK_INT(r->drained, want.drained);
    CHECK_INT(r->over, want.over);
    CHECK_INT(r->errors, want.errors);
    CHECK_INT(r->lost, want.lost);
    CHECK_INT(r->in_time, in_time);
    CHECK_INT(r->before.offered, want.before.offered);
    CHECK_INT(r->after.offered, want.after.offered);
}

static struct outage only(struct outages *o)
{
    struct outage r[OUTAGES_MAX];
    size_t more;
    unsigned away;

    CHECK_INT(outages_read(o, 0, r, &more, &away), 1);
    CHECK_INT(more, 0);
    return r[0];
}

static size_t rows(struct outages *o)
{
    struct outage r[OUTAGES_MAX];
    size_t more;
    unsigned away;

    return outages_read(o, 0, r, &more, &away) + more;
}

/* A server that is killed and restarted, with a backlog. */
static void killed(void)
{
    struct outages *o = fresh();
    struct outage r;

    struct outage around[OUTAGES_MAX + 1] = {{.success = 1, .last_error = 5 * S}};
    size_t more = 9;
    unsigned away = 9;
    CHECK(!outages_seen(o));
    CHECK_INT(outages_read(o, 9 * S, &around[1], &more, &away), 0);
    CHECK_INT(more + away, 0);
    CHECK_INT(around[0].success, 1); /* nothing is written */
    outages_error(o, 5000 * MS, true, 4999 * MS);
    CHECK(outages_seen(o));
    outages_success(o, 4998 * MS, 4998 * MS, 5001 * MS); /* had been answered before */
    outages_error(o, 5002 * MS, true, 4999 * MS);
    outages_error(o, 6000 * MS, false, 5002 * MS); /* refused */
    outages_connected(o, 8000 * MS);
    r = only(o);
    CHECK_INT(r.connected, 0);
    CHECK_INT(r.over, 0);
    outages_success(o, 5000 * MS, 5000 * MS, 8010 * MS); /* was begun in time, long ago */
    r = only(o);
    CHECK_INT(r.first_error, 5000 * MS);
    CHECK_INT(r.silent_from, 5001 * MS);
    CHECK_INT(r.success, 8010 * MS);
    CHECK_INT(r.drained, 0);
    outages_success(o, 5002 * MS, 5002 * MS, 8015 * MS);
    outages_success(o, 6000 * MS, 8015 * MS, 8020 * MS); /* the backlog */
    CHECK_INT(only(o).drained, 0);
    outages_connected(o, 8030 * MS);
    outages_success(o, 8100 * MS, 8102 * MS, 8103 * MS);
    outages_success(o, 8104 * MS, 8104 * MS, 8105 * MS);
    r = only(o);
    check(&r, (struct outage){.first_error = 5000 * MS,
                              .last_error = 6000 * MS,
                              .silent_from = 5001 * MS,
                              .success = 8010 * MS,
                              .connected = 8030 * MS,
                              .drained = 8102 * MS,
                              .over = 8102 * MS,
                              .errors = 3,
                              .lost = 2,
                              .before.offered = 5000,
                              .after.offered = 8103});
    CHECK_INT(outages_away(o), 0);
    CHECK_INT(counted, 2);
    outages_free(o);
    outages_free(NULL);
}

/* A server that turns read-only: no connection is lost. */
static void read_only(void)
{
    struct outages *o = fresh();

    outages_error(o, 1 * S, false, 0);
    outages_success(o, 3 * S, 3 * S, 3 * S + MS);
    CHECK_INT(only(o).over, 0);
    outages_success(o, 3 * S + MS, 3 * S + MS, 3 * S + 2 * MS);
    CHECK_INT(only(o).over, 3 * S + MS);
    CHECK_INT(only(o).connected, 0);
    outages_free(o);
}

/* What is a success, what is in time, and which of several silences is the longest. */
static void limits(void)
{
    struct outages *o = fresh();
    struct outage want = {.first_error = 10 * S,
                          .last_error = 10 * S,
                          .silent_from = 10 * S,
                          .errors = 1,
                          .before.offered = 10000},
                  r;

    outages_error(o, 10 * S, false, 0);
    outages_success(o, 9 * S, 9 * S, 10 * S - 1); /* had been answered before */
    outages_success(o, 9 * S, 9 * S, 10 * S);     /* at the same instant */
    r = only(o);
    check(&r, want);
    outages_success(o, 10 * S, 10 * S, 11 * S);
    want.success = 11 * S;
    r = only(o);
    check(&r, want);
    outages_error(o, 10 * S + MS, false, 0); /* noted late */
    outages_error(o, 11 * S + 2 * MS, false, 0);
    want.errors = 3;
    want.last_error = 11 * S + 2 * MS;
    outages_success(o, 11 * S, 11 * S, 12 * S); /* as long as the first, which remains */
    r = only(o);
    check(&r, want);
    outages_success(o, 12 * S, 12 * S, 13 * S + 1); /* longer: in time from there on */
    want.silent_from = 12 * S;
    want.success = 13 * S + 1;
    r = only(o);
    check(&r, want);
    outages_success(o, 13 * S, 13 * S, 13 * S + 2); /* begun before the success */
    outages_success(o, 13 * S + 2, 13 * S + 3 + 2 * MS, 13 * S + 3 * MS); /* too late by 1 ns */
    r = only(o);
    check(&r, want);
    outages_error(o, 13 * S + 4 * MS, false, 0);
    want.errors = 4;
    want.last_error = 13 * S + 4 * MS;
    outages_success(o, 13 * S + 4 * MS, 13 * S + 4 * MS, 13 * S + 5 * MS); /* with the error */
    r = only(o);
    check(&r, want);
    outages_success(o, 13 * S + 4 * MS, 13 * S + 6 * MS, 13 * S + 7 * MS); /* just in time */
    want.drained = want.over = 13 * S + 6 * MS;
    want.after.offered = 13007;
    r = only(o);
    check(&r, want);
    CHECK_INT(counted, 2);
    /* a second after its end it goes on, a ns later there is another */
    outages_error(o, want.over + S, true, want.over + 1);
    CHECK_INT(rows(o), 1);
    CHECK_INT(only(o).over, 0);
    CHECK_INT(only(o).drained, 0);
    CHECK_INT(outages_away(o), 1);
    outages_connected(o, want.over + S + 1);
    outages_success(o, want.over + S, want.over + S, want.over + S + 3);
    outages_success(o, want.over + S + 2, want.over + S + 2, want.over + S + 4);
    CHECK_INT(only(o).success, want.success); /* the longest silence is still that one */
    CHECK_INT(only(o).connected, want.over + S + 1);
    mono_ns over = only(o).over;
    CHECK_INT(over, want.over + S + 2);
    /* idle since the end: it had died in the outage; idle since a ns later: another one */
    outages_error(o, over + 3 * S, true, over);
    CHECK_INT(rows(o), 1);
    CHECK_INT(only(o).over, over);
    CHECK_INT(only(o).connected, want.over + S + 1);
    CHECK_INT(only(o).lost, 2);
    CHECK_INT(only(o).errors, 6);
    outages_error(o, over + 3 * S, true, over + 1);
    CHECK_INT(rows(o), 2);
    CHECK_INT(outages_away(o), 2);
    outages_free(o);
    o = fresh();
    outages_error(o, 1 * S, false, 0);
    outages_success(o, 2 * S, 2 * S, 2 * S);
    outages_success(o, 2 * S, 2 * S, 2 * S + 1); /* begun with the success */
    CHECK_INT(only(o).over, 2 * S);
    outages_error(o, 3 * S, true, 0); /* that outage lost no connection */
    CHECK_INT(rows(o), 1);
    CHECK_INT(only(o).over, 0);
    outages_free(o);
    o = fresh();
    outages_error(o, 1 * S, false, 0);
    outages_success(o, 2 * S, 2 * S, 2 * S);
    outages_success(o, 2 * S, 2 * S, 2 * S + 1);
    outages_error(o, 3 * S + 1, true, 0);
    CHECK_INT(rows(o), 2);
    outages_free(o);
}

/* One after the other, and what belongs to the one before. */
static void several(void)
{
    struct outages *o = fresh();
    struct outage r[OUTAGES_MAX];
    unsigned away;
    size_t more;

    for (int i = 1; i <= OUTAGES_MAX + 3; i++) {
        mono_ns at = i * 10 * S;
        outages_error(o, at, true, at - MS);
        outages_connected(o, at + MS);
        outages_success(o, at, at, at + 2 * MS);
        outages_success(o, at + 3 * MS, at + 3 * MS, at + 4 * MS);
        CHECK_INT(rows(o), i);
        /* soon after its end: continues */
        outages_error(o, at + S, true, at + S - MS);
        CHECK_INT(rows(o), i);
        outages_connected(o, at + S + MS);
        outages_success(o, at + S, at + S, at + S + 2 * MS);
        outages_success(o, at + S + 3 * MS, at + S + 3 * MS, at + S + 4 * MS);
        /* a client that has been idle all the time */
        outages_error(o, at + 5 * S, true, at - 5 * S);
        outages_connected(o, at + 5 * S + MS);
        CHECK_INT(rows(o), i);
    }
    CHECK_INT(outages_read(o, 0, r, &more, &away), OUTAGES_MAX);
    CHECK_INT(more, 3);
    CHECK_INT(away, 0);
    for (int i = 0; i < OUTAGES_MAX; i++) {
        mono_ns at = (i + 1) * 10 * S;
        check(&r[i], (struct outage){.first_error = at,
                                     .last_error = at + 5 * S,
                                     .silent_from = at,
                                     .success = at + 2 * MS,
                                     .connected = at + S + MS,
                                     .drained = at + S + 3 * MS,
                                     .over = at + S + 3 * MS,
                                     .errors = 3,
                                     .lost = 3,
                                     .before.offered = (uint64_t)(at / MS),
                                     .after.offered = (uint64_t)(at / MS) + 1004});
    }
    /* idle or not, an error without a loss is a new one; so is a loss of one that had worked */
    outages_error(o, 1000 * S, false, 0);
    outages_read(o, 0, r, &more, &away);
    CHECK_INT(more, 4);
    outages_free(o);
}

/* A run that ends in its outage. */
static void not_over(void)
{
    struct outages *o = fresh();
    struct outage r[OUTAGES_MAX];
    unsigned away;
    size_t more;

    outages_error(o, 5 * S, true, 4 * S);
    outages_error(o, 9 * S, true, 4 * S);
    CHECK_INT(outages_read(o, 0, r, &more, &away), 1);
    CHECK_INT(away, 2);
    CHECK_INT(r[0].success, 0);
    CHECK_INT(r[0].over, 0);
    /* connections alone are no success, and a success alone no connection */
    outages_connected(o, 10 * S);
    outages_connected(o, 11 * S);
    outages_connected(o, 12 * S); /* one that nobody had lost */
    CHECK_INT(only(o).connected, 11 * S);
    CHECK_INT(only(o).over, 0);
    outages_free(o);
}

/* One that goes on soon after its end: what is between does not count as a silence. */
static void goes_on(void)
{
    struct outages *o = fresh();
    struct outage r;

    outages_error(o, 5 * S, false, 0);
    outages_success(o, 5 * S, 5 * S, 5200 * MS);
    outages_success(o, 5201 * MS, 5201 * MS, 5202 * MS);
    CHECK_INT(only(o).over, 5201 * MS);
    for (mono_ns at = 5300 * MS; at < 6 * S; at += 100 * MS)
        outages_success(o, at, at, at + MS);
    outages_error(o, 6 * S, false, 0);
    outages_success(o, 5999 * MS, 5999 * MS, 6001 * MS); /* had been answered before */
    CHECK_INT(only(o).over, 0);
    outages_success(o, 6010 * MS, 6010 * MS, 6011 * MS);
    r = only(o);
    CHECK_INT(r.silent_from, 5 * S);
    CHECK_INT(r.success, 5200 * MS);
    CHECK_INT(r.drained, 6010 * MS);
    CHECK_INT(r.over, 6010 * MS);
    outages_free(o);
}

/* It succeeded once, and then no more until the end. */
static void silent_end(void)
{
    struct outages *o = fresh();
    struct outage r[OUTAGES_MAX];
    unsigned away;
    size_t more;

    outages_error(o, 5 * S, true, 4 * S);
    outages_success(o, 5 * S, 5 * S, 6 * S);
    outages_read(o, 9 * S, r, &more, &away);
    CHECK_INT(r[0].success, 6 * S); /* not for an error: perhaps there was nothing to do */
    outages_error(o, 6500 * MS, false, 6 * S);
    outages_read(o, 7 * S, r, &more, &away);
    CHECK_INT(r[0].success, 6 * S);
    CHECK_INT(r[0].silent_from, 5 * S);
    outages_read(o, 9 * S, r, &more, &away);
    CHECK_INT(r[0].success, 0);
    CHECK_INT(r[0].silent_from, 6 * S);
    CHECK_INT(only(o).success, 6 * S); /* a reading changes nothing */
    outages_free(o);
    o = fresh(); /* as long as the silence before it is not longer */
    outages_error(o, 5 * S, false, 0);
    outages_success(o, 5 * S, 5 * S, 6 * S);
    outages_error(o, 6 * S, false, 0);
    outages_read(o, 8 * S, r, &more, &away);
    CHECK_INT(r[0].success, 6 * S);
    outages_error(o, 6 * S + 1, false, 0);
    outages_read(o, 7 * S, r, &more, &away);
    CHECK_INT(r[0].success, 6 * S);
    outages_read(o, 7 * S + 1, r, &more, &away);
    check(&r[0], (struct outage){.first_error = 5 * S,
                                 .last_error = 6 * S + 1,
                                 .silent_from = 6 * S,
                                 .errors = 3,
                                 .before.offered = 5000});
    outages_free(o);
}

/* Connections that were lost before measuring began. */
static void lost_before(void)
{
    struct outages *o = fresh();

    outages_lost(o);
    outages_lost(o);
    outages_lost(o);
    outages_connected(o, 4900 * MS);
    CHECK_INT(rows(o), 0);
    outages_error(o, 5 * S, false, 0);
    outages_error(o, 5 * S, true, 4 * S);
    CHECK_INT(only(o).lost, 3);
    outages_connected(o, 6 * S);
    outages_connected(o, 6 * S + 1);
    CHECK_INT(only(o).connected, 0);
    outages_connected(o, 6 * S + 2);
    CHECK_INT(only(o).connected, 6 * S + 2);
    outages_free(o);
}

static void latencies(void)
{
    struct outages *o = fresh();
    struct hist_counts during, after;

    hist_counts_init(&during, HIST_BUCKETS);
    hist_counts_init(&after, HIST_BUCKETS);
    outages_latencies(o, &during, &after);
    CHECK_INT(during.total + after.total, 0);
    outages_error(o, 5 * S, false, 0);
    outages_success(o, 5 * S - MS, 5 * S - MS, 7 * S); /* in flight */
    outages_success(o, 5 * S, 7 * S, 7 * S + 10 * MS);
    outages_success(o, 6 * S, 7 * S, 7 * S + 10 * MS);
    outages_success(o, 7 * S + 10 * MS, 7 * S + 10 * MS, 7 * S + 11 * MS); /* and over */
    outages_success(o, 7 * S + 20 * MS, 7 * S + 20 * MS, 7 * S + 21 * MS);
    outages_success(o, 5 * S - MS, 5 * S - MS, 5 * S - 1); /* noted late: before */
    outages_latencies(o, &during, &after);
    CHECK_INT(during.total, 3);
    CHECK_INT(after.total, 2);
    CHECK(hist_min(&during) > S && hist_max(&after) < 2 * MS);
    /* between two of them */
    outages_error(o, 20 * S, false, 0);
    outages_success(o, 19 * S, 19 * S, 21 * S);
    outages_success(o, 20 * S, 20 * S, 21 * S);
    outages_success(o, 19 * S, 19 * S, 20 * S - 1);
    hist_counts_clear(&during);
    hist_counts_clear(&after);
    outages_latencies(o, &during, &after);
    CHECK_INT(during.total, 5);
    CHECK_INT(after.total, 3);
    hist_counts_fini(&during);
    hist_counts_fini(&after);
    outages_free(o);
}

/* An outage ends, and meanwhile another client does something. */
static void one_at_a_time(enum other other)
{
    struct outages *o = fresh();

    outages_error(o, 5 * S, false, 0);
    outages_success(o, 6 * S, 6 * S, 7 * S);
    beside.other = other;
    beside.outages = o;
    atomic_store(&beside.begun, false);
    atomic_store(&beside.done, false);
    outages_success(o, 7 * S, 7 * S, 8 * S);
    pthread_join(beside.thread, NULL);
    beside.other = NOBODY;
    if (other == ERROR) { /* two seconds after its end: another one */
        CHECK_INT(rows(o), 2);
    } else {
        CHECK_INT(only(o).over, 7 * S);
        CHECK_INT(only(o).errors, 1);
    }
    CHECK_INT(outages_away(o), other == LOST);
    outages_free(o);
}

#define THREADS 4
#define EACH    20000

static _Atomic mono_ns ticks;

static void *client(void *arg)
{
    struct outages *o = arg;

    for (int i = 0; i < EACH; i++) {
        mono_ns now = atomic_fetch_add(&ticks, MS) + MS;
        if (i % 5000 == 4000) {
            outages_error(o, now, true, now - MS);
            outages_connected(o, now + 1);
        }
        if (outages_seen(o))
            outages_success(o, now, now, now + 2);
    }
    return NULL;
}

/* Many clients at once: every transaction is in one histogram, and no connection is forgotten. */
static void threads(void)
{
    struct outages *o = fresh();
    struct hist_counts during, after;
    struct outage r[OUTAGES_MAX];
    pthread_t id[THREADS];
    unsigned away, lost = 0;
    size_t more, n;

    hist_counts_init(&during, HIST_BUCKETS);
    hist_counts_init(&after, HIST_BUCKETS);
    outages_error(o, 1, true, 0);
    outages_connected(o, 2);
    atomic_store(&ticks, 10);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&id[i], NULL, client, o), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    outages_latencies(o, &during, &after);
    CHECK_INT(during.total + after.total, THREADS * EACH);
    n = outages_read(o, 0, r, &more, &away);
    for (size_t i = 0; i < n; i++)
        lost += r[i].lost;
    CHECK_INT(away, 0);
    CHECK(lost + more >= THREADS * EACH / 5000 / 2 && lost <= THREADS * EACH / 5000 + 1);
    hist_counts_fini(&during);
    hist_counts_fini(&after);
    outages_free(o);
}

TEST_MAIN(outages_test)
{
    killed();
    read_only();
    several();
    not_over();
    goes_on();
    silent_end();
    lost_before();
    limits();
    latencies();
    for (int other = NOBODY + 1; other < OTHERS; other++)
        one_at_a_time((enum other)other);
    threads();
    return test_done("outages");
}
