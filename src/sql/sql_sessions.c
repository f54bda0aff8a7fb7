/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_sessions.h.  A list, the latest first; those that are due to go are dropped whenever it
 * is read, or has grown long.
 */
#include "sql/sql_sessions.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cluster/codec.h"

#define REMEMBERED (60 * NS_PER_SEC)

struct entry {
    struct sql_session s; /* first */
    uint64_t id;
    int server, rank; /* 0: this one's */
    mono_ns closed;   /* 0: it is up */
    struct entry *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *first;
static size_t closed; /* how many of them */
static bool keeps;
static mono_ns news;         /* when a rank told of new ones last, its first left out; 0: never */
static struct sql_work past; /* of those that were dropped */

/* With the lock.  And all of rank `gone`; 0: of none. */
static void drop_old(mono_ns before, size_t most, int gone)
{
    size_t n = 0;

    for (struct entry **at = &first, *s; (s = *at);) {
        n += s->closed != 0;
        if ((s->closed && (n > most || s->closed < before)) || (gone && s->rank == gone)) {
            *at = s->next;
            past.sent += s->s.sent;
            past.answered += s->s.answered;
            closed -= s->closed != 0;
            free(s);
        } else {
            at = &s->next;
        }
    }
}

void sql_sessions_keep(bool on)
{
    struct entry *next;

    pthread_mutex_lock(&lock);
    keeps = on;
    for (struct entry *s = on ? NULL : first; s; s = next) {
        next = s->next;
        free(s);
    }
    if (!on) {
        first = NULL;
        closed = 0;
        past = (struct sql_work){0};
    }
    pthread_mutex_unlock(&lock);
}

struct sql_session *sql_session_add(uint64_t id, int server)
{
    struct entry *s = NULL;

    pthread_mutex_lock(&lock);
    if (keeps) {
        s = mem_alloc(sizeof *s);
        past.logins++;
        past.several |= first && first->server != server;
        *s = (struct entry){.id = id, .server = server, .next = first};
        first = s;
    }
    pthread_mutex_unlock(&lock);
    return s ? &s->s : NULL;
}

void sql_session_end(struct sql_session *session)
{
    struct entry *s = (struct entry *)session;

    if (!s)
        return;
    pthread_mutex_lock(&lock);
    if (keeps) { /* else it is forgotten */
        s->closed = clock_mono();
        if (++closed >= 2 * SQL_SESSIONS_CLOSED)
            drop_old(0, SQL_SESSIONS_CLOSED, 0);
    }
    pthread_mutex_unlock(&lock);
}

int sql_ids_order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void sql_sessions_list(int server, struct sql_ids *out)
{
    out->n = out->up = 0;
    pthread_mutex_lock(&lock);
    out->changing = news && clock_mono() < news + 2 * NS_PER_SEC; /* it tells once a second */
    drop_old(clock_mono() - REMEMBERED, SQL_SESSIONS_CLOSED, 0);
    for (const struct entry *s = first; s; s = s->next) {
        if (s->server != server && !s->rank)
            continue;
        out->id = mem_append(out->id, out->n, sizeof *out->id);
        out->up += !s->closed;
        out->id[out->n++] = (int64_t)s->id;
    }
    pthread_mutex_unlock(&lock);
    if (out->n)
        qsort(out->id, out->n, sizeof *out->id, sql_ids_order);
}

/* 0: there are no new ones; 1: these are the first; 2: there were others. */
void sql_sessions_put(struct str *out, uint64_t *told)
{
    pthread_mutex_lock(&lock);
    bool new = past.logins != *told;
    put_u64(out, new ? 1 + (*told > 0) : 0);
    *told = past.logins;
    for (const struct entry *s = new ? first : NULL; s; s = s->next)
        if (!s->closed)
            put_u64(out, s->id);
    pthread_mutex_unlock(&lock);
    put_u64(out, 0); /* the id of none */
}

void sql_sessions_get(int rank, struct get *in)
{
    uint64_t how = in ? get_u64(in) : 1, id;

    pthread_mutex_lock(&lock);
    news = how > 1 ? clock_mono() : news;
    drop_old(0, SIZE_MAX, how ? rank : 0);
    while (in && (id = get_u64(in)) != 0) {
        struct entry *s = mem_alloc(sizeof *s);
        *s = (struct entry){.id = id, .rank = rank, .next = first};
        first = s;
    }
    pthread_mutex_unlock(&lock);
}

struct sql_work sql_sessions_work(void)
{
    pthread_mutex_lock(&lock);
    struct sql_work w = past;
    for (struct entry *s = first; s; s = s->next) {
        w.sent += s->s.sent;
        w.answered += s->s.answered;
    }
    pthread_mutex_unlock(&lock);
    return w;
}
