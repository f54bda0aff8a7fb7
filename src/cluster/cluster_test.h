/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ranks as real processes on loopback: the test is the leader, each member is a child.  A check
 * that fails in a child makes it exit with 1, which the parent checks.  Only *_test.c files include
 * this.
 */
#ifndef SB_CLUSTER_CLUSTER_TEST_H
#define SB_CLUSTER_CLUSTER_TEST_H

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"
#include "cluster/cluster.h"
#include "cluster/cluster_state.h"

#define TYPE    CLUSTER_TYPE_FIRST
#define MEMBERS 8
#define LIMIT   (clock_mono() + 60 * NS_PER_SEC) /* never reached */

struct ranks {
    struct cluster_spec terms;
    int listener;
    char port[8];
    int gate[2]; /* when set: members join when its writing end is closed */
    pid_t pid[MEMBERS + 1];
    struct cluster *c;
};

static inline void ranks_begin(struct ranks *r, int size)
{
    struct err e = {0};
    unsigned port = 0;

    r->terms.size = size;
    r->terms.secret = "a secret";
    r->terms.timeout = 60 * NS_PER_SEC;
    if (!r->terms.silence)
        r->terms.silence = 60 * NS_PER_SEC;
    r->listener = meet_listen("0", &port, &e);
    snprintf(r->port, sizeof r->port, "%u", port);
}

static inline int ranks_join(const struct ranks *r, const struct cluster_spec *t,
                             struct cluster **c, struct err *e)
{
    const char *host = "localhost";

    return meet_join(&host, 1, r->port, t, c, e);
}

static inline void await_gate(const struct ranks *r)
{
    char none;

    if (!r->gate[1])
        return;
    close(r->gate[1]);
    CHECK_INT(read(r->gate[0], &none, 1), 0);
}

/* False in the caller; true in the child that is that rank, which ends with end_child(). */
static inline bool become_child(struct ranks *r, int rank)
{
    fflush(stdout);
    r->pid[rank] = fork();
    if (r->pid[rank])
        return false;
    test_failures = 0;
    return true;
}

static inline _Noreturn void end_child(void)
{
    fflush(stdout);
    exit(test_failures ? 1 : 0); /* not _exit(): coverage and leaks are reported */
}

/* A child that joins as that rank and calls the function. */
static inline void ranks_fork(struct ranks *r, int rank, void (*fn)(struct cluster *c))
{
    struct cluster_spec t = r->terms;
    struct err e = {0};
    struct cluster *c;

    if (!become_child(r, rank))
        return;
    close(r->listener);
    await_gate(r);
    t.rank = rank;
    CHECK_INT(ranks_join(r, &t, &c, &e), 0);
    CHECK_STR(e.msg, ""); /* nor what attempts before it had to say */
    if (!c)
        end_child();
    fn(c);
    cluster_leave(c);
    end_child();
}

static inline void ranks_lead(struct ranks *r)
{
    struct err e = {0};

    CHECK_INT(meet_lead(r->listener, &r->terms, &r->c, &e), 0);
    CHECK_STR(e.msg, "");
    if (!r->c)
        exit(test_done("the meeting failed"));
}

/* All members call the same function. */
static inline void ranks_start(struct ranks *r, int size, void (*fn)(struct cluster *c))
{
    ranks_begin(r, size);
    for (int i = 1; i < size; i++)
        ranks_fork(r, i, fn);
    ranks_lead(r);
}

/* The status of a child: its exit status, or 128 + the signal. */
static inline int ranks_wait(const struct ranks *r, int rank)
{
    int status = 0;

    waitpid(r->pid[rank], &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void ranks_end(struct ranks *r)
{
    cluster_leave(r->c);
    for (int i = 1; i < r->terms.size; i++)
        CHECK_INT(ranks_wait(r, i), 0);
}

/* Bytes that wait for a rank to read. */
static inline size_t queued(struct cluster *c, int rank)
{
    size_t n;

    pthread_mutex_lock(&c->lock);
    n = cluster_peer(c, rank)->queued;
    pthread_mutex_unlock(&c->lock);
    return n;
}

/* What the handler saw, as text: "1:hello 2 lost: it left". */
struct seen {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char text[4096];
};

static inline void seen_add(struct seen *s, const char *text)
{
    pthread_mutex_lock(&s->lock);
    strncat(s->text, *s->text ? "; " : "", sizeof s->text - strlen(s->text) - 1);
    strncat(s->text, text, sizeof s->text - strlen(s->text) - 1);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static inline void seen_message(void *arg, int from, unsigned type, const void *p, size_t n)
{
    char text[96];

    snprintf(text, sizeof text, "%d:%.*s%s", from, n < 64 ? (int)n : 8, (const char *)p,
             type == TYPE ? "" : "?");
    seen_add(arg, text);
}

static inline void seen_lost(void *arg, int rank, const char *why)
{
    char text[200];

    snprintf(text, sizeof text, "%d lost: %s", rank, why);
    seen_add(arg, text);
}

/* Waits until the text appears. */
static inline void seen_await(struct seen *s, const char *text)
{
    pthread_mutex_lock(&s->lock);
    while (!strstr(s->text, text))
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

#define SEEN_INIT                                                                                  \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, ""                                    \
    }

static inline void seen_by(struct cluster *c, struct seen *s)
{
    cluster_handle(c, &(struct cluster_handler){s, seen_message, seen_lost});
}

static inline int say(struct cluster *c, int to, const char *text)
{
    return cluster_send(c, to, TYPE, text, strlen(text));
}

static inline void expect(struct cluster *c, int from, const char *text)
{
    struct str s = STR_INIT;
    struct err e = {0};

    CHECK_INT(cluster_await(c, from, TYPE, LIMIT, &s, &e), 0);
    CHECK_STR(str_cstr(&s), text);
    CHECK_STR(e.msg, "");
    str_free(&s);
}

#endif
