/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a run on several load hosts ends.  The time limit ends it everywhere without a word, since
 * all ranks have the same one.  Any other cause (a signal, an error, an overload) goes to the
 * leader, who tells all members; each ends its schedule when it hears of it, so what is offered
 * afterwards is nobody's.
 *
 * A rank that is lost does not end the run.  The leader counts what is missing (lost_note), says
 * so at once, and fails at the end.  Without the leader there is no report, so its loss ends a
 * member.
 */
#include "engine/ranks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

void ranks_tell_stop(struct run *r, enum stop_reason why, const char *text)
{
    struct ranks *k = r->ranks;
    struct put out = {0};

    if (why != STOP_TIME)
        ranks_close_schedule(r, atomic_load(&r->end));
    if (why == STOP_TIME || why == STOP_FORCED || !atomic_load(&k->began))
        return;
    ranks_payload(&out);
    put_u64(&out, why);
    put_i64(&out, atomic_load(&r->signal));
    put_str(&out, text);
    if (k->rank == 0)
        ranks_send_all(k, RANKS_STOP, &out);
    else if (!atomic_load(&k->told))
        ranks_send(k, 0, RANKS_STOP, &out);
    put_free(&out);
}

static void fail(struct run *r, int from, const char *text)
{
    struct err e = {0};
    char name[96];

    err_set(&e, ERR_FAILED, "%s: %s", ranks_who(r->ranks, from, name), text);
    run_fail(r, &e);
}

void ranks_on_stop(struct ranks *k, int from, struct get *in)
{
    enum stop_reason why = (enum stop_reason)get_u64(in);
    int sig = (int)get_i64(in);
    char *text = get_strdup(in);

    if (in->bad || why <= STOP_TIME || why >= STOP_FORCED)
        why = STOP_NONE;
    if (k->rank > 0)
        atomic_store(&k->told, true);
    if (why == STOP_SIGNAL)
        run_signal(k->run, sig);
    else if (why == STOP_ERROR && k->rank == 0)
        fail(k->run, from, text);
    else if (why != STOP_NONE)
        run_stop(k->run, why);
    free(text);
}

/* --- ranks that are lost --- */

/* Since measuring began, as all times of a report. */
static double after_s(const struct run *r, const struct rank *v)
{
    mono_ns from = r->measure_from;

    return v->lost_at > from ? dur_sec(v->lost_at - from) : 0;
}

/* Under the lock; false: it is known, or does not matter any more. */
static bool note_lost(struct ranks *k, int rank, const char *why)
{
    struct rank *v = &k->of[rank];

    if (v->lost || v->ended)
        return false;
    snprintf(v->why, sizeof v->why, "%s", why);
    v->lost_at = run_now(k->run);
    v->lost = true;
    v->looping = false;
    return true;
}

static void lose_member(struct ranks *k, int rank, const char *why)
{
    char name[96], text[256];
    bool new;

    ranks_who(k, rank, name);
    if (!atomic_load(&k->began)) {
        snprintf(text, sizeof text, "%s was lost before the run began: %s", name, why);
        ranks_off(k, text);
    }
    pthread_mutex_lock(&k->lock);
    new = note_lost(k, rank, why);
    pthread_mutex_unlock(&k->lock);
    if (new &&atomic_load(&k->began))
        log_stderr("WARNING: %s is lost after %.1f s (%s): its share of the load is missing from "
                   "now on",
                   name, after_s(k->run, &k->of[rank]), why);
}

static void lose_leader(struct ranks *k, const char *why)
{
    char name[96], text[256];
    struct err e = {0};
    bool over;

    pthread_mutex_lock(&k->lock);
    over = k->end_told;
    pthread_mutex_unlock(&k->lock);
    snprintf(text, sizeof text, "the leader, %s, is lost: %s", ranks_who(k, 0, name), why);
    if (!atomic_load(&k->began)) {
        ranks_off(k, text);
    } else if (!over) {
        atomic_store(&k->told, true);
        err_set(&e, ERR_FAILED, "%s", text);
        run_fail(k->run, &e);
    }
}

