/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tasks on workers that sleep, wait for words, take turns and connect, and one that stalls its
 * worker; what belongs to a thread or a task stays its own meanwhile.  Sockets are in sched_test.c.
 */
#include "fiber/sched_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "base/prefetch.h"

/* --- sleeping: no task too short; all at once, not one after the other --- */

#define PAUSE (20 * NS_PER_MS)

static void snore(struct scene *s, size_t i)
{
    struct pollfd p = {.fd = s->fd[i][0], .events = POLLIN};
    struct timespec ts = {.tv_nsec = PAUSE}, left;
    mono_ns begun = clock_mono();
    int bad = 0, now = atomic_fetch_add(&s->at_once, 1) + 1, most = atomic_load(&s->most_at_once);

    while (now > most && !atomic_compare_exchange_weak(&s->most_at_once, &most, now))
        ;
    switch (i % 6) {
    case 0: bad = usleep(PAUSE / 1000) != 0; break;
    case 1: bad = nanosleep(&ts, &left) != 0; break;
    case 2: bad = clock_nanosleep(CLOCK_REALTIME, 0, &ts, NULL) != 0; break;
    case 3: bad = poll(&p, 1, PAUSE / 1000000) != 0 || p.revents; break;
    case 4: bad = ppoll(&p, 1, &ts, NULL) != 0; break;
    default:
        clock_gettime(CLOCK_MONOTONIC, &ts);
        ts.tv_nsec += PAUSE;
        ts.tv_sec += ts.tv_nsec / NS_PER_SEC;
        ts.tv_nsec %= NS_PER_SEC;
        bad = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) != 0;
    }
    s->slept[i] = clock_mono() - begun;
    atomic_fetch_sub(&s->at_once, 1);
    wrong(s, bad);
}

static void all_snored(struct scene *s)
{
    scene_join(s);
    CHECK(s->most_at_once > s->workers);
    for (size_t i = 0; i < s->tasks; i++)
        CHECK(s->slept[i] >= PAUSE);
}

/* --- words: a poke wakes whose word has changed, an instant those who wait for it --- */

static void doze(struct scene *s, size_t i)
{
    bool reached;

    atomic_fetch_add(&s->waiting, 1);
    if (i % 2) {
        reached = sched_sleep_until(clock_mono() + NS_PER_MS, &s->word, 0);
        wrong(s, !reached && atomic_load(&s->word) == 0);
    }
    reached = sched_sleep_until(i % 3 ? MONO_NEVER : clock_mono() + 3600 * NS_PER_SEC, &s->word, 0);
    wrong(s, reached);
}

static void wake(struct scene *s)
{
    while (atomic_load(&s->waiting) < s->tasks)
        usleep(1000);
    sched_poke(s->sched); /* nothing has changed */
    usleep(5000);
    atomic_store(&s->word, 1);
    sched_poke(s->sched);
}

/* --- turns: a task that never blocks takes turns with the others, in order --- */

static void count_turns(struct scene *s, size_t i)
{
    for (int n = 0; n < s->rounds; n++) {
        sched_turn();
        atomic_fetch_add(&s->count[i], 1);
        for (size_t k = i % (size_t)s->workers; k < s->tasks; k += (size_t)s->workers) {
            uint64_t c = atomic_load(&s->count[k]), mine = atomic_load(&s->count[i]);
            wrong(s, n > (int)s->tasks && n + (int)s->tasks < s->rounds &&
                         (c + 2 + s->tasks < mine || mine + 2 + s->tasks < c));
        }
    }
}

/* --- a library's state per thread: cleared before each switch, so that no task sees another's
 * --- */

static void leave_behind(struct scene *s, size_t i)
{
    static _Atomic uint32_t nobody;

    for (int n = 0; n < s->rounds; n++) {
        wrong(s, left_behind);
        left_behind = (int)i + 1;
        if (n % 2)
            sched_turn();
        else
            sched_sleep_until(clock_mono() + NS_PER_MS / 10, &nobody, 0);
        left_behind = 0; /* whether or not it was switched: a task may have been alone */
    }
}

/* --- memory: a task's notes stay its own when others run in between; with few tasks there are none
 * --- */

