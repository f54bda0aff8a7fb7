/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Transactions that meet errors, on a held clock: how often they are run again, what is recorded,
 * how clients pause, and that the accounts balance with and without a rate.
 */
#include "engine/run_test.h"

/* What the transactions of a run meet: each attempt takes a millisecond. */
struct faulty {
    struct load l;
    int errors_first; /* the first attempts of each transaction that fail */
    int every;        /* ... of every n-th transaction */
    bool refuses;     /* no attempt ever succeeds */
    bool fails;       /* the errors are not to be retried: --on-error=...:fail */
    bool loses;       /* the connection, which is back after 20 ms */
    bool writes;      /* rows were changed before the error */
    uint64_t attempts, errors;
};

static bool attempt(struct faulty *f, struct client *c, int n, int k)
{
    busy(MS);
    f->attempts++;
    if (!f->refuses && !(n % f->every == 0 && k < f->errors_first))
        return true;
    f->errors++;
    if (f->loses) {
        client_error(c, &(struct client_error){.code = 2013,
                                               .sqlstate = "HY000",
                                               .class = "connection",
                                               .text = "lost",
                                               .lost = true});
        busy(20 * MS);
    }
    counters_add(client_counters(c), CNT_ERROR, 1);
    if (f->writes)
        counters_add(client_counters(c), CNT_WRITE, 1);
    client_after_error(c, true, f->fails, true);
    return false;
}

