/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Transactions that meet errors, on a held clock: how often they are run again, what is recorded,
 * how clients pause, and that the accounts balance with and without a rate.
 */
#include "engine/run_test.h"

/* What the transactions of a run meet: each attempt takes a millisecond. */
struct faults {
    int first;    /* the first attempts of each transaction that fail ... */
    int every;    /* ... of every n-th transaction */
    bool refuses; /* no attempt ever succeeds */
    bool fails;   /* the errors are not to be retried: --on-error=...:fail */
    bool loses;   /* the connection, which is back after 20 ms */
    bool writes;  /* rows were changed before the error */
};

static struct faults meets;
static _Atomic uint64_t attempts, errors;

static bool attempt(struct client *c, int n, int k)
{
    busy(MS);
    attempts++;
    if (!meets.refuses && !(n % meets.every == 0 && k < meets.first))
        return true;
    errors++;
    if (meets.loses) {
        client_error(c, &(struct client_error){.code = 2013,
                                               .sqlstate = "HY000",
                                               .class = "connection",
                                               .text = "lost",
                                               .lost = true});
        busy(20 * MS);
    }
    counters_add(client_counters(c), CNT_ERROR, 1);
    if (meets.writes)
        counters_add(client_counters(c), CNT_WRITE, 1);
    client_after_error(c, true, meets.fails, true);
    return false;
}

/* As the default loop of scripts. */
static int faulty_loop(struct load *l, struct client *c, struct err *err)
{
    for (int n = 1; client_next(c); n++) {
        bool done;
        client_begin(c);
        for (int k = 0; !(done = attempt(c, n, k)) && client_retry(c); k++)
            ;
        if (done) {
            client_end(c);
        } else {
            client_fail(c);
            client_error_backoff(c);
        }
    }
    return 0;
}

static void tell_errors(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_FINAL)
        str_printf(&told, "%llu attempts, %llu errors\n", (unsigned long long)attempts,
                   (unsigned long long)errors);
}

static void meet(struct load *l, struct faults f)
{
    meets = f;
    attempts = errors = 0;
    l->runs = faulty_loop;
    l->watched = tell_errors;
}

/* Up to n retries of a transaction. */
static void retries(struct plan *p, int n)
{
    p->limits_retries = true;
    p->trx_retries = n;
}

/* A server that refuses everything: the errors are those that the pauses leave room for.  Pauses of
 * 1 to 512 ms take 1 s, or half of it with all their jitter.  The run ends in the pause before a
 * retry, which is none then. */
static void paused(bool fails)
{
    for (int longest = 1; longest >= 0; longest--) {
        TRY(1, 60, 0,
            meet(l, (struct faults){.every = 1, .refuses = true, .fails = fails, .writes = !fails}),
            p->time_limit = 10 * NS_PER_SEC, p->error_backoff = longest * NS_PER_SEC);
        CHECK(longest ? errors >= 12 + 9 && errors <= 13 + 20 : errors >= 590);
        CHECK_INT(res.final.rate.total_done, 0);
        CHECK_INT(res.final.rate.total_offered, 600);
        CHECK_INT(res.final.rate.total_failed + rate_unfinished(&res.final.rate), 600);
        CHECK_INT(res.final.elapsed_ns, 10 * NS_PER_SEC); /* no pause outlasts the run */
        CHECK_INT(res.final.rate.in_flight, 0);
        if (!fails && longest) {
            CHECK_INT(res.final.retries.transactions, 1);
            CHECK_INT(res.final.retries.retries, attempts - 1);
            CHECK_INT(res.final.retries.most, attempts - 1);
        }
    }
}

/* The run that a signal ends does not wait for a pause, even one that never ends. */
static void stopped(void)
{
    TRY(2, 60, 0, meet(l, (struct faults){.every = 1, .refuses = true}),
        l->started = interrupt_later, l->delay = 5 * NS_PER_SEC, p->report_interval = NS_PER_SEC,
        p->time_limit = 1000 * NS_PER_SEC, p->error_backoff = 3600 * NS_PER_SEC);
    CHECK_INT(res.signal, SIGINT);
    CHECK(res.final.elapsed_ns <= 6 * NS_PER_SEC);
    CHECK_INT(res.final.rate.total_offered,
              res.final.rate.total_failed + rate_unfinished(&res.final.rate));
}

TEST_MAIN(client_retry_test)
{
    held = held_clock_new();
    /* every 10th transaction meets two errors: no pause */
    RUN(1, 100, meet(l, (struct faults){.first = 2, .every = 10}), p->error_backoff = NS_PER_SEC);
    /* the first attempt ended when the connection was lost, not when it was back */
    RUN(1, 10, meet(l, (struct faults){.first = 1, .every = 10, .loses = true}));
    RUN(1, 100, meet(l, (struct faults){.first = 2, .every = 10}), retries(p, 1));
    RUN(1, 100, meet(l, (struct faults){.first = 1, .every = 10}), retries(p, 0));
    RUN(1, 100, meet(l, (struct faults){.first = 2, .every = 10}),
        retries(p, 2)); /* as many as are needed */
    RUN(1, 100, meet(l, (struct faults){.first = 1, .every = 4, .fails = true}));
    RUN(2, 0, meet(l, (struct faults){.first = 3, .every = 1}), retries(p, 2), p->max_events = 50);
    CHECK_INT(res.final.total[CNT_FAILED], 50);
    CHECK_INT(res.final.total[CNT_STARTED], 50);
    RUN(2, 0, meet(l, (struct faults){.first = 1, .every = 1}), retries(p, 2), p->max_events = 50);
    paused(false);
    paused(true);
    stopped();
    /* those of the warm-up are not the run's; its rate rises from 0 to 100 */
    RUN(1, 100, meet(l, (struct faults){.first = 1, .every = 1}), p->warmup = NS_PER_SEC);
    held_clock_free(held);
    golden_done("client_retry_test");
    return test_done("client_retry");
}
