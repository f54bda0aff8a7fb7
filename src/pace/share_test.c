/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ranks that share a schedule, beside one that has it alone: the planned starts of all ranks
 * together are those of the one, each exactly once and to the ns, and at any instant so are the
 * counts of those due and of those dropped.  No clock, no threads; the instants are drawn.
 */
#include "pace/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
#include "pace/ticket.h"

#define MS NS_PER_MS
enum { MOST_RANKS = 7, CLIENTS = 23, INSTANTS = 300 };

struct start {
    uint64_t k;
    dur_ns planned;
};

struct starts {
    struct start *at;
    size_t n;
};

struct kind {
    const char *name;
    enum arrival_shape shape;
    double rate;
    dur_ns jitter;
    double seconds;    /* of the schedule; 0: without an end */
    uint64_t most;     /* so many starts; 0: no limit */
    const char *rates; /* NULL: `rate`, always; the text of a file of rates or starts: "@..." */
    double scale;      /* ... with so many times as many starts; 0: 1 */
    dur_ns changes_at; /* 0: the rate stays */
    double changes_to; /* ... with another change, back, a second later */
    bool one_more;
    bool first_who_asks; /* which starts are taken depends on who asks first: only counts agree */
    enum overload overload;
    uint64_t burst;
    dur_ns max_lag;
};

#define KIND(name_, shape_, rate_, jitter_, seconds_, most_, ...)                                  \
    {                                                                                              \
        .name = name_, .shape = ARRIVAL_##shape_, .rate = rate_, .jitter = jitter_,                \
        .seconds = seconds_, .most = most_, __VA_ARGS__                                            \
    }
static const struct kind kinds[] = {
    KIND("even", EVEN, 1200, 0, 5, 0),
    KIND("even, a third of a transaction", EVEN, 1.0 / 3, 0, 60, 0),
    KIND("even, limited", EVEN, 1200, 0, 0, 1001),
    KIND("even, fewer than ranks", EVEN, 1200, 0, 0, 2),
    KIND("jitter within a gap", EVEN, 1000, MS / 2, 5, 0),
    KIND("jitter over many gaps", EVEN, 1000, 40 * MS, 5, 0),
    KIND("wide jitter, limited", EVEN, 1000, 40 * MS, 0, 777),
    KIND("Poisson", POISSON, 1000, 0, 5, 0),
    KIND("Poisson, limited", POISSON, 1000, 0, 0, 500),
    KIND("Poisson with jitter", POISSON, 1000, 5 * MS, 5, 3000),
    KIND("stages", EVEN, 500, 0, 5, 0, .rates = "500:1,50:2,900:2"),
    KIND("a ramp", EVEN, 500, 0, 5, 0, .rates = "0-1000:5"),
    KIND("Poisson stages", POISSON, 500, 0, 5, 0, .rates = "500:1,900:4"),
    KIND("a ramp with jitter", EVEN, 500, 20 * MS, 5, 0, .rates = "10-1000:5"),
    KIND("a sine", EVEN, 500, 0, 5, 0, .rates = "sine(500,400,2)"),
    KIND("rates", EVEN, 500, 0, 5, 0, .rates = "@seconds,rate\n0,700\n1,0\n2,33.3\n4,1500\n5,0\n"),
    KIND("Poisson of rates, limited", POISSON, 500, 0, 0, 501,
         .rates = "@0,700\n1,0\n2,33.3\n4,1500\n"),
    KIND("starts, several at once", EVEN, 500, 0, 5, 0,
         .rates = "@0\n0\n0\n.1\n.25\n.250000001\n2\n2\n3.999999999\n4\n"),
    KIND("starts, 2.5 times as many", EVEN, 500, 0, 5, 0,
         .rates = "@0\n.1\n.25\n.250000001\n2\n2\n3.999999999\n4\n", .scale = 2.5),
    KIND("starts beyond the end, limited", EVEN, 500, 0, 3, 4,
         .rates = "@0\n.1\n.25\n.250000001\n2\n2\n3.999999999\n4\n"),
    KIND("fewer starts than ranks", EVEN, 500, 0, 5, 0, .rates = "@1\n2\n"),
    KIND("a rate that changes", EVEN, 700, 0, 5, 0, .changes_at = 1700 * MS + 1, .changes_to = 313),
    KIND("a rate that changes, limited", EVEN, 700, 0, 0, 2001, .changes_at = 1700 * MS + 1,
         .changes_to = 313),
    KIND("jitter and a pause", EVEN, 700, 20 * MS, 5, 0, .changes_at = 2000 * MS),
    KIND("Poisson that changes", POISSON, 700, 0, 5, 0, .changes_at = 900 * MS, .changes_to = 2500),
    KIND("aligned", ALIGNED, 300, 0, 5, 0),
    KIND("aligned, one more", ALIGNED, 300, 0, 5, 0, .one_more = true),
    KIND("aligned, rounds overlap", ALIGNED, 300, 200 * MS, 5, 0),
    KIND("aligned, limited", ALIGNED, 300, 200 * MS, 0, 457, .first_who_asks = true),
    KIND("aligned, limit beyond the end", ALIGNED, 300, 0, 1, 457, .first_who_asks = true),
};