static void note(struct scene *s, size_t i)
{
    bool many = s->tasks / (size_t)s->workers >= PREFETCH_FROM;
    struct prefetch *mine = prefetch_here;
    struct prefetch_list *l = prefetch_for(0, &s->fd[i]);
    bool other = false;

    if (l)
        prefetch_add(l, s->fd[i], sizeof s->fd[i]);
    for (int n = 0; n < s->rounds; n++) {
        sched_turn();
        other |= prefetch_here != mine || (l && (l->of != &s->fd[i] || l->n != 1));
        usleep(1);
        other |= prefetch_here != mine || prefetch_for(0, &s->fd[i]);
    }
    wrong(s, other || !mine != !many || !l != !many);
}

/* --- connecting: so many at a time, and all get through --- */

static void dial(struct scene *s, size_t i)
{
    int now, most;

    if (!sched_connect_begin(&s->word, 0)) {
        wrong(s, true);
        return;
    }
    now = atomic_fetch_add(&s->at_once, 1) + 1;
    most = atomic_load(&s->most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&s->most_at_once, &most, now))
        ;
    sched_sleep_until(MONO_NEVER, &s->gate, 0); /* all whose turn it is are here */
    poll(&(struct pollfd){.fd = s->fd[i][0], .events = POLLIN}, 1, 1);
    atomic_fetch_sub(&s->at_once, 1);
    sched_connect_end(s->fd[i][0]);
    wrong(s, !(fcntl(s->fd[i][0], F_GETFL) & O_NONBLOCK));
}

static void dialled(struct scene *s)
{
    while (atomic_load(&s->at_once) < SCHED_CONNECTS * s->workers)
        usleep(1000);
    atomic_store(&s->gate, 1);
    sched_poke(s->sched);
    scene_join(s);
    CHECK_INT(s->most_at_once, SCHED_CONNECTS * s->workers);
}

/* The run ends while most wait for their turn. */
static void give_up(struct scene *s, size_t i)
{
    if (sched_connect_begin(&s->word, 0)) {
        atomic_fetch_add(&s->count[0], 1);
        sched_sleep_until(MONO_NEVER, &s->word, 0);
        sched_connect_end(-1);
    } else {
        atomic_fetch_add(&s->count[1], 1);
    }
    atomic_fetch_add(&s->count[2], 1);
    (void)i;
}

static void call_off(struct scene *s)
{
    while (atomic_load(&s->count[0]) < SCHED_CONNECTS)
        usleep(1000);
    usleep(5000);
    atomic_store(&s->word, 1);
    sched_poke(s->sched);
    scene_join(s);
    CHECK_INT(s->count[0] + s->count[1], s->tasks);
    CHECK_INT(s->count[2], s->tasks);
    CHECK(s->count[1] > 0);
}

/* sched_check: a connection without a single wait is suspicious, one with is not */
static void dial_blindly(struct scene *s, size_t i)
{
    sched_connect_begin(&s->word, 0);
    sched_connect_end(s->fd[i][0]);
    atomic_fetch_add(&s->count[0], 1);
    sched_sleep_until(MONO_NEVER, &s->word, 0);
    if (i == 0) {
        sched_connect_begin(&s->word, 1);
        poll(&(struct pollfd){.fd = s->fd[i][0], .events = POLLIN}, 1, 1);
        sched_connect_end(s->fd[i][0]);
    }
    atomic_fetch_add(&s->count[1], 1);
    sched_sleep_until(MONO_NEVER, &s->word, 1);
}

static void suspect(struct scene *s)
{
    struct err e = {0};

    while (atomic_load(&s->count[0]) < s->tasks)
        usleep(1000);
    CHECK_INT(sched_check(s->sched, &e), -1);
    CHECK(strstr(e.msg, "does not wait in poll()") != NULL);
    atomic_store(&s->word, 1);
    sched_poke(s->sched);
    while (atomic_load(&s->count[1]) < s->tasks)
        usleep(1000);
    CHECK_INT(sched_check(s->sched, &e), 0);
    CHECK(sched_worker_cpu(s->sched, 0) > 0);
    atomic_store(&s->word, 2);
    sched_poke(s->sched);
    scene_join(s);
}

/* --- a task that computes for long is noticed, the others are not --- */

static void stall(struct scene *s, size_t i)
{
    if (i == 0) {
        while (atomic_load(&s->stalled_calls) == 0)
            ;
        return;
    }
    for (int n = 0; n < 10; n++)
        usleep(1000);
}

