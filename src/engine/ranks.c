/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See ranks.h.  This file has the state and the messages, which come in on the link's thread, and
 * how a run begins and ends.
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
 *
 * The time limit ends a run everywhere without a word, since all ranks have the same one.  Any
 * other cause (a signal, an error, an overload) goes to the leader, who tells all members; each
 * ends its schedule when it hears of it, so what is offered afterwards is nobody's.
 *
 * A rank that is lost does not end the run.  The leader counts what is missing (lost_note), says
 * so at once, and fails at the end.  Without the leader there is no report, so its loss ends a
 * member.
 */
#include "engine/executor.h"
#include "engine/ranks.h"
#include "engine/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "sql/sql_sessions.h"

#define AHEAD (20 * NS_PER_MS) /* and the way there and back, four times */

static const struct record_field note_fields[] = {
    RECORD_EACH(struct ranks_note, RECORD_NONE, at, rate, why, signal, text),
};
static const struct record note_record = RECORD("note", note_fields);

static void send_to(struct ranks *k, int first, int last, enum ranks_message type,
                    const struct ranks_note *note)
{
    static const struct ranks_note none;
    struct str out = STR_INIT;

    put_u64(&out, RANKS_VERSION);
    put_record(&out, &note_record, note ? note : &none);
    if (k->rank > 0)
        sql_sessions_put(&out, &k->sessions_told);
    for (int i = first; i <= last; i++)
        cluster_send(k->link, i, type, out.s, out.len); /* nothing to one that is lost */
    str_free(&out);
}

void ranks_send(struct ranks *k, enum ranks_message type, const struct ranks_note *note)
{
    if (k->rank == 0)
        send_to(k, 1, k->n - 1, type, note);
    else
        send_to(k, 0, 0, type, note);
}

/* --- no run --- */

static void off(struct ranks *k, const char *why)
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
    struct ranks_note note = {0};

    if (!k || (k->rank > 0 && atomic_load(&k->off)))
        return;
    snprintf(note.text, sizeof note.text, "%s", r->first.kind != ERR_NONE ? r->first.msg : e->msg);
    ranks_send(k, RANKS_OFF, &note);
}

/* --- ranks that are lost --- */

/* Since measuring began, as all times of a report. */
static double after_s(const struct run *r, const struct rank *v)
{
    mono_ns from = r->measure_from;

    return v->lost_at > from ? dur_sec(v->lost_at - from) : 0;
}

static void lose(struct ranks *k, int rank, const char *why)
{
    struct rank *v = k->of ? &k->of[rank] : NULL;
    bool began = atomic_load(&k->began), new = false, over;
    const char *name = cluster_name(k->link, rank);
    char text[256];
    struct err e = {0};

    pthread_mutex_lock(&k->lock);
    over = k->end_sent;
    if (v && !v->lost && !v->ended) { /* else it does not matter any more */
        snprintf(v->why, sizeof v->why, "%s", why);
        v->lost_at = run_now(k->run);
        v->lost = new = true;
        v->looping = false;
        sql_sessions_get(rank, NULL);
    }
    pthread_mutex_unlock(&k->lock);
    if (v && !began)
        snprintf(text, sizeof text, "%s was lost before the run began: %s", name, why);
    else
        snprintf(text, sizeof text, "the leader, %s, is lost: %s", name, why);
    if (!began) {
        off(k, text);
    } else if (new) {
        log_stderr("WARNING: %s is lost after %.1f s (%s): its share of the load is missing from "
                   "now on",
                   name, after_s(k->run, v), why);
    } else if (!v && !over) {
        atomic_store(&k->ended_by_leader, true);
        err_set(&e, ERR_FAILED, "%s", text);
        run_fail(k->run, &e);
    }
}

bool ranks_failed(const struct run *r, char *why, size_t size)
{
    uint64_t undone = 0;
    int n = 0, first = 0; /* of those that are lost, by number */

    if (!ranks_lead(r))
        return false;
    pthread_mutex_lock(&r->ranks->lock);
    for (int i = r->ranks->n - 1; i > 0; i--) {
        if (!r->ranks->of[i].lost)
            continue;
        first = i;
        undone += r->ranks->of[i].given_up;
        n++;
    }
    double after = after_s(r, &r->ranks->of[first]);
    pthread_mutex_unlock(&r->ranks->lock);
    const char *name = cluster_name(r->ranks->link, first);
    if (n > 1)
        snprintf(why, size,
                 "%d ranks were lost, %s among them after %.1f s: %llu transactions of their "
                 "shares were not done",
                 n, name, after, (unsigned long long)undone);
    else if (n && r->tickets)
        snprintf(why, size,
                 "%s was lost after %.1f s: %llu transactions of its share were not done", name,
                 after, (unsigned long long)undone);
    else if (n)
        snprintf(why, size,
                 "%s was lost after %.1f s: its share of the load is missing from then on", name,
                 after);
    return n > 0;
}

/* --- messages --- */