static dur_ns horizon(const struct kind *k)
{
    return k->seconds > 0 ? (dur_ns)(k->seconds * NS_PER_SEC) : MONO_NEVER;
}

/* The parts of a schedule, or with one rank the whole. */
struct group {
    struct tickets *t[MOST_RANKS];
    int ranks;
};

static void change(struct tickets *t, const struct kind *k)
{
    if (!k->changes_at)
        return;
    tickets_hold(t);
    tickets_set_rate(t, k->changes_at, k->changes_to);
    tickets_hold(t);
    tickets_set_rate(t, k->changes_at + NS_PER_SEC, k->rate);
}

static struct group group_new(const struct kind *k, const struct rates *rates, int ranks)
{
    struct group g = {.ranks = ranks};

    for (int r = 0; r < ranks; r++) {
        struct ticket_spec s = {
            .arrivals = {k->shape, k->rate, k->jitter, CLIENTS, 42, rates},
            .share = {(uint64_t)r, (uint64_t)ranks},
            .overload = k->overload,
            .burst = k->burst,
            .max_lag = k->max_lag,
            .max_tickets = k->most,
            .horizon = horizon(k),
            .changes = k->changes_at > 0,
            .one_more = k->one_more,
        };
        g.t[r] = tickets_new(&s);
        change(g.t[r], k);
    }
    return g;
}

static void group_free(struct group *g)
{
    for (int r = 0; r < g->ranks; r++)
        tickets_free(g->t[r]);
}

static uint64_t sum(const struct group *g, uint64_t (*of)(struct tickets *))
{
    uint64_t n = 0;

    for (int r = 0; r < g->ranks; r++)
        n += of(g->t[r]);
    return n;
}

static uint64_t offered(const struct group *g, dur_ns at)
{
    uint64_t n = 0;

    for (int r = 0; r < g->ranks; r++)
        n += tickets_offered(g->t[r], at);
    return n;
}

static dur_ns next_planned(const struct group *g)
{
    dur_ns first = MONO_NEVER;

    for (int r = 0; r < g->ranks; r++) {
        dur_ns at = tickets_next_planned(g->t[r]);
        first = at < first ? at : first;
    }
    return first;
}

static void keep(struct starts *s, const struct ticket *t)
{
    s->at = mem_append(s->at, s->n, sizeof *s->at);
    s->at[s->n++] = (struct start){t->k, t->planned};
}

static int by_index(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    return (x->k > y->k) - (x->k < y->k);
}

/* The clients of a rank ask in turn, each until it gets none, or its extra one (arrivals.h). */
static void take_all(const struct kind *k, const struct group *g, int r, struct starts *out)
{
    int clients = (CLIENTS - r + g->ranks - 1) / g->ranks, left = clients;
    bool over[CLIENTS] = {false};
    struct ticket t;

    for (int c = 0; left > 0; c = (c + 1) % clients) {
        if (over[c])
            continue;
        over[c] = tickets_take(g->t[r], c, 0, &t) != TICKET_OK;
        if (!over[c]) {
            keep(out, &t);
            over[c] = t.planned >= horizon(k);
        }
        left -= over[c];
    }
}

static struct starts starts_of(const struct kind *k, const struct group *g)
{
    struct starts s = {0};