/* A pinned task never lets others run, in any wait; it does again when it is no longer pinned. */
static void pinned(struct scene *s, size_t i)
{
    struct pollfd p = {.fd = s->fd[i][0], .events = POLLIN};
    int64_t before;
    char c = 'x';

    for (int n = 0; n < 5; n++) {
        CHECK(!sched_pin(true));
        CHECK(sched_pin(true));
        before = atomic_fetch_add(&s->ended, 1);
        usleep(100);
        poll(NULL, 0, 1);
        sched_turn();
        sched_sleep_until(clock_mono() + NS_PER_US, &s->word, 0);
        wrong(s, write(s->fd[i][1], &c, 1) != 1 || poll(&p, 1, -1) != 1 ||
                     recv(s->fd[i][0], &c, 1, 0) != 1);
        wrong(s, atomic_load(&s->ended) != before + 1); /* another task ran */
        CHECK(sched_pin(false));
        usleep(100);
    }
}

static void keeps_the_worker(struct scene *s)
{
    scene_join(s);
    CHECK_INT(s->ended, 20);
}

static void noticed(void)
{
    struct scene *s = scene(4, 2, 0, stall);

    begin(s, 20 * NS_PER_MS);
    scene_join(s);
    CHECK_TIMED_INT(s->stalled_calls, 1); /* the other task is never seen to hold its worker */
    scene_end(s);
}

/* --- answers that are held back: none is lost, each sleep is counted and none is too short --- */

static void ping(struct scene *s, size_t i)
{
    struct pollfd p = {.fd = s->fd[i & ~(size_t)1][i & 1], .events = POLLIN};
    char c = 'x';

    for (int n = 0; n < s->rounds; n++) {
        if (i % 2 == 0)
            wrong(s, send(p.fd, &c, 1, 0) != 1);
        wrong(s, poll(&p, 1, -1) != 1 || recv(p.fd, &c, 1, 0) != 1);
        if (i % 2)
            wrong(s, send(p.fd, &c, 1, 0) != 1);
        atomic_fetch_add(&s->count[i], 1);
    }
    while (i == 0 && atomic_load(&s->gate) == 0) /* the scheduler lives until it was asked */
        usleep(1000);
}

static void batches(dur_ns batch)
{
    struct scene *s = scene(6, 1, 10, ping);
    struct sched_batches b;

    s->batch = batch;
    begin(s, 0);
    for (size_t i = 0; i < s->tasks; i++)
        while (atomic_load(&s->count[i]) < (uint64_t)s->rounds)
            usleep(1000);
    b = sched_batches(s->sched);
    CHECK(batch ? b.n > 0 && b.answers >= b.n && b.sum >= b.answers * (uint64_t)batch &&
                      b.most >= (uint64_t)batch && b.most * b.answers >= b.sum
                : b.n == 0 && b.answers == 0 && b.sum == 0 && b.most == 0);
    sched_batches_begin(s->sched);
    b = sched_batches(s->sched);
    CHECK(b.n == 0 && b.answers == 0 && b.sum == 0 && b.most == 0);
    atomic_store(&s->gate, 1);
    scene_end(s);
}

TEST_MAIN(sched_wait_test)
{
    _Atomic uint32_t nobody = 0;

    raise_descriptors();
    for (int m = 1; m <= 3; m++) {
        play(101, m, 0, doze, wake);
        play(10, m, 300, count_turns, NULL);
        play(20, m, 50, leave_behind, NULL);
        play(PREFETCH_FROM * (size_t)m, m, 20, note, NULL);
        play((PREFETCH_FROM - 1) * (size_t)m, m, 20, note, NULL);
        play(100, m, 0, snore, all_snored);
        play(300, m, 0, dial, dialled);
    }
    play(200, 1, 0, give_up, call_off);
    play(70, 1, 0, dial_blindly, suspect);
    batches(0);
    batches(NS_PER_MS);
    TIMED(noticed);
    play(4, 1, 0, pinned, keeps_the_worker);
    CHECK(!sched_current);
    CHECK(!sched_pin(true)); /* nothing to pin */
    CHECK(sched_sleep_until(clock_mono() + NS_PER_MS, &nobody, 0));
    return timed_done("sched_wait");
}