static void on_note(struct ranks *k, enum ranks_message type, int from,
                    const struct ranks_note *note)
{
    struct rank *v = k->of ? &k->of[from] : NULL;
    enum stop_reason stop =
        note->why > STOP_TIME && note->why < STOP_FORCED ? (enum stop_reason)note->why : STOP_NONE;
    const char *name = cluster_name(k->link, from);
    struct err e = {0};
    char why[256];

    switch (type) { /* those that may end the run take the lock themselves */
    case RANKS_OFF:
        snprintf(why, sizeof why, "%s: %.150s", name, note->text);
        off(k, why);
        return;
    case RANKS_STOP:
        if (k->rank > 0)
            atomic_store(&k->ended_by_leader, true);
        if (stop == STOP_SIGNAL) {
            run_signal(k->run, note->signal, run_now(k->run));
        } else if (stop == STOP_ERROR && k->rank == 0) {
            err_set(&e, ERR_FAILED, "%s: %s", name, note->text);
            run_fail(k->run, &e);
        } else if (stop != STOP_NONE) {
            run_stop(k->run, stop);
        }
        return;
    case RANKS_RATE: run_rate_from(k->run, note->at, note->rate); return;
    default: break;
    }
    pthread_mutex_lock(&k->lock);
    switch (type) {
    case RANKS_TURN: k->turn = true; break;
    case RANKS_READY: v->ready = v->looping = true; break;
    case RANKS_START: k->start = note->at; break;
    case RANKS_LOOPS:
        v->now.t.loops_end = note->at;
        v->looping = false;
        break;
    case RANKS_CLOSE: atomic_store(&k->close, true); break;
    default: break;
    }
    pthread_mutex_unlock(&k->lock);
}

enum { TO_LEADER = 1, TO_MEMBERS = 2, TO_ALL = 3 };

static const unsigned char direction[] = {
    [RANKS_TURN] = TO_MEMBERS,  [RANKS_READY] = TO_LEADER,   [RANKS_OFF] = TO_ALL,
    [RANKS_START] = TO_MEMBERS, [RANKS_READING] = TO_LEADER, [RANKS_LOOPS] = TO_LEADER,
    [RANKS_STOP] = TO_ALL,      [RANKS_CLOSE] = TO_MEMBERS,  [RANKS_RATE] = TO_MEMBERS,
    [RANKS_FINAL] = TO_LEADER,
};

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
    bool known = get_u64(&in) == RANKS_VERSION && !in.bad, mine, right = known;
    struct ranks_note note = {0};

    mine = known && type <= RANKS_LAST && direction[type] & (k->rank == 0 ? TO_LEADER : TO_MEMBERS);
    if (mine && (type == RANKS_READING || type == RANKS_FINAL)) {
        pthread_mutex_lock(&k->lock);
        right = (type == RANKS_FINAL ? ranks_take_end : ranks_take_reading)(k, from, &in) == 0;
        pthread_mutex_unlock(&k->lock);
    } else if (mine) {
        get_record(&in, &note_record, &note);
        if (k->rank == 0)
            sql_sessions_get(from, &in);
        right = !in.bad;
        if (right)
            on_note(k, type, from, &note);
    }
    if (!right)
        lose(k, from, "it sent what cannot be read");
    wake(k);
}

static void on_lost(void *arg, int rank, const char *why)
{
    struct ranks *k = arg;

    lose(k, rank, why);
    wake(k);
}

void ranks_listen(struct ranks *k, bool on)
{
    struct cluster_handler h = {.arg = k, .message = on_message, .lost = on_lost};

    if (k)
        cluster_handle(k->link, on ? &h : NULL);
}

/* --- the start --- */

/* What a rank waits for: its turn, that a member is ready, the start line. */
static int await(struct run *r, enum ranks_message what, int rank, struct run_result *res,
                 struct err *e)
{
    struct ranks *k = r->ranks;

    for (;;) {
        uint32_t word = atomic_load(&r->word);
        int sig = atomic_load(&r->signal);

        if (ranks_are_off(r, e))
            return -1;
        if (sig) {
            res->signal = sig;
            return err_set(e, ERR_REPORTED, "interrupted before the run began");
        }
        pthread_mutex_lock(&k->lock);
        bool there = what == RANKS_TURN    ? k->turn
                     : what == RANKS_READY ? k->of[rank].ready
                                           : k->start != 0;
        pthread_mutex_unlock(&k->lock);
        if (there)
            return 0;
        clock_await(r->clock, MONO_NEVER, &r->word, word);
    }
}

int ranks_await_turn(struct run *r, struct run_result *res, struct err *e)
{
    return ranks_follow(r) ? await(r, RANKS_TURN, 0, res, e) : 0;
}

