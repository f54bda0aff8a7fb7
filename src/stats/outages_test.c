/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Outages from a list of events: where each begins and ends, what belongs together, and which
 * latencies are of which time.
 */
#include "stats/outages.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/test_golden.h"

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

static void tell_rows(struct str *out, const struct outage *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        str_printf(
            out,
            "    error %.6f to %.6f, silent %.6f to %.6f, connected %.6f, drained %.6f, over "
            "%.6f, errors %llu, lost %u, in time %.6f, offered %llu %llu\n",
            (double)r[i].first_error / MS, (double)r[i].last_error / MS,
            (double)r[i].silent_from / MS, (double)r[i].success / MS, (double)r[i].connected / MS,
            (double)r[i].drained / MS, (double)r[i].over / MS, (unsigned long long)r[i].errors,
            (unsigned)r[i].lost, (double)r[i].in_time / MS, (unsigned long long)r[i].before.offered,
            (unsigned long long)r[i].after.offered);
}

static void tell(struct str *out, struct outages *o, mono_ns now)
{
    struct hist_counts during, after;
    struct outage r[OUTAGES_MAX];
    unsigned away;
    size_t more, n = outages_read(o, now, r, &more, &away);

    hist_counts_init(&during, HIST_BUCKETS);
    hist_counts_init(&after, HIST_BUCKETS);
    outages_latencies(o, &during, &after);
    str_printf(out, ": seen %d, away %u %u, more %zu, during %llu, after %llu, counted %u\n",
               outages_seen(o), outages_away(o), away, more, (unsigned long long)during.total,
               (unsigned long long)after.total, counted);
    tell_rows(out, r, n);
    hist_counts_fini(&during);
    hist_counts_fini(&after);
}

/* The next number of an event, in ms; 0: there is none. */
static mono_ns number(char **at)
{
    char *end;
    double v = strtod(*at + strspn(*at, ","), &end);

    *at = end;
    return (mono_ns)llround(v * MS);
}

/* What is told after each event of a list, times in ms: an error (! with the loss of a connection;
 * when it last worked), a success (planned, begun, ended; planned may be left out), a connection
 * that is back or lost, a reading. */
static void play(const char *title, const char *events)
{
    struct outages *o = fresh();
    struct str out = STR_INIT;
    char list[2000], *at = NULL;

    snprintf(list, sizeof list, "%s", events);
    for (char *event = strtok_r(list, " ", &at); event; event = strtok_r(NULL, " ", &at)) {
        char *p = event + 1;
        mono_ns a = number(&p), now = 0, b, c;
        bool loses = *p == '!';
        str_adds(&out, event);
        p += loses;
        b = number(&p);
        c = number(&p);
        switch (*event) {
        case 'E': outages_error(o, a, loses, b); break;
        case 'S': outages_success(o, a, c ? b : a, c ? c : b); break;
        case 'C': outages_connected(o, a); break;
        case 'L': outages_lost(o); break;
        default: now = a;
        }
        tell(&out, o, now);
    }
    golden(&out, "%s", title);
    str_free(&out);
    outages_free(o);
}

static void plays(void)
{
    static const struct {
        const char *title, *events;
    } t[] = {
        {"a server that is killed and restarted, with a backlog",
         "R9000 E5000!,4999 S4998,5001 E5002!,4999 E6000,5002 C8000 S5000,8010 S5002,8015 "
         "S6000,8015,8020 C8030 S8100,8102,8103 S8104,8105"},
        {"a server that turns read-only", "E1000 S3000,3001 S3001,3002"},
        {"what is a success, in time, the longest silence, and what belongs to the one before",
         "E10000 S9000,9999.999999 S9000,10000 S10000,11000 E10001 E11002 S11000,12000 "
         "S12000,13000.000001 S13000,13000.000002 S13000.000002,13002.000003,13003 E13004 "
         "S13004,13005 S13004,13006,13007 E14006!,13006.000001 C14006.000001 "
         "S14006,14006.000003 S14006.000002,14006.000004 E17006.000002!,14006.000002 "
         "E17006.000002!,14006.000003"},
        {"what is a success, in time, the longest silence, and what belongs to the one before",
         "E1000 S2000,2000 S2000,2000.000001 E3000!"},
        {"what is a success, in time, the longest silence, and what belongs to the one before",
         "E1000 S2000,2000 S2000,2000.000001 E3000.000001!"},
        {"a run that ends in its outage", "E5000!,4000 E9000!,4000 C10000 C11000 C12000"},
        {"a success, and no more until the end",
         "E5000!,4000 S5000,6000 R9000 E6500,6000 R7000 R9000"},
        {"a success, and no more until the end",
         "E5000 S5000,6000 E6000 R8000 E6000.000001 R7000 R7000.000001"},
        {"connections lost before measuring began",
         "L L L C4900 E5000 E5000!,4000 C6000 C6000.000001 C6000.000002"},
        {"one that goes on soon after its end",
         "E5000 S5000,5200 S5201,5202 S5300,5301 S5400,5401 S5500,5501 S5600,5601 "
         "S5700,5701 S5800,5801 S5900,5901 E6000 S5999,6001 S6010,6011"},
        {"latencies of several",
         "E5000 S4999,7000 S5000,7000,7010 S6000,7000,7010 S7010,7011 S7020,7021 "
         "S4999,4999.999999 E20000 S19000,21000 S20000,21000 S19000,19999.999999"},
    };

    for (size_t i = 0; i < COUNT(t); i++)
        play(t[i].title, t[i].events);
}

