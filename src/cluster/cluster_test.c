/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages between ranks, and ranks that are lost.
 */
#include "cluster/cluster_test.h"

#include <sys/socket.h>

#include "base/mem.h"

/* --- messages --- */

static void echo(struct cluster *c)
{
    char text[32];

    CHECK(cluster_rank(c) > 0);
    CHECK(*cluster_host(c, 0) && strcmp(cluster_host(c, 0), cluster_host(c, cluster_rank(c))) == 0);
    snprintf(text, sizeof text, "from %d", cluster_rank(c));
    say(c, 0, text);
    expect(c, 0, text);
    expect(c, 0, "enough");
}

static void check_size(int size)
{
    struct ranks r = {0};
    struct cluster_clock_figures f;
    char text[32];

    ranks_start(&r, size, echo);
    CHECK_INT(cluster_rank(r.c), 0);
    CHECK_INT(cluster_size(r.c), size);
    for (int i = size - 1; i > 0; i--) {
        snprintf(text, sizeof text, "from %d", i);
        expect(r.c, i, text);
        CHECK_INT(say(r.c, i, text), 0);
        CHECK(cluster_alive(r.c, i));
        CHECK(cluster_clock_figures(r.c, i, &f));
        CHECK(f.same_clock && f.offset == 0 && f.drift_ppm == 0 && f.samples >= 32);
        CHECK(f.round_trip > 0);
    }
    CHECK(cluster_clock(r.c) == NULL);
    for (int i = 1; i < size; i++)
        say(r.c, i, "enough");
    ranks_end(&r);
}

static void check_sizes(void)
{
    check_size(1);
    check_size(2);
    check_size(MEMBERS);
}

/* --- large messages, and in which order --- */

#define LARGE  (5u << 20)
#define NUMBER 200

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 2654435761u >> 13);
}

static void send_large(struct cluster *c)
{
    unsigned char *p = mem_alloc(LARGE);
    char text[16];

    for (size_t i = 0; i < LARGE; i++)
        p[i] = byte_at(i);
    cluster_send(c, 0, TYPE + 1, p, LARGE);
    cluster_send(c, 0, TYPE + 1, p, 0);
    free(p);
    for (int i = 0; i < NUMBER; i++) {
        snprintf(text, sizeof text, "%d", i);
        say(c, 0, text);
    }
}

static void check_large(void)
{
    struct ranks r = {0};
    struct str s = STR_INIT;
    struct err e = {0};
    size_t wrong = 0;
    char text[16];

    ranks_start(&r, 2, send_large);
    for (int i = 0; i < NUMBER; i++) {
        snprintf(text, sizeof text, "%d", i);
        expect(r.c, 1, text);
    }
    CHECK_INT(cluster_await(r.c, 1, TYPE + 1, LIMIT, &s, &e), 0);
    CHECK_INT(s.len, LARGE);
    for (size_t i = 0; i < s.len; i++)
        wrong += (unsigned char)s.s[i] != byte_at(i);
    CHECK_INT(wrong, 0);
    CHECK_INT(cluster_await(r.c, 1, TYPE + 1, LIMIT, &s, &e), 0);
    CHECK_INT(s.len, 0);
    str_free(&s);
    ranks_end(&r);
}

/* --- handlers --- */

static void three_words(struct cluster *c)
{
    say(c, 0, "one");
    say(c, 0, "two");
    expect(c, 0, "go on");
    say(c, 0, "three");
    expect(c, 0, "go on");
}

static void check_handler(void)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;

    ranks_start(&r, 2, three_words);
    while (!__atomic_load_n(&r.c->kept, __ATOMIC_RELAXED)) /* something came before the handler */
        usleep(1000);
    seen_by(r.c, &s);
    seen_await(&s, "two");
    CHECK_STR(s.text, "1:one; 1:two");
    cluster_handle(r.c, NULL);
    say(r.c, 1, "go on");
    expect(r.c, 1, "three"); /* kept again */
    seen_by(r.c, &s);
    say(r.c, 1, "go on");
    seen_await(&s, "lost");
    CHECK_STR(s.text, "1:one; 1:two; 1 lost: it left");
    CHECK(!cluster_alive(r.c, 1));
    CHECK_STR(cluster_lost_why(r.c, 1), "it left");
    CHECK_INT(say(r.c, 1, "too late"), -1);
    ranks_end(&r);
}

static void nothing(struct cluster *c)
{
    (void)c;
}

static void check_await_lost(void)
{
    struct ranks r = {0};
    struct str s = STR_INIT;
    struct err e = {0};
    char want[400];

    ranks_start(&r, 3, nothing);
    CHECK_INT(cluster_await(r.c, 2, TYPE, LIMIT, &s, &e), -1);
    snprintf(want, sizeof want, "rank 2 (%s) was lost: it left", cluster_host(r.c, 0));
    CHECK_STR(e.msg, want);
    CHECK_INT(e.kind, ERR_FAILED);
    ranks_end(&r);
}

static void check_await_late(void)
{
    struct ranks r = {0};
    struct str s = STR_INIT;
    struct err e = {0};

    ranks_start(&r, 2, echo);
    CHECK_INT(cluster_await(r.c, 1, TYPE + 3, clock_mono() + NS_PER_MS, &s, &e), -1);
    CHECK_INT(e.kind, ERR_TIMEOUT);
    CHECK(strstr(e.msg, "did not answer in time"));
    expect(r.c, 1, "from 1");
    say(r.c, 1, "from 1");
    say(r.c, 1, "enough");
    ranks_end(&r);
}

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

