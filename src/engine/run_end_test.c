/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How runs end before their time, on a held clock: a client that fails, withdraws or does not open,
 * a signal at every stage, a client that never returns.  In every case each snapshot balances and
 * covers only measured time.
 */
#include "engine/run_test.h"

#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/test_capture.h"

#define LONG (60 * NS_PER_SEC) /* never reached: the run ends earlier */

static int ends; /* so many transactions before one fails */

static int fail_after_some(struct load *l, struct client *c, struct err *err)
{
    for (int n = 0; client_next(c); n++) {
        client_begin(c);
        busy(MS);
        if (n == ends) {
            client_fail(c);
            log_fatal("client %d fails", client_id(c));
            return err_set(err, ERR_REPORTED, "a client fails");
        }
        client_end(c);
    }
    return 0;
}

static int open_here(struct load *l, struct client *c, struct err *err)
{
    this_client = client_id(c);
    return 0;
}

/* Without a rate nothing is told of a run in which nothing was done before a client failed; all
 * clients fail, and one of them says it. */
static void fails_at_once(int before, double rate)
{
    ends = before;
    log_set_verbosity(LOG_FATAL);
    capture();
    RUN(3, rate, l->opens = open_here, l->runs = fail_after_some);
    log_set_verbosity(-1);
    const char *said = captured(), *second = strchr(said, '\n');
    CHECK(strncmp(said, "FATAL: client ", 14) == 0);
    CHECK(second && strcmp(second, rate ? "\n" : "\nFATAL: 2 more clients met an error\n") == 0);
    CHECK_INT(res.final.total[CNT_DONE], before * (rate ? 1 : 3));
}

static int open_not(struct load *l, struct client *c, struct err *err)
{
    return client_id(c) == 1 ? err_set(err, ERR_REPORTED, "no") : 0;
}

/* One fails at once, another never gets ready: the grace of 2 s. */
static int open_never(struct load *l, struct client *c, struct err *err)
{
    int rc = open_not(l, c, err);

    if (client_id(c) == 2)
        busy(20 * NS_PER_SEC);
    return rc;
}

/* Client 1 is connected after 1 ms, client 2 fails after 5. */
static int open_refused(struct load *l, struct client *c, struct err *err)
{
    int id = client_id(c);

    if (id == 0)
        return 0;
    client_refused(c, 1040);
    busy(id == 1 ? MS : 5 * MS);
    return id == 1 ? 0 : err_set(err, ERR_FAILED, "client 2 is broken");
}

static void clients_end(void)
{
    /* number 10 of client 2 is planned 38 ms after the start */
    RUN(4, 1000, p->time_limit = LONG, l->service = MS / 2, l->fail_client = 2);
    fails_at_once(0, 0);
    fails_at_once(1, 0);
    fails_at_once(0, 10);
    /* client 0 hangs in its first transaction; client 2 fails when 38.5 ms are over, and the report
     * comes 2 s later */
    RUN(4, 1000, p->time_limit = LONG, l->service = MS / 2, l->fail_client = 2, l->stall = true);
    /* it fails when the time is over */
    RUN(2, 100, p->time_limit = 215 * MS, l->service = 20 * MS, l->fail_client = 1,
        l->stall = true);
    CHECK_INT(res.final.total[CNT_DONE], 9); /* by the end of the 22nd gap of 10 ms */
    CHECK_INT(lround(res.final.rate.achieved * 0.22), 9);
    /* the other client waits until it has withdrawn its tenth, and does all the rest */
    RUN(2, 500, p->max_events = 500, p->time_limit = 0, l->cancel_client = 1);
}

static void clients_do_not_open(void)
{
    RUN(3, 100, l->opens = open_not);
    CHECK(e.kind == ERR_FAILED);
    RUN(3, 100, l->opens = open_never);
    CHECK(e.kind == ERR_FAILED);
    /* --thread-init-timeout: they are abandoned, and end by themselves */
    RUN(3, 100, p->init_timeout = 2 * NS_PER_SEC, l->opening = 3 * NS_PER_SEC);
    CHECK(e.kind == ERR_TIMEOUT);
    /* --min-clients: two of three are missing, one too many: that one connects afterwards changes
     * nothing; one that is absent connects too late, and its failure ends the run */
    RUN(3, 100, p->min_clients = 2, l->opens = open_refused);
    RUN(3, 100, p->min_clients = 1, p->time_limit = LONG, l->opens = open_refused);
}

static struct clock plain; /* what the clock of the tests does */

static int create_slowly(struct clock *c, pthread_t *thread, const pthread_attr_t *attr,
                         void *(*fn)(void *), void *arg)
{
    busy(NS_PER_SEC);
    return plain.thread_create(c, thread, attr, fn, arg);
}

/* It is the time of creating threads, too. */
static void threads_are_created_too_slowly(void)
{
    struct clock *clock = held_clock(held);

    plain = *clock;
    clock->thread_create = create_slowly;
    RUN(10, 0, p->init_timeout = 2 * NS_PER_SEC, l->service = MS);
    clock->thread_create = plain.thread_create;
    CHECK(e.kind == ERR_TIMEOUT);
}

static _Atomic int wakes;

static void count_wake(struct clock *c, _Atomic uint32_t *word)
{
    atomic_fetch_add(&wakes, 1);
    plain.wake(c, word);
}

static int wakes_of(int clients)
{
    struct load l = fresh();
    struct plan p = base_plan(clients, 0);
    struct clock *clock = held_clock(held);

    l.service = MS;
    plain = *clock;
    clock->wake = count_wake;
    atomic_store(&wakes, 0);
    CHECK_INT(run(&l, &p), 0);
    clock->wake = plain.wake;
    return wakes;
}

/* One at the end for each client, to end its sleep: the main thread is not woken by each. */
static void many_clients_wake_few(void)
{
    CHECK_INT(wakes_of(40) - wakes_of(4), 36);
}

static void forced(void)
{
    /* client 0 hangs over the deadline: one transaction is in flight when the grace period ends;
     * lags are of transactions that ended, too */
    RUN(2, 100, p->forced = FORCED_ON, p->forced_grace = 200 * MS, l->stall = true);
    /* without any grace, at the deadline */
    RUN(1, 0, p->forced = FORCED_ON, l->service = 300 * MS);
    /* clients that do not return from closing are abandoned as well */
    RUN(1, 0, p->forced = FORCED_ON, p->forced_grace = 200 * MS, l->service = 300 * MS,
        l->closing = NS_PER_SEC);
    /* without a rate, begun before a checkpoint, never ended: still one */
    RUN(1, 0, p->report_interval = 0, p->checkpoint[0] = 500 * MS, p->checkpoints = 1,
        p->forced = FORCED_ON, l->stall = true);
}

TEST_MAIN(run_end_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    held = held_clock_new();
    clients_end();
    clients_do_not_open();
    threads_are_created_too_slowly();
    many_clients_wake_few();
    forced();
    held_clock_free(held);
    golden_done("run_end_test");
    return test_done("run_end_test");
}