    for (int r = 0; r < g->ranks; r++)
        take_all(k, g, r, &s);
    qsort(s.at, s.n, sizeof *s.at, by_index);
    return s;
}

/* Instants from before the start until after the end, in order: counts that are walked go one way.
 */
static int instants_differ(const struct group *one, const struct group *many)
{
    struct rng draw;
    dur_ns at = -10;
    int bad = 0;

    rng_seed_pair(&draw, 17, (uint64_t)many->ranks);
    for (int i = 0; i < INSTANTS; i++) {
        bad += offered(one, at) != offered(many, at);
        at += (dur_ns)(rng_next(&draw) % (dur_ns)(40 * MS));
    }
    return bad;
}

static void compare_starts(const struct kind *k, const struct rates *rates, int ranks)
{
    struct group one = group_new(k, rates, 1), many = group_new(k, rates, ranks);
    struct starts want, got;

    CHECK_INT(next_planned(&many), next_planned(&one));
    CHECK_INT(instants_differ(&one, &many), 0);
    want = starts_of(k, &one);
    got = starts_of(k, &many);
    CHECK(want.n > 0);
    CHECK_INT(got.n, want.n);
    CHECK(k->first_who_asks || memcmp(got.at, want.at, want.n * sizeof *want.at) == 0);
    CHECK_INT(sum(&many, tickets_issued), sum(&one, tickets_issued));
    CHECK_INT(offered(&many, 3600 * NS_PER_SEC), offered(&one, 3600 * NS_PER_SEC));
    free(want.at);
    free(got.at);
    group_free(&one);
    group_free(&many);
}

/* Overdue ones are dropped by what the whole says, whoever takes none. */
static void compare_drops(const struct kind *k, const struct rates *rates, int ranks,
                          uint64_t burst, dur_ns lag)
{
    struct kind dropping = *k;
    struct group one, many;
    int bad = 0;

    dropping.overload = OVERLOAD_DROP;
    dropping.burst = burst;
    dropping.max_lag = lag;
    one = group_new(&dropping, rates, 1);
    many = group_new(&dropping, rates, ranks);
    for (dur_ns at = 0; at < 6 * NS_PER_SEC; at += 37 * MS + 11) {
        for (int r = 0; r < ranks; r++)
            tickets_shed(many.t[r], at);
        tickets_shed(one.t[0], at);
        bad += sum(&one, tickets_dropped) != sum(&many, tickets_dropped) ||
               sum(&one, tickets_issued) != sum(&many, tickets_issued);
    }
    CHECK_INT(bad, 0);
    group_free(&one);
    group_free(&many);
}

static struct rates *read_rates(const struct kind *k, struct err *e)
{
    struct rates_play play = {k->scale > 0 ? k->scale : 1, 1};
    char path[] = "/tmp/sb-share-XXXXXX", spec[64];

    if (!k->rates || *k->rates != '@')
        return k->rates ? rates_parse(k->rates, &play, e) : NULL;
    int fd = mkstemp(path);
    CHECK(write(fd, k->rates + 1, strlen(k->rates) - 1) == (ssize_t)strlen(k->rates) - 1);
    close(fd);
    snprintf(spec, sizeof spec, "@%s", path);
    struct rates *rates = rates_parse(spec, &play, e);
    unlink(path);
    return rates;
}

static void compare(const struct kind *k, int ranks)
{
    struct err e = {0};
    struct rates *rates = read_rates(k, &e);
    int failed = test_failures;

    CHECK_STR(e.msg, "");
    compare_starts(k, rates, ranks);
    if (k->shape != ARRIVAL_ALIGNED) {
        compare_drops(k, rates, ranks, 1, 0);
        compare_drops(k, rates, ranks, 30, 0);
        compare_drops(k, rates, ranks, 0, 25 * MS);
        compare_drops(k, rates, ranks, 10, 5 * MS);
    }
    rates_free(rates);
    if (test_failures != failed)
        printf("  ... of %d ranks: %s\n", ranks, k->name);
}

TEST_MAIN(share_test)
{
    static const int ranks[] = {1, 2, 3, 4, 7};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t n = 0; n < sizeof ranks / sizeof *ranks; n++)
            compare(&kinds[i], ranks[n]);
    return test_done("share_test");
}
