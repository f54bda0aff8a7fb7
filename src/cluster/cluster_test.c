/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages between ranks, awaited or handled.
 */
#include "cluster/cluster_test.h"

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

static size_t kept(struct cluster *c)
{
    size_t n;

    pthread_mutex_lock(&c->lock);
    n = c->kept;
    pthread_mutex_unlock(&c->lock);
    return n;
}

static void check_handler(void)
{
    struct ranks r = {0};
    struct seen s = SEEN_INIT;

    ranks_start(&r, 2, three_words);
    while (!kept(r.c)) /* something came before the handler */
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

TEST_MAIN(cluster_test)
{
    signal(SIGPIPE, SIG_IGN);
    check_sizes();
    check_large();
    check_handler();
    check_await_lost();
    check_await_late();
    return test_done("cluster_test");
}
