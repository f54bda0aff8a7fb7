/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tasks on workers: sockets, sleeps, words, turns, connects, and a task that stalls its worker.
 * Real sockets and the real clock, but no bound that a slow machine could miss: the tests check
 * order, counts, and that no task sleeps too short.
 */
#include "fiber/sched.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
#include "base/test_timed.h"
#include "base/prefetch.h"
#include "fiber/fiber.h"
#include "fiber/library.h"

#define MOST 512

struct scene {
    struct sched *sched;
    size_t tasks;
    int workers;
    _Atomic uint32_t word, gate;
    _Atomic size_t waiting;
    _Atomic uint64_t count[MOST];
    int fd[MOST][2];
    mono_ns slept[MOST];
    int rounds;
    _Atomic int at_once, most_at_once;
    _Atomic int wrong;
    int order[MOST];
    _Atomic int ended;
    _Atomic int stalled_calls;
    void (*live)(struct scene *s, size_t i);
};

static struct scene *stage; /* the stalled() callback gets no argument */

static void live(void *arg, size_t i)
{
    struct scene *s = arg;

    s->live(s, i);
}

static void stalled(void)
{
    atomic_fetch_add(&stage->stalled_calls, 1);
    sched_stalled_at("here:1");
}

/* As a library's state of the thread. */
static _Thread_local int left_behind;

static void clear_thread(void)
{
    left_behind = 0;
}

static void begin(struct scene *s, dur_ns stall_limit)
{
    struct sched_spec spec = {.workers = s->workers,
                              .tasks = s->tasks,
                              .stack = FIBER_STACK_MIN,
                              .live = live,
                              .arg = s,
                              .stall_limit = stall_limit,
                              .stalled = stalled,
                              .before_switch = clear_thread};
    struct err e = {0};

    stage = s;
    CHECK_INT(sched_start(&s->sched, &spec, &e), 0);
    CHECK_STR(e.msg, "");
}

static void play(size_t tasks, int workers, int rounds, void (*f)(struct scene *s, size_t i),
                 void (*also)(struct scene *s))
{
    struct scene *s = mem_alloc(sizeof *s);

    s->tasks = tasks;
    s->workers = workers;
    s->rounds = rounds;
    s->live = f;
    for (size_t i = 0; i < tasks; i++)
        CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, s->fd[i]), 0);
    begin(s, 0);
    if (also)
        also(s);
    sched_join(s->sched);
    CHECK_INT(s->wrong, 0);
    for (size_t i = 0; i < tasks; i++) {
        close(s->fd[i][0]);
        close(s->fd[i][1]);
    }
    free(s);
}

/* --- sockets: a ring of tasks hands a byte on, each blocking as a client library does --- */

static void read_byte(struct scene *s, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char c;

    while (recv(fd, &c, 1, MSG_DONTWAIT) != 1) {
        if (errno != EAGAIN || poll(&p, 1, -1) != 1 || p.revents != POLLIN)
            atomic_fetch_add(&s->wrong, 1);
    }
}

static void ring(struct scene *s, size_t i)
{
    for (int n = 0; n < s->rounds; n++) {
        if (i > 0 || n > 0)
            read_byte(s, s->fd[i][0]);
        if (write(s->fd[(i + 1) % s->tasks][1], "x", 1) != 1)
            atomic_fetch_add(&s->wrong, 1);
    }
    if (i == 0)
        read_byte(s, s->fd[0][0]);
}

/* --- an echo server on a thread of its own answers many tasks; all get their turn --- */

static void *echo(void *arg)
{
    struct scene *s = arg;
    struct pollfd p[MOST];
    size_t open = s->tasks;
    char c;

    for (size_t i = 0; i < s->tasks; i++)
        p[i] = (struct pollfd){.fd = s->fd[i][1], .events = POLLIN};
    while (open > 0) {
        poll(p, s->tasks, -1);
        for (size_t i = 0; i < s->tasks; i++) {
            if (p[i].fd < 0 || !p[i].revents)
                continue;
            if (read(p[i].fd, &c, 1) == 1 && c != 'q') {
                if (write(p[i].fd, &c, 1) != 1)
                    atomic_fetch_add(&s->wrong, 1);
            } else {
                p[i].fd = -1;
                open--;
            }
        }
    }
    return NULL;
}

static void ask(struct scene *s, size_t i)
{
    atomic_fetch_add(&s->waiting, 1);
    sched_sleep_until(MONO_NEVER, &s->gate, 0);
    while (atomic_load(&s->word) == 0) {
        /* an answer that arrives before the read would let this task go on alone */
        sched_turn();
        if (write(s->fd[i][0], "x", 1) != 1)
            atomic_fetch_add(&s->wrong, 1);
        read_byte(s, s->fd[i][0]);
        if (atomic_fetch_add(&s->count[i], 1) == (uint64_t)s->rounds)
            atomic_store(&s->word, 1);
    }
    if (write(s->fd[i][0], "q", 1) != 1)
        atomic_fetch_add(&s->wrong, 1);
}

