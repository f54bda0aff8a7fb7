/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How runs end before their time, on a held clock: a client that fails, withdraws or does not open,
 * a signal at every stage, a client that never returns.  In every case each snapshot balances and
 * covers only measured time.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/test_capture.h"

#define LONG (60 * NS_PER_SEC) /* never reached: the run ends earlier */

/* A run that abandons clients, whose threads outlive it: its load and plan stay.  It fails; `after`
 * the clients may end, and do. */
#define ABANDONS(clients, rate, after, ...)                                                        \
    do {                                                                                           \
        struct load *l = mem_alloc(sizeof *l);                                                     \
        struct plan *p = mem_alloc(sizeof *p);                                                     \
        *l = fresh();                                                                              \
        *p = base_plan(clients, rate);                                                             \
        __VA_ARGS__;                                                                               \
        CHECK_INT(run(l, p), -1);                                                                  \
        CHECK(res.clients_left);                                                                   \
        atomic_store(&l->release, 1);                                                              \
        busy(after);                                                                               \
    } while (0)

/* --- clients --- */

/* 4 clients at 1000/s: number 10 of client 2 is planned 38 ms after the start. */
static void client_fails(void)
{
    struct load l = fresh();
    struct plan p = base_plan(4, 1000);

    p.time_limit = LONG;
    l.service = MS / 2;
    l.fail_client = 2;
    CHECK_INT(run(&l, &p), -1);
    CHECK_STR(e.msg, "client 2 fails");
    CHECK(res.measured);
    CHECK_INT(res.final.rate.total_failed, 1);
    CHECK_INT(res.final.rate.total_offered, 39);
    CHECK_INT(res.final.rate.total_done, 38);
    CHECK_INT(res.final.elapsed_ns, 38 * MS + MS / 2);
    /* whatever had been done until then */
    CHECK(!res.sustained && !res.unknown);
    CHECK_STR(res.why, "an error ended the run after 0.0 s of 60 s");
}

static int ends; /* so many transactions before one fails */

