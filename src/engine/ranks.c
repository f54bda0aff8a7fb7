/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See ranks.h.  This file has the state, and the messages that come in: on the link's thread, which
 * must not wait for anything but the lock.
 */
#include "engine/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

void ranks_payload(struct put *out)
{
    str_reset(&out->s);
    put_u64(out, RANKS_VERSION);
}

void ranks_send(struct ranks *k, int to, enum ranks_message type, const struct put *payload)
{
    cluster_send(k->link, to, type, payload->s.s, payload->s.len);
}

void ranks_send_all(struct ranks *k, enum ranks_message type, const struct put *payload)
{
    for (int i = 1; i < k->n; i++)
        ranks_send(k, i, type, payload); /* nothing is sent to one that is lost */
}

const char *ranks_who(const struct ranks *k, int i, char out[96])
{
    const char *host = cluster_host(k->link, i);

    if (host && *host)
        snprintf(out, 96, "rank %d (%.72s)", i, host);
    else
        snprintf(out, 96, "rank %d", i);
    return out;
}

/* --- messages --- */

static void on_turn(struct ranks *k, int from, struct get *in)
{
    (void)from;
    (void)in;
    k->turn = true;
}

static void on_ready(struct ranks *k, int from, struct get *in)
{
    (void)in;
    k->of[from].ready = k->of[from].looping = true;
}

static void on_off(struct ranks *k, int from, struct get *in)
{
    char name[96], why[256], *text = get_strdup(in);

    snprintf(why, sizeof why, "%s: %.150s", ranks_who(k, from, name), text);
    free(text);
    ranks_off(k, why);
}

static void on_start(struct ranks *k, int from, struct get *in)
{
    (void)from;
    k->start = get_i64(in);
}

static void on_loops(struct ranks *k, int from, struct get *in)
{
    struct rank *v = &k->of[from];

    v->now.loops_end = get_i64(in);
    v->looping = false;
}

static void on_close(struct ranks *k, int from, struct get *in)
{
    (void)from;
    (void)in;
    atomic_store(&k->close, true);
}

static void on_rate(struct ranks *k, int from, struct get *in)
{
    mono_ns at = get_i64(in);
    double rate = get_double(in);

    (void)from;
    if (!in->bad)
        run_rate_from(k->run, at, rate);
}

/* Those with `locks` take the lock themselves, because they end the run. */
static const struct {
    enum ranks_message type;
    bool to_leader, to_members, locks;
    void (*f)(struct ranks *k, int from, struct get *in);
} handlers[] = {{RANKS_TURN, false, true, false, on_turn},
                {RANKS_READY, true, false, false, on_ready},
                {RANKS_OFF, true, true, true, on_off},
                {RANKS_START, false, true, false, on_start},
                {RANKS_READING, true, false, false, ranks_on_reading},
                {RANKS_LOOPS, true, false, false, on_loops},
                {RANKS_STOP, true, true, true, ranks_on_stop},
                {RANKS_CLOSE, false, true, false, on_close},
                {RANKS_RATE, false, true, true, on_rate},
                {RANKS_FINAL, true, false, false, ranks_on_final}};

static void handle(struct ranks *k, size_t i, int from, struct get *in)
{
    if (!handlers[i].locks)
        pthread_mutex_lock(&k->lock);
    handlers[i].f(k, from, in);
    if (!handlers[i].locks)
        pthread_mutex_unlock(&k->lock);
}

static void wake(struct ranks *k)
{
    atomic_fetch_add(&k->word, 1);
    clock_notify(k->run->clock, &k->word);
    run_poke(k->run);
}

static void on_message(void *arg, int from, unsigned type, const void *p, size_t n)
{
    struct ranks *k = arg;
    struct get in = get_of(p, n);
    bool known = get_u64(&in) == RANKS_VERSION;

    for (size_t i = 0; i < sizeof handlers / sizeof *handlers && known; i++)
        if (handlers[i].type == type &&
            (k->rank == 0 ? handlers[i].to_leader : handlers[i].to_members))
            handle(k, i, from, &in);
    if (!known || in.bad)
        ranks_lose(k, from, "it sent what cannot be read");
    wake(k);
}

static void on_lost(void *arg, int rank, const char *why)
{
    struct ranks *k = arg;

    ranks_lose(k, rank, why);
    wake(k);
}

void ranks_listen(struct ranks *k)
{
    struct cluster_handler h = {.arg = k, .message = on_message, .lost = on_lost};

    if (k)
        cluster_handle(k->link, &h);
}

void ranks_unlisten(struct ranks *k)
{
    if (k)
        cluster_handle(k->link, NULL);
}

/* --- the state --- */

static void init_leader(struct ranks *k)
{
    k->of = mem_array((size_t)k->n, sizeof *k->of);
    k->shown = mem_array((size_t)k->n, sizeof *k->shown);
    for (int i = 0; i < k->n; i++) {
        size_t clients = (size_t)plan_share(k->run->plan, i);
        reading_init(&k->of[i].now, clients);
        reading_init(&k->of[i].warm, clients);
        baseline_init(&k->of[i].merged, 1);
        baseline_init(&k->of[i].shown, 1);
        baseline_init(&k->of[i].origin, 1);
        rank_end_init(&k->of[i].end);
        k->of[i].range = mem_array(clients, sizeof *k->of[i].range);
        for (size_t c = 0; c < clients; c++)
            k->of[i].range[c] = (struct lat_range){-1, -1};
    }
}

static void fini_leader(struct ranks *k)
{
    for (int i = 0; i < k->n; i++) {
        reading_fini(&k->of[i].now);
        reading_fini(&k->of[i].warm);
        baseline_fini(&k->of[i].merged);
        baseline_fini(&k->of[i].shown);
        baseline_fini(&k->of[i].origin);
        rank_end_fini(&k->of[i].end);
        free(k->of[i].range);
        tickets_free(k->of[i].schedule);
    }
    free(k->of);
    free(k->shown);
}

static void init_member(struct ranks *k)
{
    k->mine.clients = (size_t)k->run->plan->clients;
    k->mine.client = mem_array(k->mine.clients, sizeof *k->mine.client);
    reading_sent_init(&k->sent);
    reading_sent_init(&k->warm_sent);
}

static void fini_member(struct ranks *k)
{
    free(k->mine.client);
    reading_sent_fini(&k->sent);
    reading_sent_fini(&k->warm_sent);
}

static const struct run_others others = {
    .stopped = ranks_tell_stop, .ahead = ranks_ahead, .set_rate = ranks_set_rate};

struct ranks *ranks_new(struct run *r)
{
    struct ranks *k;

    if (!r->plan->cluster)
        return NULL;
    k = mem_alloc(sizeof *k);
    k->run = r;
    r->others = &others;
    k->link = r->plan->cluster;
    k->rank = r->plan->rank;
    k->n = r->plan->ranks;
    pthread_mutex_init(&k->lock, NULL);
    if (k->rank == 0)
        init_leader(k);
    else
        init_member(k);
    return k;
}

void ranks_free(struct ranks *k)
{
    if (!k)
        return;
    if (k->rank == 0)
        fini_leader(k);
    else
        fini_member(k);
    pthread_mutex_destroy(&k->lock);
    free(k);
}
