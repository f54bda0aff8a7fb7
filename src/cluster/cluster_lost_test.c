/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ranks that are lost: killed, stopped, too slow to read, or saying what is no message.
 */
#include "cluster/cluster_test.h"

#include <sys/socket.h>

#include "base/mem.h"
#include "base/test_timed.h"

/* --- ranks that are lost --- */

static void die(struct cluster *c)
{
    if (cluster_rank(c) != 2) {
        expect(c, 0, "end");
        return;
    }
    say(c, 0, "last words");
    expect(c, 0, "die");
    raise(SIGKILL);
}

static void check_killed(void)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;

    ranks_start(&r, 4, die);
    seen_by(r.c, &s);
    seen_await(&s, "last words");
    say(r.c, 2, "die");
    seen_await(&s, "lost");
    CHECK_STR(s.text, "2:last words; 2 lost: the connection was closed");
    CHECK(cluster_alive(r.c, 1) && cluster_alive(r.c, 3) && !cluster_alive(r.c, 2));
    cluster_handle(r.c, NULL);
    say(r.c, 1, "end");
    say(r.c, 3, "end");
    CHECK_INT(ranks_wait(&r, 2), 128 + SIGKILL);
    cluster_leave(r.c);
    CHECK_INT(ranks_wait(&r, 1), 0);
    CHECK_INT(ranks_wait(&r, 3), 0);
}

static void stop(struct cluster *c)
{
    say(c, 0, "stopped");
    expect(c, 0, "end");
}

static void end_stopped(const struct ranks *r)
{
    kill(r->pid[1], SIGKILL);
    CHECK_INT(ranks_wait(r, 1), 128 + SIGKILL);
    cluster_leave(r->c);
}

static void check_silence(void)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;

    ranks_start(&r, 2, stop);
    seen_by(r.c, &s);
    seen_await(&s, "stopped");
    kill(r.pid[1], SIGSTOP);
    r.c->silence = NS_PER_SEC / 10; /* from now on; the link must look at it once */
    say(r.c, 1, "look");
    seen_await(&s, "lost");
    CHECK_STR(s.text, "1:stopped; 1 lost: nothing came from it for 0.1 s");
    end_stopped(&r);
}

/* The leader, a child: with little patience, but it was stopped itself. */
static void lead_stopped(struct ranks *r, int from_parent, int to_parent)
{
    char byte = 0;

    ranks_lead(r);
    r->c->silence = NS_PER_SEC;
    CHECK_INT(say(r->c, 1, "look"), 0);
    expect(r->c, 1, "stopped");
    CHECK_INT(write(to_parent, &byte, 1), 1);
    CHECK_INT(read(from_parent, &byte, 1), 1);
    CHECK(cluster_alive(r->c, 1));
    say(r->c, 1, "end");
    cluster_leave(r->c);
    end_child();
}

static void looked_at(struct cluster *c)
{
    expect(c, 0, "look");
    stop(c);
}

/* A machine that stands still for longer than the silence. */
static void check_all_stopped(void)
{
    struct ranks r = {0};
    int down[2], up[2];
    char byte = 0;

    CHECK_INT(pipe(down) + pipe(up), 0);
    ranks_begin(&r, 2);
    ranks_fork(&r, 1, looked_at);
    if (become_child(&r, 0))
        lead_stopped(&r, down[0], up[1]);
    close(r.listener);
    close(up[1]);
    timed_begin(); /* after the forks: it starts a thread */
    /* the member has a second for each word */
    CHECK_TIMED_INT(read(up[0], &byte, 1), 1);
    kill(r.pid[0], SIGSTOP);
    kill(r.pid[1], SIGSTOP);
    usleep(1500000);
    kill(r.pid[0], SIGCONT);
    usleep(600000); /* its patience begins anew */
    kill(r.pid[1], SIGCONT);
    usleep(200000);
    CHECK_INT(write(down[1], &byte, 1), 1);
    CHECK_TIMED_INT(ranks_wait(&r, 0), 0);
    CHECK_TIMED_INT(ranks_wait(&r, 1), 0);
}

/* --- slow readers --- */

static void check_flood(void)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;
    char *p = mem_alloc(1 << 20);
    int sent = 0;

    ranks_start(&r, 2, stop);
    expect(r.c, 1, "stopped");
    kill(r.pid[1], SIGSTOP);
    while (cluster_send(r.c, 1, TYPE + 1, p, 1 << 20) == 0)
        sent++;
    CHECK(sent >= 63 && sent < 200); /* the sockets take some, too */
    seen_by(r.c, &s);
    seen_await(&s, "lost");
    CHECK_STR(s.text, "1 lost: it does not read what is sent to it");
    end_stopped(&r);
    free(p);
}

