/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shares of three ranks beside one rank with the same options, on the held clock.  Each share
 * is a run of its own, from its own beginning on.  Together the three have the planned starts of
 * the one to the ns, each once, and at each tick of the reports its account; at the end also its
 * histograms, bucket by bucket.  The clients are so many that one is always idle when a start is
 * due, or have starts of their own (aligned): so it does not matter which of them takes a start.
 */
#include "engine/run_test.h"

#include "base/mem.h"
#include "engine/client_state.h"
#include "pace/rates.h"

enum { CLIENTS = 24, SHARES = 3, MOST_STARTS = 4000, MOST_REPORTS = 64 };

struct account {
    dur_ns at;
    uint64_t offered, done, failed, dropped, unfinished, late, reads;
};

/* What one or more runs did. */
struct tallied {
    pthread_mutex_t lock;
    dur_ns planned[MOST_STARTS]; /* since measuring began */
    size_t starts;
    struct account report[MOST_REPORTS];
    size_t reports, at; /* at: the next report of the run in hand */
    struct hist_counts response, service, lag;
};

static struct tallied *tally;

static void note_start(const struct client *c)
{
    pthread_mutex_lock(&tally->lock);
    if (tally->starts < MOST_STARTS)
        tally->planned[tally->starts] = c->planned - c->run->measure_from;
    tally->starts++;
    pthread_mutex_unlock(&tally->lock);
}

/* Every 7th transaction of a client fails. */
static int work(struct load *l, struct client *c, struct err *err)
{

    for (int n = 1; client_next(c); n++) {
        client_begin(c);
        note_start(c);
        busy(l->service);
        counters_add(client_counters(c), CNT_READ, 1);
        if (l->counts && n % 7 == 0)
            client_fail(c);
        else
            client_end(c);
    }
    return 0;
}

static void add_report(struct load *l, const struct snapshot *s)
{
    struct account *a = &tally->report[tally->at];

    CHECK(tally->at < MOST_REPORTS);
    if (tally->at == MOST_REPORTS)
        return;
    if (tally->at++ == tally->reports)
        *a = (struct account){.at = s->elapsed_ns}, tally->reports++;
    if (s->kind == SNAPSHOT_FINAL) /* all have ended when the last one has */
        a->at = s->elapsed_ns > a->at ? s->elapsed_ns : a->at;
    CHECK_INT(a->at, s->kind == SNAPSHOT_FINAL ? a->at : s->elapsed_ns);
    a->offered += s->rate.total_offered;
    a->done += s->rate.total_done;
    a->failed += s->rate.total_failed;
    a->dropped += s->rate.total_dropped;
    a->unfinished += rate_unfinished(&s->rate);
    a->late += s->rate.total_late;
    a->reads += s->total[CNT_READ];
    if (s->kind != SNAPSHOT_FINAL)
        return;
    hist_counts_merge(&tally->response, s->hists.response);
    hist_counts_merge(&tally->service, s->hists.service);
    hist_counts_merge(&tally->lag, s->hists.lag);
}