static int fail_after_some(struct load *l, struct client *c, struct err *err)
{
    for (int n = 0; client_next(c); n++) {
        client_begin(c);
        busy(MS);
        if (n == ends) {
            client_fail(c);
            log_fatal("client %d fails", client_id(c));
            return err_set(err, ERR_REPORTED, "client %d fails", client_id(c));
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
static void client_fails_at_once(int before, double rate, bool untold)
{
    struct load l = fresh();
    struct plan p = base_plan(3, rate);

    ends = before;
    l.opens = open_here;
    l.runs = fail_after_some;
    log_set_verbosity(LOG_FATAL);
    capture();
    CHECK_INT(run(&l, &p), -1);
    log_set_verbosity(-1);
    const char *said = captured(), *second = strchr(said, '\n');
    CHECK(strncmp(said, "FATAL: client ", 14) == 0);
    CHECK(second && strcmp(second, rate ? "\n" : "\nFATAL: 2 more clients met an error\n") == 0);
    CHECK_INT(res.final.untold, untold);
    CHECK_INT(res.final.total[CNT_DONE], before * (rate ? 1 : 3));
}

/* Client 0 hangs in its first transaction; client 2 fails when 38.5 ms are over, and the report
 * comes 2 s later. */
static void client_fails_while_another_hangs(void)
{
    ABANDONS(4, 1000, NS_PER_SEC, p->time_limit = LONG, l->service = MS / 2, l->fail_client = 2,
             l->stall = true);
    CHECK_STR(e.msg, "client 2 fails");
    CHECK(res.measured && !res.forced);
    CHECK_INT(res.final.rate.total_failed, 1);
    CHECK_INT(res.final.rate.in_flight, 1);
    CHECK(res.final.elapsed_ns >= 2 * NS_PER_SEC && res.final.elapsed_ns < 3 * NS_PER_SEC);
}

/* It fails when the time is over. */
static void client_fails_behind_the_end(void)
{
    ABANDONS(2, 100, NS_PER_SEC, p->time_limit = 215 * MS, l->service = 20 * MS, l->fail_client = 1,
             l->stall = true);
    CHECK(res.measured && !res.forced);
    CHECK(res.final.elapsed_ns < 3 * NS_PER_SEC);
}

/* The other client waits until it has withdrawn its tenth, and does all the rest. */
static void client_withdraws(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 500);

    l.cancel_client = 1;
    p.max_events = 500;
    p.time_limit = 0;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(res.final.rate.total_offered, 500);
    CHECK_INT(res.final.rate.total_done, 499);
    CHECK_INT(res.final.rate.withdrawn, 1);
    CHECK_INT(res.final.rate.in_flight, 0);
    CHECK_INT(l.ran[1], 9);
    CHECK_INT(l.ran[0], 490);
}

static int open_not(struct load *l, struct client *c, struct err *err)
{
    return client_id(c) == 1 ? err_set(err, ERR_REPORTED, "no") : 0;
}

/* One that cannot be opened: there is no run. */
static void client_does_not_open(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 100);

    l.opens = open_not;
    CHECK_INT(run(&l, &p), -1);
    CHECK(!res.began && !res.measured && !res.clients_left);
    CHECK_INT(l.snapshots, 0);
    CHECK(e.kind == ERR_FAILED);
    CHECK_STR(e.msg, p.generation->init_failed);
}

/* One fails at once, another never gets ready: the grace of 2 s. */
static int open_never(struct load *l, struct client *c, struct err *err)
{
    int rc = open_not(l, c, err);

    if (client_id(c) == 2)
        busy(20 * NS_PER_SEC);
    return rc;
}

static void client_does_not_open_while_another_hangs(void)
{
    mono_ns begun = test_now();

    ABANDONS(3, 100, 20 * NS_PER_SEC, l->opens = open_never);
    CHECK(!res.began && !res.measured);
    CHECK(e.kind == ERR_FAILED);
    CHECK_STR(e.msg, generation_facts(GENERATION_1_0)->init_failed);
    CHECK_INT(test_now() - begun, 22 * NS_PER_SEC);
}

/* --thread-init-timeout: they are abandoned, and end by themselves. */
static void clients_open_too_late(void)
{
    mono_ns begun = test_now();

    ABANDONS(3, 100, 0, p->init_timeout = 2 * NS_PER_SEC, l->opening = 3 * NS_PER_SEC);
    CHECK_STR(e.msg, "Worker threads failed to initialize within 2 seconds!");
    CHECK(e.kind == ERR_TIMEOUT && !res.began);
    CHECK_INT(test_now() - begun, 2 * NS_PER_SEC);
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
    static struct load l;
    struct plan *p = mem_alloc(sizeof *p);
    struct clock *clock = held_clock(held);

    l = fresh();
    l.service = MS;
    *p = base_plan(10, 0);
    p->init_timeout = 2 * NS_PER_SEC;
    plain = *clock;
    clock->thread_create = create_slowly;
    CHECK_INT(run(&l, p), -1);
    clock->thread_create = plain.thread_create;
    CHECK_STR(e.msg, "Worker threads failed to initialize within 2 seconds!");
    CHECK(e.kind == ERR_TIMEOUT && res.clients_left && !res.began);
    busy(NS_PER_SEC);
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

/* --- clients that the server refuses (--min-clients) --- */

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

/* Two of three are missing, one too many: that one connects afterwards changes nothing. */
static void too_few_clients(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 100);

    p.min_clients = 2;
    l.opens = open_refused;
    CHECK_INT(run(&l, &p), -1);
    CHECK(!res.began && !res.measured && !res.clients_left);
    CHECK_INT(l.snapshots, 0);
    CHECK_STR(e.msg, p.generation->init_failed);
}

/* The run began without client 2, and ends with it. */
static void client_comes_late_and_fails(void)
{
    struct load l = fresh();
    struct plan p = base_plan(3, 100);

    p.min_clients = 1;
    p.time_limit = LONG;
    l.opens = open_refused;
    CHECK_INT(run(&l, &p), -1);
    CHECK(res.began && res.measured && !res.clients_left);
    CHECK_STR(e.msg, "client 2 is broken");
    CHECK(res.final.elapsed_ns <= 5 * MS);
}

/* --- forced shutdown --- */

static void forced(void)
{
    /* client 0 hangs over the deadline: one transaction is in flight when the grace period ends */
    ABANDONS(2, 100, NS_PER_SEC, p->forced = FORCED_ON, p->forced_grace = 200 * MS,
             l->stall = true);
    CHECK(res.forced);
    CHECK_INT(res.final.elapsed_ns, 1200 * MS);
    CHECK_INT(res.final.unfinished_forced, 1);
    CHECK_INT(res.final.rate.in_flight, 1);
    check_rate(100, 99, 0, 1);
    CHECK_INT(res.final.rate.response.n, 99);
    CHECK_INT(res.final.rate.lag.n, 99); /* lags are of transactions that ended, too */
    CHECK_INT(res.final.rate.oldest_ns, 1200 * MS);
    /* without any grace, at the deadline */
    ABANDONS(1, 0, NS_PER_SEC, p->forced = FORCED_ON, l->service = 300 * MS);
    CHECK(res.forced);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
    CHECK_INT(res.final.events, 3);
    CHECK_INT(res.final.unfinished_forced, 1);
    /* clients that do not return from closing are abandoned as well */
    ABANDONS(1, 0, 2 * NS_PER_SEC, p->forced = FORCED_ON, p->forced_grace = 200 * MS,
             l->service = 300 * MS, l->closing = NS_PER_SEC);
    CHECK(res.forced);
    CHECK_INT(res.final.events, 4);
    CHECK_INT(res.final.unfinished_forced, 0);
    /* without a rate, begun before a checkpoint, never ended: still one */
    ABANDONS(1, 0, NS_PER_SEC, p->report_interval = 0, p->checkpoint[0] = 500 * MS,
             p->checkpoints = 1, p->forced = FORCED_ON, l->stall = true);
    CHECK(res.forced && res.measured); /* although no transaction ended */
    CHECK_INT(res.final.unfinished_forced, 1);
}

TEST_MAIN(run_end_test)
{
    test_leaves_memory = true; /* runs abandon clients */
    log_set_verbosity(-1);
    held = held_clock_new();
    client_fails();
    client_fails_at_once(0, 0, true);
    client_fails_at_once(1, 0, false);
    client_fails_at_once(0, 10, false);
    client_fails_while_another_hangs();
    client_fails_behind_the_end();
    client_withdraws();
    client_does_not_open();
    client_does_not_open_while_another_hangs();
    clients_open_too_late();
    threads_are_created_too_slowly();
    many_clients_wake_few();
    too_few_clients();
    client_comes_late_and_fails();
    busy(NS_PER_SEC * 2);
    forced();
    held_clock_free(held);
    return test_done("run_end_test");
}