/* Answers to pings have the limit of messages. */
static void check_urgent_flood(void)
{
    struct peer p = {.rank = 1, .fd = -1, .alive = true};
    char *text = mem_alloc(1 << 20);

    TAILQ_INIT(&p.out);
    for (int i = 0; i < 100; i++)
        queue_add(&p, true, FRAME_PONG, text, 1 << 20);
    CHECK(p.overrun);
    CHECK(p.queued > CLUSTER_QUEUE_MAX / 2 && p.queued <= CLUSTER_QUEUE_MAX);
    queue_clear(&p);
    free(text);
}

#define MANY 100 /* MiB, more than is kept for a leader that neither awaits nor handles them */

static void send_much(struct cluster *c)
{
    char *p = mem_alloc(1 << 20);
    struct seen s = SEEN_INIT;

    for (int i = 0; i < MANY && cluster_alive(c, 0); i++) {
        while (queued(c, 0) > 8 << 20)
            usleep(1000);
        cluster_send(c, 0, TYPE + 1, p, 1 << 20);
    }
    seen_by(c, &s);
    seen_await(&s, "lost");
    free(p);
}

static void check_unread(void)
{
    struct ranks r = {0};
    struct str s = STR_INIT;
    struct err e = {0};

    ranks_start(&r, 2, send_much);
    CHECK_INT(cluster_await(r.c, 1, TYPE, LIMIT, &s, &e), -1);
    CHECK(strstr(e.msg, ") was lost: it sent more than was read"));
    str_free(&s);
    ranks_end(&r);
}

/* --- members that say what they should not --- */

static const unsigned char *bad_bytes;
static size_t bad_size;
static bool bad_seal; /* their tag is right */

/* With the lock held and nothing queued, no ping of the link's thread comes behind these bytes. */
static void say_bad(struct cluster *c)
{
    say(c, 0, "first");
    pthread_mutex_lock(&c->lock);
    while (cluster_peer(c, 0)->queued) {
        pthread_mutex_unlock(&c->lock);
        usleep(1000);
        pthread_mutex_lock(&c->lock);
    }
    if (bad_seal) {
        struct frame *f = frame_new(bad_bytes[4], bad_bytes + FRAME_HEAD, bad_size - FRAME_HEAD);
        frame_close(f, &cluster_peer(c, 0)->seal);
        send(cluster_peer(c, 0)->fd, f->bytes, f->size + f->tag, MSG_NOSIGNAL);
    } else {
        send(cluster_peer(c, 0)->fd, bad_bytes, bad_size, MSG_NOSIGNAL);
    }
    _exit(0);
}

static void check_bad(const char *bytes, size_t n, bool sealed, const char *why)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;
    char want[128];

    bad_bytes = (const unsigned char *)bytes;
    bad_size = n;
    bad_seal = sealed;
    ranks_start(&r, 2, say_bad);
    seen_by(r.c, &s);
    seen_await(&s, "lost");
    snprintf(want, sizeof want, "1:first; 1 lost: %s", why);
    CHECK_STR(s.text, want);
    ranks_end(&r);
}

static void check_bad_bytes(void)
{
    static const char damaged[] = "a frame from it was damaged";
    static const char no_message[] = "it sent what is no message";

    check_bad("GET / HTTP/1.0\r\n\r\n", 18, false, damaged);
    check_bad("\0\0\0\0\3\0\0\0", 8, false, damaged);     /* without a tag */
    check_bad("\0\0\0\0\0\0\0", 8, true, damaged);        /* no type */
    check_bad("\1\0\0\0\1\0\0\0\1", 9, true, no_message); /* a ping of a byte */
    check_bad("\1\0\0\0\2\0\0\0\1", 9, true, no_message); /* a pong to the leader */
    check_bad("\12\0\0\0\20\365\377\377half", 12, false, "the connection was closed");
    check_bad("\12\0\0", 3, false, "the connection was closed");
    check_bad("\0\0\0\0\3\0\0\0", 8, true, "it left");
}

TEST_MAIN(cluster_lost_test)
{
    signal(SIGPIPE, SIG_IGN);
    check_killed();
    check_silence();
    check_flood();
    check_urgent_flood();
    check_unread();
    check_bad_bytes();
    check_all_stopped();
    return timed_done("cluster_lost_test");
}