static void answer(struct scene *s)
{
    pthread_t t;

    while (atomic_load(&s->waiting) < s->tasks)
        usleep(1000);
    atomic_store(&s->gate, 1);
    sched_poke(s->sched);
    CHECK_INT(pthread_create(&t, NULL, echo, s), 0);
    pthread_join(t, NULL);
    /* no task starves: a round of the server answers all.  (Between workers it is for the kernel to
     * be fair.) */
    for (size_t i = 0; s->workers == 1 && i < s->tasks; i++)
        CHECK(s->count[i] > (uint64_t)s->rounds / 4);
}

/* --- as a client library reads: the answer comes in pieces, sometimes it is left for later,
 * sometimes the task does something else meanwhile; no byte is lost and no task waits for bytes
 * that have arrived --- */

static uint32_t next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

static void write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, bytes, n);
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (k < 0 && errno == EAGAIN) {
            poll(&p, 1, -1);
            continue;
        }
        if (k <= 0)
            return;
        bytes += k;
        n -= (size_t)k;
    }
}

/* Each request of two bytes is for that many bytes. */
static void *serve(void *arg)
{
    struct scene *s = arg;
    static const char zeros[65536];
    struct pollfd p[MOST];
    size_t open = s->tasks;
    uint32_t x = 4711;

    for (size_t i = 0; i < s->tasks; i++)
        p[i] = (struct pollfd){.fd = s->fd[i][1], .events = POLLIN};
    while (open > 0) {
        poll(p, s->tasks, -1);
        for (size_t i = 0; i < s->tasks; i++) {
            uint16_t want;
            if (p[i].fd < 0 || !p[i].revents)
                continue;
            if (read(p[i].fd, &want, 2) != 2) {
                p[i].fd = -1;
                open--;
                continue;
            }
            for (size_t left = want; left > 0;) {
                size_t part = 1 + next_random(&x) % left;
                write_all(p[i].fd, zeros, part);
                left -= part;
                if (next_random(&x) % 3 == 0)
                    usleep(next_random(&x) % 50);
            }
        }
    }
    return NULL;
}

static void read_answer(struct scene *s, int fd, size_t n, uint32_t *x)
{
    static char buf[16384];
    struct pollfd p = {.fd = fd, .events = POLLIN};

    while (n > 0) {
        size_t chunk = next_random(x) % 2 ? sizeof buf : 1 + next_random(x) % 100;
        ssize_t k = recv(fd, buf, chunk < n ? chunk : n, MSG_DONTWAIT);
        if (k > 0)
            n -= (size_t)k;
        else if (k == 0 || errno != EAGAIN || poll(&p, 1, -1) != 1)
            atomic_fetch_add(&s->wrong, 1);
    }
}

static void request(struct scene *s, size_t i)
{
    uint32_t x = (uint32_t)i + 1;
    size_t due = 0;

    sched_connect_begin(&s->word, 0);
    sched_connect_end(s->fd[i][0]);
    for (int n = 0; n < s->rounds; n++) {
        uint16_t want = (uint16_t)(1 + next_random(&x) % (n % 10 ? 200 : 60000));
        if (send(s->fd[i][0], &want, 2, 0) != 2)
            atomic_fetch_add(&s->wrong, 1);
        due += want;
        if (next_random(&x) % 4 == 0)
            usleep(next_random(&x) % 300);
        if (next_random(&x) % 5 == 0) { /* the rest is read after the next request */
            size_t part = next_random(&x) % (due + 1);
            read_answer(s, s->fd[i][0], part, &x);
            due -= part;
        } else {
            read_answer(s, s->fd[i][0], due, &x);
            due = 0;
        }
    }
    read_answer(s, s->fd[i][0], due, &x);
    close(s->fd[i][0]);
    s->fd[i][0] = open("/dev/null", O_RDONLY);
}

static void served(struct scene *s)
{
    pthread_t t;

    CHECK_INT(pthread_create(&t, NULL, serve, s), 0);
    pthread_join(t, NULL);
}

/* --- level: what was there before, and after a partial read, is seen --- */

