/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tasks on workers that read and write sockets as client libraries do; sched_wait_test.c has the
 * other ways to wait.
 */
#include "fiber/sched_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

/* --- sockets: a ring of tasks hands a byte on, each blocking as a client library does --- */

static void read_byte(struct scene *s, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char c;

    while (recv(fd, &c, 1, MSG_DONTWAIT) != 1) {
        wrong(s, errno != EAGAIN || poll(&p, 1, -1) != 1 || p.revents != POLLIN);
    }
}

static void ring(struct scene *s, size_t i)
{
    for (int n = 0; n < s->rounds; n++) {
        if (i > 0 || n > 0)
            read_byte(s, s->fd[i][0]);
        wrong(s, write(s->fd[(i + 1) % s->tasks][1], "x", 1) != 1);
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
                wrong(s, write(p[i].fd, &c, 1) != 1);
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
        wrong(s, write(s->fd[i][0], "x", 1) != 1);
        read_byte(s, s->fd[i][0]);
        if (atomic_fetch_add(&s->count[i], 1) == (uint64_t)s->rounds)
            atomic_store(&s->word, 1);
    }
    wrong(s, write(s->fd[i][0], "q", 1) != 1);
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
            wrong(s, true);
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
        wrong(s, send(s->fd[i][0], &want, 2, 0) != 2);
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

    wrong(s, write(s->fd[i][1], "abc", 3) != 3);
    for (int n = 0; n < 3; n++)
        wrong(s, poll(&p, 1, -1) != 1 || read(p.fd, &c, 1) != 1 || c != "abc"[n]);
    p.events = POLLOUT | POLLIN;
    for (int n = 0; n < 3; n++)
        wrong(s, poll(&p, 1, -1) != 1 || p.revents != POLLOUT);
    /* the other side goes away while this one waits: the number is used again, and waited for
     * again */
    for (int n = 0; n < 3; n++) {
        int pair[2];
        p.events = POLLIN;
        wrong(s, poll(&p, 1, 1) != 0);
        close(s->fd[i][0]);
        close(s->fd[i][1]);
        wrong(s, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
        s->fd[i][0] = pair[0];
        s->fd[i][1] = pair[1];
        p.fd = pair[0];
    }
    close(s->fd[i][1]);
    rc = poll(&p, 1, -1);
    wrong(s, rc != 1 || !(p.revents & POLLHUP));
    s->fd[i][1] = open("/dev/null", O_RDONLY);
}

/* --- a socket that was read until it was empty: poll() makes no system call to see that, and
 * parks, also for libpq, which asks for errors, too --- */

static void wait_again(struct scene *s, int fd, int peer, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    uint64_t turns;
    char c[2];

    /* registered, and empty */
    wrong(s, poll(&p, 1, -1) != 1 || recv(fd, c, sizeof c, 0) != 1);
    wrong(s, write(peer, "x", 1) != 1);
    turns = s->count[1];
    /* an event that the worker has not seen yet */
    wrong(s, poll(&p, 1, -1) != 1 || p.revents != POLLIN || s->count[1] == turns);
    wrong(s, recv(fd, c, sizeof c, 0) != 1);
}

static void quiet(struct scene *s, size_t i)
{
    static const short events[] = {POLLIN, POLLIN | POLLERR, POLLIN | POLLERR | POLLHUP};

    if (i == 0) {
        for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
            atomic_store(&s->gate, 1);
            wait_again(s, s->fd[0][0], s->fd[0][1], events[k]);
        }
        atomic_store(&s->word, 1);
        return;
    }
    while (atomic_load(&s->word) == 0) {
        wrong(s, atomic_exchange(&s->gate, 0) && write(s->fd[0][1], "x", 1) != 1);
        atomic_fetch_add(&s->count[1], 1);
        sched_turn();
    }
}

/* --- a peer's last words and its end are one event: a short read of the words does not mean that
 * there is nothing more to come --- */

static void last_words(struct scene *s, size_t i)
{
    struct pollfd p = {.fd = s->fd[i][0], .events = POLLIN};
    int peer = s->fd[i][1];
    char c[8];

    /* registered, and empty */
    wrong(s, poll(&p, 1, 1) != 0 || write(peer, "x", 1) != 1 || poll(&p, 1, -1) != 1 ||
                 recv(p.fd, c, sizeof c, 0) != 1);
    wrong(s, write(peer, "bye", 3) != 3 || shutdown(peer, i ? SHUT_RDWR : SHUT_WR));
    usleep(1000); /* the worker sees it, and no task waits for it */
    wrong(s, recv(p.fd, c, sizeof c, 0) != 3);
    wrong(s, poll(&p, 1, 1000) != 1 || recv(p.fd, c, sizeof c, 0) != 0);
}

/* --- several descriptors in one call, of which one becomes ready --- */

static void several(struct scene *s, size_t i)
{
    struct pollfd p[12];

    for (size_t k = 0; k < 12; k++)
        p[k] = (struct pollfd){.fd = k == 3 ? -1 : s->fd[(i + k) % s->tasks][0], .events = POLLIN};
    if (i == 0) {
        usleep(2000);
        wrong(s, write(s->fd[5][1], "x", 1) != 1);
        return;
    }
    if (i != 1)
        return;
    wrong(s, poll(p, 12, -1) != 1 || p[4].revents != POLLIN || p[0].revents || p[3].revents);
}

TEST_MAIN(sched_test)
{
    raise_descriptors();
    play(2, 1, 0, quiet, NULL);
    play(2, 1, 0, last_words, NULL);
    for (int m = 1; m <= 3; m++) {
        play(2, m, 200, ring, NULL);
        play(100, m, 50, ring, NULL);
        play(64, m, 200, ask, answer);
        play(40, m, 200, request, served);
        play(9, m, 0, partial, NULL);
        play(20, m, 0, several, NULL);
    }
    CHECK(!sched_current);
    return test_done("sched");
}
