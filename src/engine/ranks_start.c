/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the first client that connects to the start line.
 *
 *     leader                              member 1              member 2
 *     its clients connect
 *     TURN ------------------------------> its clients connect
 *                    <--------------------- READY
 *     TURN ---------------------------------------------------> its clients connect
 *                    <------------------------------------------ READY
 *     finds the server, draws t0
 *     START ----------------------------->--------------------->
 *
 * In turn, because a server that is asked for thousands of connections at once by several hosts
 * refuses some.  t0 is far enough ahead to arrive everywhere.  Until then any rank that fails, is
 * lost or is interrupted calls the run off.
 */
#include "engine/ranks.h"

#include <stdio.h>

#include "base/log.h"

#define AHEAD (20 * NS_PER_MS) /* and the way there and back, four times */

void ranks_off(struct ranks *k, const char *why)
{
    if (atomic_load(&k->began) || atomic_load(&k->off))
        return;
    pthread_mutex_lock(&k->lock);
    snprintf(k->off_why, sizeof k->off_why, "%s", why);
    pthread_mutex_unlock(&k->lock);
    atomic_store(&k->off, true);
    run_poke(k->run);
}

bool ranks_are_off(const struct run *r, struct err *e)
{
    struct ranks *k = r->ranks;

    if (!k || !atomic_load(&k->off))
        return false;
    pthread_mutex_lock(&k->lock);
    err_set(e, ERR_FAILED, "%s", k->off_why);
    pthread_mutex_unlock(&k->lock);
    return true;
}

/* The leader's word ends a run that others have called off. */
void ranks_call_off(struct run *r, const struct err *e)
{
    struct ranks *k = r->ranks;
    struct put text = {0};

    if (!k || (k->rank > 0 && atomic_load(&k->off)))
        return;
    ranks_payload(&text);
    put_str(&text, r->first.kind != ERR_NONE ? r->first.msg : e->msg);
    if (k->rank == 0)
        ranks_send_all(k, RANKS_OFF, &text);
    else
        ranks_send(k, 0, RANKS_OFF, &text);
    put_free(&text);
}

static bool is_my_turn(const struct ranks *k, int rank)
{
    (void)rank;
    return k->turn;
}

static bool is_ready(const struct ranks *k, int rank)
{
    return k->of[rank].ready;
}

static bool has_start(const struct ranks *k, int rank)
{
    (void)rank;
    return k->start != 0;
}

static bool ask(struct ranks *k, bool (*there)(const struct ranks *k, int rank), int rank)
{
    bool yes;

    pthread_mutex_lock(&k->lock);
    yes = there(k, rank);
    pthread_mutex_unlock(&k->lock);
    return yes;
}

static int await(struct run *r, bool (*there)(const struct ranks *k, int rank), int rank,
                 struct run_result *res, struct err *e)
{
    for (;;) {
        uint32_t word = atomic_load(&r->word);
        int sig = atomic_load(&r->signal);

        if (ranks_are_off(r, e))
            return -1;
        if (sig) {
            res->signal = sig;
            return err_set(e, ERR_REPORTED, "interrupted before the run began");
        }
        if (ask(r->ranks, there, rank))
            return 0;
        clock_await(r->clock, MONO_NEVER, &r->word, word);
    }
}

int ranks_await_turn(struct run *r, struct run_result *res, struct err *e)
{
    return ranks_follow(r) ? await(r, is_my_turn, 0, res, e) : 0;
}

static int lead(struct run *r, struct run_result *res, struct err *e)
{
    struct ranks *k = r->ranks;
    struct put none = {0};
    int rc = 0;

    ranks_payload(&none);
    for (int i = 1; i < k->n && rc == 0; i++) {
        ranks_send(k, i, RANKS_TURN, &none);
        rc = await(r, is_ready, i, res, e);
    }
    put_free(&none);
    return rc;
}

static int follow(struct run *r, struct run_result *res, struct err *e)
{
    struct put none = {0};

    ranks_payload(&none);
    ranks_send(r->ranks, 0, RANKS_READY, &none);
    put_free(&none);
    return await(r, has_start, 0, res, e);
}

int ranks_await_others(struct run *r, struct run_result *res, struct err *e)
{
    if (!r->ranks)
        return 0;
    if (r->ranks->rank == 0 ? lead(r, res, e) : follow(r, res, e))
        return ready_call_off(r);
    return 0;
}

dur_ns ranks_ahead(const struct run *r)
{
    struct cluster_clock_figures f;
    dur_ns way = 0;

    if (!r->ranks)
        return 0;
    for (int i = 1; i < r->ranks->n; i++)
        if (cluster_clock_figures(r->ranks->link, i, &f) && f.round_trip > way)
            way = f.round_trip;
    return AHEAD + 4 * way;
}

void ranks_start_line(struct run *r)
{
    struct ranks *k = r->ranks;
    struct put text = {0};

    if (!k)
        return;
    atomic_store(&k->began, true);
    if (k->rank > 0) {
        r->t0 = k->start;
        return;
    }
    ranks_payload(&text);
    put_i64(&text, r->t0);
    ranks_send_all(k, RANKS_START, &text);
    put_free(&text);
}