static void partial(struct scene *s, size_t i)
{
    struct pollfd p = {.fd = s->fd[i][0], .events = POLLIN};
    int rc;
    char c;

    if (write(s->fd[i][1], "abc", 3) != 3)
        atomic_fetch_add(&s->wrong, 1);
    for (int n = 0; n < 3; n++)
        if (poll(&p, 1, -1) != 1 || read(p.fd, &c, 1) != 1 || c != "abc"[n])
            atomic_fetch_add(&s->wrong, 1);
    p.events = POLLOUT | POLLIN;
    for (int n = 0; n < 3; n++)
        if (poll(&p, 1, -1) != 1 || p.revents != POLLOUT)
            atomic_fetch_add(&s->wrong, 1);
    /* the other side goes away while this one waits: the number is used again, and waited for
     * again */
    for (int n = 0; n < 3; n++) {
        int pair[2];
        p.events = POLLIN;
        if (poll(&p, 1, 1) != 0)
            atomic_fetch_add(&s->wrong, 1);
        close(s->fd[i][0]);
        close(s->fd[i][1]);
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
            atomic_fetch_add(&s->wrong, 1);
        s->fd[i][0] = pair[0];
        s->fd[i][1] = pair[1];
        p.fd = pair[0];
    }
    close(s->fd[i][1]);
    rc = poll(&p, 1, -1);
    if (rc != 1 || !(p.revents & POLLHUP))
        atomic_fetch_add(&s->wrong, 1);
    s->fd[i][1] = open("/dev/null", O_RDONLY);
}

/* --- several descriptors in one call, of which one becomes ready --- */

static void several(struct scene *s, size_t i)
{
    struct pollfd p[12];

    for (size_t k = 0; k < 12; k++)
        p[k] = (struct pollfd){.fd = k == 3 ? -1 : s->fd[(i + k) % s->tasks][0], .events = POLLIN};
    if (i == 0) {
        usleep(2000);
        if (write(s->fd[5][1], "x", 1) != 1)
            atomic_fetch_add(&s->wrong, 1);
        return;
    }
    if (i != 1)
        return;
    if (poll(p, 12, -1) != 1 || p[4].revents != POLLIN || p[0].revents || p[3].revents)
        atomic_fetch_add(&s->wrong, 1);
}

/* --- sleeping: no task too short; all at once, not one after the other --- */

#define PAUSE (20 * NS_PER_MS)

static void snore(struct scene *s, size_t i)
{
    struct pollfd p = {.fd = s->fd[i][0], .events = POLLIN};
    struct timespec ts = {.tv_nsec = PAUSE}, left;
    mono_ns begun = clock_mono();
    int wrong = 0, now = atomic_fetch_add(&s->at_once, 1) + 1, most = atomic_load(&s->most_at_once);

    while (now > most && !atomic_compare_exchange_weak(&s->most_at_once, &most, now))
        ;
    switch (i % 6) {
    case 0: wrong = usleep(PAUSE / 1000) != 0; break;
    case 1: wrong = nanosleep(&ts, &left) != 0; break;
    case 2: wrong = clock_nanosleep(CLOCK_REALTIME, 0, &ts, NULL) != 0; break;
    case 3: wrong = poll(&p, 1, PAUSE / 1000000) != 0 || p.revents; break;
    case 4: wrong = ppoll(&p, 1, &ts, NULL) != 0; break;
    default:
        clock_gettime(CLOCK_MONOTONIC, &ts);
        ts.tv_nsec += PAUSE;
        ts.tv_sec += ts.tv_nsec / NS_PER_SEC;
        ts.tv_nsec %= NS_PER_SEC;
        wrong = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) != 0;
    }
    s->slept[i] = clock_mono() - begun;
    atomic_fetch_sub(&s->at_once, 1);
    atomic_fetch_add(&s->wrong, wrong);
}

static void all_snored(struct scene *s)
{
    sched_join(s->sched);
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
        atomic_fetch_add(&s->wrong, !reached && atomic_load(&s->word) == 0);
    }
    reached = sched_sleep_until(i % 3 ? MONO_NEVER : clock_mono() + 3600 * NS_PER_SEC, &s->word, 0);
    atomic_fetch_add(&s->wrong, reached);
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
            if (n > (int)s->tasks && n + (int)s->tasks < s->rounds &&
                (c + 2 + s->tasks < mine || mine + 2 + s->tasks < c))
                atomic_fetch_add(&s->wrong, 1);
        }
    }
}

/* --- a library's state per thread: cleared before each switch, so that no task sees another's
 * --- */