/* One after the other, and what belongs to the one before. */
static void several(void)
{
    struct outages *o = fresh();
    struct str out = STR_INIT;

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
    tell(&out, o, 0);
    /* idle or not, an error without a loss is a new one; so is a loss of one that had worked */
    outages_error(o, 1000 * S, false, 0);
    tell(&out, o, 0);
    golden(&out, "several");
    str_free(&out);
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

/* --- outages of several hosts as one list --- */

static struct outage between(mono_ns from, mono_ns to)
{
    return (struct outage){.first_error = from,
                           .last_error = from + S / 2,
                           .silent_from = from,
                           .success = to,
                           .drained = to,
                           .over = to,
                           .errors = 3,
                           .in_time = from / 1000,
                           .before = {10, 20, 30, 40, 50},
                           .after = {20, 30, 40, 50, 60}};
}

static struct outage row[OUTAGES_MAX];
static size_t in_row, beyond;

/* Adds one to the row: what the row is then. */
static void join(struct outage more, const char *title)
{
    struct str out = STR_INIT;

    in_row = outages_join(row, in_row, &more, 1, &beyond);
    str_printf(&out, "%zu beyond; counts", beyond);
    for (size_t i = 0; i < in_row; i++) {
        const struct outage_counts *b = &row[i].before, *a = &row[i].after;
        const uint64_t n[] = {b->offered, b->done, b->failed, b->dropped, b->late,
                              a->offered, a->done, a->failed, a->dropped, a->late};
        for (size_t k = 0; k < COUNT(n); k++)
            str_printf(&out, " %llu", (unsigned long long)n[k]);
    }
    str_adds(&out, "\n");
    tell_rows(&out, row, in_row);
    golden(&out, "join: %s", title);
    str_free(&out);
}

static void only_row(struct outage r)
{
    row[0] = r;
    in_row = 1;
    beyond = 0;
}

static void joins(void)
{
    static const mono_ns in_turn[][4] = {{10000, 12000, 12500, 13500},
                                         {10000, 11000, 11500, 13500},
                                         {10000, 11000, 11000, 12000},
                                         {10000, 11000, 11500, 12500},
                                         {10000, 11001, 11000, 11500}};
    struct outage more = between(11 * S, 19 * S);

    only_row(between(10 * S, 20 * S));
    more.lost = 2;
    more.connected = 18 * S;
    join(more, "the silence is what both have in common");
    more.lost = 1;
    more.connected = 17 * S;
    join(more, "the last one that had lost connections counts");
    join(between(11 * S, 19 * S), "one that had lost none");
    more.connected = 0;
    join(more, "at one of them they are not back yet");
    only_row(more);
    row[0].connected = 12 * S;
    join(between(11 * S, 19 * S), "only those of the row were lost");
    for (size_t i = 0; i < 2 * COUNT(in_turn); i++) {
        const mono_ns *t = in_turn[i / 2];
        struct outage a = between(t[0] * MS, t[1] * MS), b = between(t[2] * MS, t[3] * MS);
        only_row(i % 2 ? b : a);
        join(i % 2 ? a : b, "silences that have nothing in common");
    }
    only_row(between(10 * S, 11 * S));
    join(between(12 * S, 0), "one host still waits");
    join(between(1000 * S, 1001 * S), "it is open for whatever comes later");
    only_row(between(30 * S, 31 * S));
    join(between(10 * S, 12 * S), "apart, in the order of time");
    row[in_row++] = between(50 * S, 51 * S);
    join(between(13 * S, 29 * S + 1), "one between two joins them");
    join(between(32 * S + 1, 33 * S), "just more than a second after it");
    for (in_row = 0; in_row < OUTAGES_MAX; in_row++)
        row[in_row] = between((mono_ns)in_row * 10 * S + S, (mono_ns)in_row * 10 * S + 2 * S);
    beyond = 1;
    join(between(1000 * S, 1001 * S), "no room");
    join(between(151 * S + S / 2, 152 * S), "one that belongs to a row needs none");
    struct outage two[] = {between(5 * S, 6 * S), between(7 * S, 8 * S)};
    CHECK_INT(outages_join(row, 2, two, 2, &beyond), 3); /* the two are one: a second between */
}

TEST_MAIN(outages_test)
{
    plays();
    several();
    joins();
    for (int other = NOBODY + 1; other < OTHERS; other++)
        one_at_a_time((enum other)other);
    threads();
    golden_done("outages_test");
    return test_done("outages");
}
