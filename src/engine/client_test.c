/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of a client for a workload and the SQL floor, before, in and after the run; and a
 * second signal.  On a held clock.
 */
#include "engine/run_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/client_state.h"

/* --- questions --- */

static int open_and_ask(struct load *l, struct client *c, struct err *err)
{
    mono_ns before = test_now();

    CHECK(client_keep_trying(c)); /* there is no time limit yet */
    client_pause(c, 5 * MS);
    CHECK_INT(test_now() - before, 5 * MS);
    CHECK(client_connecting(c, true, -1));
    CHECK(client_connecting(c, false, -1));
    CHECK(client_rng(c) != NULL && client_stmt_stats(c) == NULL);
    return 0;
}

/* In each transaction: until the deadline, one that failed may be tried again; a pause ends with
 * the run. */
static int check_deadlines(struct load *l, struct client *c, struct err *err)
{
    int transactions = 0, measured = 0;

    while (client_next(c)) {
        client_begin(c);
        busy(30 * MS);
        CHECK(client_retry(c) && client_keep_trying(c));
        measured += client_measuring(c);
        transactions++;
        busy(20 * MS); /* in the last one up to the very deadline */
        CHECK_INT(client_retry(c), transactions < 4);
        busy(10 * MS);
        client_end(c);
    }
    CHECK_INT(transactions, 4); /* 0, 60, 120, 180 ms; the warm-up lasts 100 */
    CHECK_INT(measured, 2);
    CHECK(!client_retry(c) && !client_keep_trying(c));
    l->after = (uint64_t)test_now();
    client_pause(c, NS_PER_SEC);
    CHECK_INT(test_now() - (mono_ns)l->after, 0); /* the run was stopped by the time limit */
    return 0;
}

/* A start that was granted in the warm-up and begins after it, with no event left for it, belongs
 * to the warm-up (warm_up_note). */
static int dawdle(struct load *l, struct client *c, struct err *err)
{
    while (client_next(c)) {
        if (client_id(c) == 0)
            busy(150 * MS); /* between the grant and the start */
        client_begin(c);
        busy(20 * MS);
        client_end(c);
    }
    return 0;
}

/* A client that was idle in time and began late: by more than what counts as late. */
static int wake_late(struct load *l, struct client *c, struct err *err)
{
    static const dur_ns late[] = {0, MS, MS + 1, 5 * MS, 2 * MS},
                        worst[] = {0, 0, MS + 1, 5 * MS, 5 * MS};
    size_t i = 0;

    for (; client_next(c); i++) {
        CHECK(c->idle_in_time);
        busy(late[i % 5]);
        client_begin(c);
        CHECK_INT(c->worst_wake, i < 5 ? worst[i] : 5 * MS);
        busy(MS);
        client_end(c);
    }
    return 0;
}

static void clients(void)
{
    RUN(1, 0, l->opens = open_and_ask, l->runs = check_deadlines, p->warmup = 100 * MS,
        p->time_limit = 130 * MS);
    /* client 1 takes the only event at 100 ms; client 0 begins at 150 the transaction that it was
     * granted at 0 */
    RUN(2, 0, l->runs = dawdle, p->warmup = 100 * MS, p->time_limit = 0, p->max_events = 1,
        p->report_interval = 0);
    RUN(1, 10, l->runs = wake_late); /* of each five starts 2, 3 and 4 */
    /* the client itself finds that too much is overdue */
    RUN(1, 1000, l->service = 8 * MS, p->overload = OVERLOAD_ABORT, p->burst = 5);
    /* the queue of --rate is full before a transaction was done: there is a report all the same */
    RUN(1, 1000, l->service = 8 * MS, p->overload = OVERLOAD_ABORT, p->burst = 5,
        l->cancel_all = p->stock_rate = true);
}

/* --- plain_note --- */

static bool plain_first, plain_last;

/* 1, 2, ... 7 ms, by turns; every fifth is withdrawn, every seventh fails. */
static int of_all_kinds(struct load *l, struct client *c, struct err *err)
{
    plain_first = c->plain;
    for (int n = 1; client_next(c); n++) {
        client_begin(c);
        CHECK(client_measuring(c) || !c->plain);
        busy((n % 7 + 1) * MS);
        if (n % 5 == 0)
            client_cancel(c);
        else if (n % 7 == 0)
            client_fail(c);
        else
            client_end(c);
    }
    plain_last = c->plain;
    return 0;
}

static void kinds(struct load *l, struct plan *p, dur_ns warmup, uint64_t events)
{
    l->runs = of_all_kinds;
    p->time_limit = 350 * MS;
    p->warmup = warmup;
    p->max_events = events;
}

#define PLAIN(rate, warmup, events, first, last, ...)                                              \
    do {                                                                                           \
        RUN(1, rate, kinds(l, p, warmup, events), __VA_ARGS__);                                    \
        CHECK_INT(plain_first, first);                                                             \
        CHECK_INT(plain_last, last);                                                               \
    } while (0)

/* The byte is set where nothing is asked at each transaction, and nowhere else; a run whose clients
 * are plain has the figures of one whose clients are not. */
static void plain(void)
{
    for (int k = 0; k < 4; k++) {
        const dur_ns warmup = k % 2 * 100 * MS;
        const uint64_t events = k / 2 * 40;
        double sum;
        PLAIN(0, warmup, events, !warmup, true, p->think = 0);
        sum = res.final.latency_sum_ms;
        PLAIN(0, warmup, events, false, false, p->keep_histograms = true);
        CHECK_NEAR(res.final.latency_sum_ms, sum, 0);
    }
    PLAIN(0, 0, 0, false, false, p->think = MS);
    PLAIN(0, 0, 0, false, false, p->percentiles = 0);
    PLAIN(100, 0, 0, false, false, p->think = 0);
}

/* --- a second signal --- */

static dur_ns second_after;

static void *signal_twice(void *arg)
{
    struct load *l = arg;

    busy(100 * MS);
    raise(SIGTERM);
    busy(second_after);
    raise(SIGINT);
    atomic_store(&l->release, 1);
    return NULL;
}

static void arm(struct load *l)
{
    clock_thread_create(held_clock(held), &l->killer, NULL, signal_twice, l);
}

static void be_signalled(void)
{
    struct load l = fresh();
    struct plan p = base_plan(1, 0);
    int rc;

    l.stall = true;
    l.started = arm;
    rc = run(&l, &p);
    _exit(rc == 0 && res.signal == SIGTERM && !test_failures ? 0 : 1);
}

/* It ends the process at once, unless it is a second copy of the same request. */
static void second_signal(dur_ns after, int status, const char *said)
{
    char text[256] = "";
    int fd[2], got = 0;
    ssize_t n;
    pid_t pid;

    CHECK_INT(pipe(fd), 0);
    fflush(stdout);
    second_after = after;
    pid = fork();
    if (pid == 0) {
        dup2(fd[1], STDERR_FILENO);
        held = held_clock_new();
        be_signalled();
    }
    close(fd[1]);
    n = read(fd[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd[0]);
    waitpid(pid, &got, 0);
    CHECK(WIFEXITED(got));
    CHECK_INT(WEXITSTATUS(got), status);
    CHECK_STR(text, said);
}

TEST_MAIN(client_test)
{
    log_set_verbosity(-1);
    second_signal(199 * MS, 0, "Interrupted (SIGTERM after 0.3 s of 1 s)\n");
    second_signal(200 * MS, 128 + SIGINT, "sysbench: second signal, ending at once\n");
    held = held_clock_new();
    clients();
    plain();
    held_clock_free(held);
    golden_done("client_test");
    return test_done("client_test");
}