void ranks_lose(struct ranks *k, int rank, const char *why)
{
    if (k->rank == 0)
        lose_member(k, rank, why);
    else
        lose_leader(k, why);
}

/* Under the lock: how many are lost, and what they left undone; *first: the first one, by number.
 */
static int count_lost(const struct ranks *k, int *first, uint64_t *undone)
{
    int n = 0;

    for (int i = k->n - 1; i > 0; i--) {
        if (!k->of[i].lost)
            continue;
        *first = i;
        *undone += k->of[i].given_up;
        n++;
    }
    return n;
}

static void say_failed(const struct run *r, int n, int first, uint64_t undone, char *why,
                       size_t size)
{
    double after = after_s(r, &r->ranks->of[first]);
    char name[96];

    ranks_who(r->ranks, first, name);
    if (n > 1)
        snprintf(why, size,
                 "%d ranks were lost, %s among them after %.1f s: %llu transactions of their "
                 "shares were not done",
                 n, name, after, (unsigned long long)undone);
    else if (r->tickets)
        snprintf(why, size,
                 "%s was lost after %.1f s: %llu transactions of its share were not done", name,
                 after, (unsigned long long)undone);
    else
        snprintf(why, size,
                 "%s was lost after %.1f s: its share of the load is missing from then on", name,
                 after);
}

bool ranks_any_lost(const struct run *r)
{
    uint64_t undone = 0;
    int n, first;

    if (!ranks_lead(r))
        return false;
    pthread_mutex_lock(&r->ranks->lock);
    n = count_lost(r->ranks, &first, &undone);
    pthread_mutex_unlock(&r->ranks->lock);
    return n > 0;
}

bool ranks_failed(const struct run *r, char *why, size_t size)
{
    uint64_t undone = 0;
    int n, first = 0;

    if (!ranks_lead(r))
        return false;
    pthread_mutex_lock(&r->ranks->lock);
    n = count_lost(r->ranks, &first, &undone);
    if (n)
        say_failed(r, n, first, undone, why, size);
    pthread_mutex_unlock(&r->ranks->lock);
    return n > 0;
}

/* --- the end of the loops (close_note) --- */

static bool others_loop(struct ranks *k)
{
    bool any = false;

    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        any = any || k->of[i].looping;
    pthread_mutex_unlock(&k->lock);
    return any;
}

static void tell_loops(struct ranks *k)
{
    struct put text = {0};

    if (k->loops_told)
        return;
    k->loops_told = true;
    ranks_payload(&text);
    put_i64(&text, atomic_load(&k->run->loops_end));
    ranks_send(k, 0, RANKS_LOOPS, &text);
    put_free(&text);
}

bool ranks_go_on(struct run *r, mono_ns abandon, mono_ns now)
{
    struct ranks *k = r->ranks;

    if (!k || atomic_load(&r->looping) > 0)
        return false;
    if (k->rank > 0)
        tell_loops(k);
    if (now >= abandon)
        return false;
    return k->rank == 0 ? others_loop(k) : !atomic_load(&k->close) && cluster_alive(k->link, 0);
}

bool ranks_told(const struct run *r)
{
    return ranks_follow(r) && atomic_load(&r->ranks->told);
}

void ranks_close(struct run *r)
{
    struct put none = {0};

    if (!ranks_lead(r))
        return;
    ranks_payload(&none);
    ranks_send_all(r->ranks, RANKS_CLOSE, &none);
    put_free(&none);
}

mono_ns ranks_loops_end(const struct run *r)
{
    struct ranks *k = r->ranks;
    mono_ns end = atomic_load((_Atomic int64_t *)(uintptr_t)&r->loops_end);

    if (k->rank > 0)
        return end;
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n && end != MONO_NEVER; i++) {
        mono_ns last = k->of[i].now.loops_end;
        if (k->of[i].looping)
            end = MONO_NEVER;
        else if (!k->of[i].lost && last != MONO_NEVER && last > end)
            end = last;
    }
    pthread_mutex_unlock(&k->lock);
    return end;
}