static int by_time(const void *a, const void *b)
{
    const dur_ns *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* How one case is loaded. */
struct kind {
    const char *name;
    double rate;
    enum arrival_shape arrival;
    dur_ns jitter, service;
    const char *rates; /* NULL: `rate`, always */
    uint64_t burst, max_events;
    dur_ns max_lag;
    bool fails;      /* some transactions do */
    bool ends_early; /* there are starts that are not done at the end */
};

static const struct kind kinds[] = {
    {.name = "even", .rate = 1000, .service = MS},
    {.name = "even, in flight at the time limit", .rate = 1000, .service = 7 * MS},
    {.name = "jitter", .rate = 700, .jitter = 20 * MS, .service = MS},
    {.name = "Poisson", .rate = 700, .arrival = ARRIVAL_POISSON, .service = MS},
    {.name = "Poisson, limited",
     .rate = 700,
     .arrival = ARRIVAL_POISSON,
     .service = MS,
     .max_events = 500},
    {.name = "failures", .rate = 700, .arrival = ARRIVAL_ALIGNED, .service = MS, .fails = true},
    {.name = "stages", .rate = 500, .service = MS, .rates = "200:400ms,900:300ms,100"},
    {.name = "a ramp", .rate = 500, .service = MS, .rates = "100-900:1"},
    {.name = "aligned", .rate = 700, .arrival = ARRIVAL_ALIGNED, .service = MS},
    {.name = "aligned, overloaded",
     .rate = 1200,
     .arrival = ARRIVAL_ALIGNED,
     .service = 30 * MS,
     .ends_early = true},
    {.name = "even, overloaded", .rate = 1200, .service = 30 * MS, .ends_early = true},
    {.name = "even, overloaded, drops by number",
     .rate = 1200,
     .service = 30 * MS,
     .burst = 100,
     .ends_early = true},
    {.name = "even, overloaded, drops by lag",
     .rate = 1200,
     .service = 30 * MS,
     .max_lag = 50 * MS,
     .ends_early = true},
};

static struct plan plan_of(const struct kind *k, int rank, int ranks)
{
    struct plan p = base_plan(CLIENTS, k->rate);
    struct err why;

    p.rank = rank;
    p.ranks = ranks;
    p.clients_all = CLIENTS;
    p.clients = plan_share(&p, rank);
    p.seed = 99;
    p.arrival = k->arrival;
    p.jitter = k->jitter;
    p.burst = k->burst;
    p.max_lag = k->max_lag;
    p.overload = k->burst || k->max_lag ? OVERLOAD_DROP : OVERLOAD_QUEUE;
    p.max_events = k->max_events;
    p.time_limit = k->max_events ? 0 : 999 * MS + 999; /* no tick, and no start of a round number */
    p.keep_histograms = true;
    if (k->rates)
        p.rates = rates_parse(k->rates, &(struct rates_play){1, 1}, &why);
    CHECK(!k->rates || p.rates);
    return p;
}

/* The tally of so many ranks, each in turn. */
static struct tallied *tally_of(const struct kind *k, int ranks)
{
    tally = mem_alloc(sizeof *tally);
    pthread_mutex_init(&tally->lock, NULL);
    hist_counts_init(&tally->response, HIST_BUCKETS);
    hist_counts_init(&tally->service, HIST_BUCKETS);
    hist_counts_init(&tally->lag, HIST_BUCKETS);
    for (int r = 0; r < ranks; r++) {
        struct load l = fresh();
        struct plan p = plan_of(k, r, ranks);
        l.runs = work;
        l.service = k->service;
        l.counts = k->fails;
        l.watched = add_report;
        tally->at = 0;
        CHECK_INT(run(&l, &p), 0);
        CHECK_INT(tally->at, tally->reports);
        rates_free(p.rates);
    }
    CHECK(tally->starts > 0 && tally->starts <= MOST_STARTS);
    qsort(tally->planned, tally->starts, sizeof *tally->planned, by_time);
    return tally;
}

static void tally_free(struct tallied *t)
{
    pthread_mutex_destroy(&t->lock);
    hist_counts_fini(&t->response);
    hist_counts_fini(&t->service);
    hist_counts_fini(&t->lag);
    free(t);
}

static void same_histogram(const struct hist_counts *a, const struct hist_counts *b, const char *of)
{
    CHECK_INT(a->total, b->total);
    CHECK_INT(a->clamped, b->clamped);
    if (memcmp(a->count, b->count, a->size * sizeof *a->count) != 0)
        CHECK_STR("differs", of);
}

/* The case says something: there are drops if it has a limit of them, and so on. */
static void is_as_meant(const struct kind *k, const struct tallied *t)
{
    const struct account *end = &t->report[t->reports - 1];

    CHECK(t->reports > 4);
    CHECK_INT(end->offered, end->done + end->failed + end->dropped + end->unfinished);
    CHECK((end->dropped > 0) == (k->burst || k->max_lag));
    CHECK((end->failed > 0) == k->fails);
    CHECK((end->unfinished > 0) == k->ends_early);
    CHECK_INT(t->response.total, end->done);
}

static void same(const struct kind *k)
{
    struct tallied *one = tally_of(k, 1), *three = tally_of(k, SHARES);
    int before = test_failures;

    is_as_meant(k, one);
    CHECK_INT(three->starts, one->starts);
    CHECK(memcmp(three->planned, one->planned, one->starts * sizeof *one->planned) == 0);
    CHECK_INT(three->reports, one->reports);
    for (size_t i = 0; i < one->reports; i++)
        CHECK(memcmp(&three->report[i], &one->report[i], sizeof one->report[i]) == 0);
    same_histogram(&three->response, &one->response, "response");
    same_histogram(&three->service, &one->service, "service");
    same_histogram(&three->lag, &one->lag, "lag");
    if (test_failures != before)
        CHECK_STR("fails", k->name);
    tally_free(one);
    tally_free(three);
}

TEST_MAIN(ranks_same_test)
{
    held = held_clock_new();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        same(&kinds[i]);
    held_clock_free(held);
    return test_done("ranks_same_test");
}