static void leave_behind(struct scene *s, size_t i)
{
    static _Atomic uint32_t nobody;

    for (int n = 0; n < s->rounds; n++) {
        if (left_behind)
            atomic_fetch_add(&s->wrong, 1);
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
    if (other || !mine != !many || !l != !many)
        atomic_fetch_add(&s->wrong, 1);
}

/* --- connecting: so many at a time, and all get through --- */

static void dial(struct scene *s, size_t i)
{
    int now, most;

    if (!sched_connect_begin(&s->word, 0)) {
        atomic_fetch_add(&s->wrong, 1);
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
    if (!(fcntl(s->fd[i][0], F_GETFL) & O_NONBLOCK))
        atomic_fetch_add(&s->wrong, 1);
}

static void dialled(struct scene *s)
{
    while (atomic_load(&s->at_once) < SCHED_CONNECTS * s->workers)
        usleep(1000);
    atomic_store(&s->gate, 1);
    sched_poke(s->sched);
    sched_join(s->sched);
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
    sched_join(s->sched);
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
    sched_join(s->sched);
}

/* play() joins at its end: this one is for tests that check the result first, without sockets */
static void play_joined(size_t tasks, int workers, void (*f)(struct scene *s, size_t i),
                        void (*also)(struct scene *s))
{
    struct scene *s = mem_alloc(sizeof *s);

    s->tasks = tasks;
    s->workers = workers;
    s->live = f;
    for (size_t i = 0; i < tasks; i++)
        CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, s->fd[i]), 0);
    begin(s, 0);
    also(s);
    CHECK_INT(s->wrong, 0);
    for (size_t i = 0; i < tasks; i++) {
        close(s->fd[i][0]);
        close(s->fd[i][1]);
    }
    free(s);
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
        if (write(s->fd[i][1], &c, 1) != 1 || poll(&p, 1, -1) != 1 ||
            recv(s->fd[i][0], &c, 1, 0) != 1)
            atomic_fetch_add(&s->wrong, 1);
        if (atomic_load(&s->ended) != before + 1)
            atomic_fetch_add(&s->wrong, 1); /* another task ran */
        CHECK(sched_pin(false));
        usleep(100);
    }
}

static void keeps_the_worker(void)
{
    struct scene *s = mem_alloc(sizeof *s);

    s->tasks = 4;
    s->workers = 1;
    s->live = pinned;
    for (size_t i = 0; i < s->tasks; i++)
        CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, s->fd[i]), 0);
    begin(s, 0);
    sched_join(s->sched);
    CHECK_INT(s->wrong, 0);
    CHECK_INT(s->ended, 20);
    for (size_t i = 0; i < s->tasks; i++) {
        close(s->fd[i][0]);
        close(s->fd[i][1]);
    }
    free(s);
}

static void noticed(void)
{
    struct scene *s = mem_alloc(sizeof *s);

    s->tasks = 4;
    s->workers = 2;
    s->live = stall;
    begin(s, 20 * NS_PER_MS);
    sched_join(s->sched);
    CHECK_TIMED_INT(s->stalled_calls, 1); /* the other task is never seen to hold its worker */
    free(s);
}

/* libc defines poll() and does not import it. */
static bool is_in_program(const void *function)
{
    Dl_info f, me;

    return dladdr(function, &f) && dladdr((const void *)play_joined, &me) &&
           f.dli_fbase == me.dli_fbase;
}

static void libraries(void)
{
    struct err e = {0};

    CHECK_INT(library_check((const void *)libraries, &e), 0); /* this program itself */
    CHECK_INT(library_check((const void *)pthread_create, &e),
              0 - !is_in_program((const void *)pthread_create));
    CHECK(!*e.msg || strstr(e.msg, "does not wait in poll()") != NULL);
}

int main(void)
{
    _Atomic uint32_t nobody = 0;
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files); /* a socket pair for each of 300 tasks */
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    libraries();
    for (int m = 1; m <= 3; m++) {
        play(2, m, 200, ring, NULL);
        play(100, m, 50, ring, NULL);
        play(64, m, 200, ask, answer);
        play(40, m, 200, request, served);
        play(9, m, 0, partial, NULL);
        play(20, m, 0, several, NULL);
        play(101, m, 0, doze, wake);
        play(10, m, 300, count_turns, NULL);
        play(20, m, 50, leave_behind, NULL);
        play(PREFETCH_FROM * (size_t)m, m, 20, note, NULL);
        play((PREFETCH_FROM - 1) * (size_t)m, m, 20, note, NULL);
        play_joined(100, m, snore, all_snored);
        play_joined(300, m, dial, dialled);
    }
    play_joined(200, 1, give_up, call_off);
    play_joined(70, 1, dial_blindly, suspect);
    TIMED(noticed);
    keeps_the_worker();
    CHECK(!sched_current);
    CHECK(!sched_pin(true)); /* nothing to pin */
    CHECK(sched_sleep_until(clock_mono() + NS_PER_MS, &nobody, 0));
    return timed_done("sched");
}