/* As the default loop of scripts. */
static int faulty_loop(struct load *l, struct client *c, struct err *err)
{
    struct faulty *f = (struct faulty *)l;

    for (int n = 1; client_next(c); n++) {
        bool done;
        client_begin(c);
        for (int k = 0; !(done = attempt(f, c, n, k)) && client_retry(c); k++)
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

static struct faulty faulty(int errors_first, int every)
{
    struct faulty f = {.l = fresh(), .errors_first = errors_first, .every = every};

    f.l.runs = faulty_loop;
    return f;
}

#define RETRIES(f, what) CHECK_INT(res.final.retries.what, f)

/* 100/s for a second; every 10th transaction meets two errors. */
static void unlimited(void)
{
    struct faulty f = faulty(2, 10);
    struct plan p = base_plan(1, 100);

    p.error_backoff = NS_PER_SEC;
    CHECK_INT(run(&f.l, &p), 0);
    check_rate(100, 100, 0, 0);
    CHECK_INT(f.errors, 20);
    RETRIES(10, transactions);
    RETRIES(20, retries);
    RETRIES(2, most);
    RETRIES(0, failed);
    RETRIES(10, first.n);
    RETRIES(10, last.n);
    check_ns(res.final.retries.first.p50, MS);
    check_ns(res.final.retries.last.p50, 3 * MS); /* two errors: no pause */
    check_ns(res.final.retries.last.max, 3 * MS);
}

/* The first attempt ended when the connection was lost, not when it was back. */
static void lost(void)
{
    struct faulty f = faulty(1, 10);
    struct plan p = base_plan(1, 10);

    f.loses = true;
    CHECK_INT(run(&f.l, &p), 0);
    RETRIES(1, transactions);
    check_ns(res.final.retries.first.max, MS);
    check_ns(res.final.retries.last.max, 22 * MS);
}

static void limited(void)
{
    struct faulty f = faulty(2, 10);
    struct plan p = base_plan(1, 100);

    p.limits_retries = true;
    p.trx_retries = 1;
    CHECK_INT(run(&f.l, &p), 0);
    CHECK_INT(res.final.rate.total_failed, 10);
    check_rate(100, 90, 0, 0);
    RETRIES(10, transactions);
    RETRIES(10, retries);
    RETRIES(1, most);
    RETRIES(10, failed);
    RETRIES(0, last.n);
    RETRIES(-1, last.p50);
    p.trx_retries = 0;
    f = faulty(1, 10);
    CHECK_INT(run(&f.l, &p), 0);
    CHECK_INT(res.final.rate.total_failed, 10);
    RETRIES(0, transactions);
    p.trx_retries = 2; /* as many as are needed */
    f = faulty(2, 10);
    CHECK_INT(run(&f.l, &p), 0);
    check_rate(100, 100, 0, 0);
}

static void let_fail(void)
{
    struct faulty f = faulty(1, 4);
    struct plan p = base_plan(1, 100);

    f.fails = true;
    CHECK_INT(run(&f.l, &p), 0);
    CHECK_INT(res.final.rate.total_failed, 25);
    check_rate(100, 75, 0, 0);
    CHECK_INT(f.attempts, 100);
    RETRIES(0, transactions);
}

static void without_rate(void)
{
    struct faulty f = faulty(3, 1);
    struct plan p = base_plan(2, 0);

    p.max_events = 50;
    p.limits_retries = true;
    p.trx_retries = 2;
    CHECK_INT(run(&f.l, &p), 0);
    CHECK_INT(res.final.total[CNT_DONE], 0);
    CHECK_INT(res.final.total[CNT_FAILED], 50);
    CHECK_INT(res.final.total[CNT_STARTED], 50);
    RETRIES(50, failed);
    RETRIES(100, retries);
    f = faulty(1, 1);
    CHECK_INT(run(&f.l, &p), 0);
    CHECK_INT(res.final.total[CNT_DONE], 50);
    RETRIES(50, transactions);
    check_ns(res.final.retries.last.max, 2 * MS);
}

/* A server that refuses everything: the errors are those that the pauses leave room for.  Pauses of
 * 1 to 512 ms take 1 s, or half of it with all their jitter. */
static void paused(void)
{
    static const bool kinds[] = {false, true};

    for (size_t i = 0; i < 2; i++) {
        struct faulty f = faulty(0, 1);
        struct plan p = base_plan(1, 60);
        f.refuses = true;
        f.fails = kinds[i];
        f.writes = !kinds[i];
        p.time_limit = 10 * NS_PER_SEC;
        p.error_backoff = NS_PER_SEC;
        CHECK_INT(run(&f.l, &p), 0);
        CHECK(f.errors >= 12 + 9 && f.errors <= 13 + 20);
        CHECK_INT(res.final.rate.total_done, 0);
        CHECK_INT(res.final.rate.total_offered, 600);
        CHECK_INT(res.final.rate.total_failed + res.final.rate.unfinished, 600);
        CHECK_INT(res.final.elapsed_ns, 10 * NS_PER_SEC); /* no pause outlasts the run */
        CHECK_INT(res.final.rate.in_flight, 0);
        p.error_backoff = 0;
        f.errors = 0;
        CHECK_INT(run(&f.l, &p), 0);
        CHECK(f.errors >= 590);
    }
}

/* The run ends in the pause before a retry, which is none then. */
static void ended_in_a_pause(void)
{
    struct faulty f = faulty(0, 1);
    struct plan p = base_plan(1, 60);

    f.refuses = f.writes = true; /* so that the pause is that before a retry */
    p.time_limit = 10 * NS_PER_SEC;
    p.error_backoff = NS_PER_SEC;
    CHECK_INT(run(&f.l, &p), 0);
    RETRIES(1, transactions);
    RETRIES(f.attempts - 1, retries);
    RETRIES(f.attempts - 1, most);
}

/* The run that a signal ends does not wait for a pause, even one that never ends. */
static void *interrupt_later(void *arg)
{
    busy(5 * NS_PER_SEC);
    raise(SIGTERM);
    return NULL;
}

static void arm(struct load *l)
{
    clock_thread_create(held_clock(held), &l->killer, NULL, interrupt_later, l);
}

static void stopped(void)
{
    struct faulty f = faulty(0, 1);
    struct plan p = base_plan(2, 60);

    f.refuses = true;
    f.l.started = arm;
    p.report_interval = NS_PER_SEC;
    p.time_limit = 1000 * NS_PER_SEC;
    p.error_backoff = 3600 * NS_PER_SEC;
    CHECK_INT(run(&f.l, &p), 0);
    clock_thread_join(held_clock(held), f.l.killer);
    CHECK_INT(res.signal, SIGTERM);
    CHECK(res.final.elapsed_ns <= 6 * NS_PER_SEC);
    CHECK_INT(res.final.rate.total_offered,
              res.final.rate.total_failed + res.final.rate.unfinished);
}

/* Those of the warm-up are not the run's. */
static void warm_up(void)
{
    struct faulty f = faulty(1, 1);
    struct plan p = base_plan(1, 100);

    p.warmup = NS_PER_SEC;
    CHECK_INT(run(&f.l, &p), 0);
    check_rate(100, 100, 0, 0);
    CHECK_INT(f.errors, 50 + 100); /* its rate rises from 0 to 100 */
    RETRIES(100, transactions);
    RETRIES(100, last.n);
}

TEST_MAIN(client_retry_test)
{
    held = held_clock_new();
    unlimited();
    lost();
    limited();
    let_fail();
    without_rate();
    paused();
    ended_in_a_pause();
    stopped();
    warm_up();
    held_clock_free(held);
    return test_done("client_retry");
}