int ranks_await_others(struct run *r, struct run_result *res, struct err *e)
{
    struct ranks *k = r->ranks;
    int rc = 0;

    if (!k)
        return 0;
    if (k->rank > 0) {
        ranks_send(k, RANKS_READY, NULL);
        rc = await(r, RANKS_START, 0, res, e);
    }
    for (int i = 1; k->rank == 0 && i < k->n && rc == 0; i++) {
        send_to(k, i, i, RANKS_TURN, NULL);
        rc = await(r, RANKS_READY, i, res, e);
    }
    return rc ? ready_call_off(r) : 0;
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

    if (!k)
        return;
    atomic_store(&k->began, true);
    if (k->rank > 0)
        r->t0 = k->start;
    else
        ranks_send(k, RANKS_START, &(struct ranks_note){.at = r->t0});
}

/* --- the end --- */

static void tell_stop(struct run *r, enum stop_reason why, const char *text)
{
    struct ranks *k = r->ranks;
    struct ranks_note note = {.why = why, .signal = atomic_load(&r->signal)};

    if (why != STOP_TIME)
        ranks_close_schedule(r, atomic_load(&r->end));
    if (why == STOP_TIME || why == STOP_FORCED || !atomic_load(&k->began) ||
        (k->rank > 0 && atomic_load(&k->ended_by_leader)))
        return;
    snprintf(note.text, sizeof note.text, "%s", text ? text : "");
    ranks_send(k, RANKS_STOP, &note);
}

bool ranks_go_on(struct run *r, mono_ns abandon, mono_ns now)
{
    struct ranks *k = r->ranks;
    bool any = false;

    if (!k || atomic_load(&r->looping) > 0)
        return false;
    if (k->rank > 0 && !k->loops_sent) {
        k->loops_sent = true;
        ranks_send(k, RANKS_LOOPS, &(struct ranks_note){.at = atomic_load(&r->loops_end)});
    }
    if (now >= abandon)
        return false;
    if (k->rank > 0)
        return !atomic_load(&k->close) && cluster_alive(k->link, 0);
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n; i++)
        any = any || k->of[i].looping;
    pthread_mutex_unlock(&k->lock);
    return any;
}

void ranks_close(struct run *r)
{
    if (ranks_lead(r))
        ranks_send(r->ranks, RANKS_CLOSE, NULL);
}

mono_ns ranks_loops_end(const struct run *r)
{
    struct ranks *k = r->ranks;
    mono_ns end = atomic_load(&r->loops_end);

    if (k->rank > 0)
        return end;
    pthread_mutex_lock(&k->lock);
    for (int i = 1; i < k->n && end != MONO_NEVER; i++) {
        mono_ns last = k->of[i].now.t.loops_end;
        if (k->of[i].looping)
            end = MONO_NEVER;
        else if (!k->of[i].lost && last != MONO_NEVER && last > end)
            end = last;
    }
    pthread_mutex_unlock(&k->lock);
    return end;
}

/* --- the state --- */

static const struct run_others others = {
    .stopped = tell_stop, .ahead = ranks_ahead, .set_rate = ranks_set_rate};

struct ranks *ranks_new(struct run *r)
{
    if (!r->plan->cluster)
        return NULL;
    struct ranks *k = mem_alloc(sizeof *k);
    k->run = r;
    r->others = &others;
    k->link = r->plan->cluster;
    k->rank = r->plan->rank;
    k->n = r->plan->ranks;
    pthread_mutex_init(&k->lock, NULL);
    if (k->rank > 0) {
        k->mine.clients = (size_t)r->plan->clients;
        k->mine.client = mem_array(k->mine.clients, sizeof *k->mine.client);
        baseline_init(&k->sent.b, 1);
        baseline_init(&k->warm_sent.b, 1);
        return k;
    }
    k->of = mem_array((size_t)k->n, sizeof *k->of);
    k->shown = mem_array((size_t)k->n, sizeof *k->shown);
    for (int i = 0; i < k->n; i++) {
        struct rank *v = &k->of[i];
        size_t clients = (size_t)plan_share(r->plan, i);

        reading_init(&v->now, clients);
        reading_init(&v->warm, clients);
        for (int m = 0; m < RANK_MOMENTS; m++)
            baseline_init(&v->was[m], 1);
        rank_end_init(&v->end);
        v->range = mem_array(clients, sizeof *v->range);
        for (size_t c = 0; c < clients; c++)
            v->range[c] = (struct lat_range){-1, -1};
    }
    return k;
}

void ranks_free(struct ranks *k)
{
    if (!k)
        return;
    if (k->rank > 0) {
        free(k->mine.client);
        baseline_fini(&k->sent.b);
        baseline_fini(&k->warm_sent.b);
    }
    for (int i = 0; k->of && i < k->n; i++) {
        struct rank *v = &k->of[i];

        reading_fini(&v->now);
        reading_fini(&v->warm);
        for (int m = 0; m < RANK_MOMENTS; m++)
            baseline_fini(&v->was[m]);
        rank_end_fini(&v->end);
        free(v->range);
        tickets_free(v->schedule);
    }
    free(k->of);
    free(k->shown);
    pthread_mutex_destroy(&k->lock);
    free(k);
}