static void until_lost(struct cluster *c)
{
    struct seen s = SEEN_INIT;

    seen_by(c, &s);
    seen_await(&s, "lost");
    CHECK_STR(s.text, "0 lost: the connection was closed");
}

/* The leader is a child, too, here. */
static void check_leader_killed(void)
{
    struct ranks r = {0};

    ranks_begin(&r, 2);
    ranks_fork(&r, 1, until_lost);
    fflush(stdout);
    r.pid[0] = fork();
    if (r.pid[0] == 0) {
        ranks_lead(&r);
        raise(SIGKILL);
    }
    close(r.listener);
    CHECK_INT(ranks_wait(&r, 0), 128 + SIGKILL);
    CHECK_INT(ranks_wait(&r, 1), 0);
}

static void stop(struct cluster *c)
{
    say(c, 0, "stopped");
    expect(c, 0, "end");
}

static void check_silence(void)
{
    struct ranks r = {.terms.silence = 2 * NS_PER_SEC};
    struct seen s = SEEN_INIT;

    ranks_start(&r, 2, stop);
    seen_by(r.c, &s);
    seen_await(&s, "stopped");
    kill(r.pid[1], SIGSTOP);
    seen_await(&s, "lost");
    CHECK_STR(s.text, "1:stopped; 1 lost: nothing came from it for 2 s");
    kill(r.pid[1], SIGKILL);
    CHECK_INT(ranks_wait(&r, 1), 128 + SIGKILL);
    cluster_leave(r.c);
}

static void check_short_stop(void)
{
    struct ranks r = {0};

    ranks_start(&r, 2, stop);
    expect(r.c, 1, "stopped");
    kill(r.pid[1], SIGSTOP);
    usleep(1300000);
    CHECK(cluster_alive(r.c, 1));
    say(r.c, 1, "end");
    kill(r.pid[1], SIGCONT);
    ranks_end(&r);
}

/* --- slow readers --- */

static void await_number(struct cluster *c)
{
    struct str s = STR_INIT;
    struct err e = {0};
    size_t last = 0, n;

    say(c, 0, "ready");
    while (last < NUMBER) {
        CHECK_INT(cluster_await(c, 0, TYPE + 1, LIMIT, &s, &e), 0);
        n = (size_t)(unsigned char)s.s[0];
        CHECK(n > last); /* in order, some left out */
        last = n;
    }
    str_free(&s);
}

static void check_latest(void)
{
    struct ranks r = {0};
    char *p = mem_alloc(1 << 20);

    ranks_start(&r, 2, await_number);
    expect(r.c, 1, "ready");
    kill(r.pid[1], SIGSTOP);
    for (int i = 1; i <= NUMBER; i++) {
        *p = (char)i;
        CHECK_INT(cluster_send_latest(r.c, 1, TYPE + 1, p, 1 << 20), 0);
    }
    CHECK(cluster_peer(r.c, 1)->queued < CLUSTER_QUEUE_MAX / 2);
    kill(r.pid[1], SIGCONT);
    ranks_end(&r);
    free(p);
}

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
    kill(r.pid[1], SIGKILL);
    CHECK_INT(ranks_wait(&r, 1), 128 + SIGKILL);
    cluster_leave(r.c);
    free(p);
}

/* --- members that say what they should not --- */

static const unsigned char *bad_bytes;
static size_t bad_size;

static void say_bad(struct cluster *c)
{
    say(c, 0, "first");
    while (__atomic_load_n(&cluster_peer(c, 0)->queued, __ATOMIC_RELAXED))
        usleep(1000);
    send(cluster_peer(c, 0)->fd, bad_bytes, bad_size, MSG_NOSIGNAL);
    _exit(0);
}

static void check_bad(const char *bytes, size_t n, const char *why)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;
    char want[128];

    bad_bytes = (const unsigned char *)bytes;
    bad_size = n;
    ranks_start(&r, 2, say_bad);
    seen_by(r.c, &s);
    seen_await(&s, "lost");
    snprintf(want, sizeof want, "1:first; 1 lost: %s", why);
    CHECK_STR(s.text, want);
    ranks_end(&r);
}

static void check_bad_bytes(void)
{
    static const char no_message[] = "it sent what is no message";

    check_bad("GET / HTTP/1.0\r\n\r\n", 18, no_message);
    check_bad("\1\0\0\1\20\0\0\0x", 9, no_message);                       /* over-long */
    check_bad("\0\0\0\0\0\0\0\0", 8, no_message);                         /* no type */
    check_bad("\0\0\0\0\0\1\0\0", 8, no_message);                         /* type 256 */
    check_bad("\1\0\0\0\1\0\0\0\1", 9, no_message);                       /* a ping of a byte */
    check_bad("\1\0\0\0\2\0\0\0\1", 9, no_message);                       /* a pong to the leader */
    check_bad("\12\0\0\0\20\0\0\0half", 12, "the connection was closed"); /* truncated */
    check_bad("\12\0\0", 3, "the connection was closed");
    check_bad("\0\0\0\0\3\0\0\0", 8, "it left");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    check_sizes();
    check_large();
    check_handler();
    check_await_lost();
    check_await_late();
    check_killed();
    check_leader_killed();
    check_silence();
    check_short_stop();
    check_latest();
    check_flood();
    check_bad_bytes();
    return test_done("cluster_test");
}
