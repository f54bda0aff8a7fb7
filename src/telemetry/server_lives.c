/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_state.h.  A restarted server is another process: its counters begin at zero, and its
 * predecessor's end with the last reading.  The sum of both only grows, so the figures of a run are
 * differences as before, except for what the old process did after its last reading.
 *
 * A successor that began after the last reading belongs to the run from its first instruction on.
 * One that was there before (the clients went over to another server of this host) counts from its
 * first reading on.
 */
#include <stdio.h>

#include "base/mem.h"
#include "telemetry/server.h"
#include "telemetry/server_state.h"

enum { MAX_FOUND = 64 };

/* An ended process without a successor; NULL: none. */
static struct proc_sum *missing(struct server *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].alive && !s->sum[i].replaced)
            return &s->sum[i];
    return NULL;
}

bool server_misses(struct server *s)
{
    return missing(s) != NULL;
}

static bool is_watched(const struct server *s, pid_t pid)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].alive && s->sum[i].root.pid == pid)
            return true;
    return false;
}

/* When it began, as clock_boot() counts; 0: not known. */
static dur_ns began(const struct server *s, const struct proc_sum *w)
{
    return s->reader.live ? (dur_ns)w->root.start_ticks * s->reader.tick_ns : 0;
}

static void note_change(struct server *s, const struct proc_sum *old, const struct proc_sum *w,
                        bool anew)
{
    dur_ns start = began(s, w);

    s->was = (int)old->root.pid;
    s->is = (int)w->root.pid;
    s->changed = clock_mono() - (anew && start ? clock_boot() - start : 0);
}

/* Adds process pid to the set, in place of an ended one. */
static bool add(struct server *s, pid_t pid, bool tree)
{
    struct proc_sum w, *old;
    bool anew;

    if (proc_sum_init(&w, &s->reader, pid, tree)) {
        proc_sum_fini(&w);
        return false;
    }
    proc_sum_read(&w, &s->reader);
    anew = began(s, &w) + s->reader.tick_ns >= s->read_boot;
    if (!anew)
        server_add_total(&s->base, &w);
    s->sum = mem_grow(s->sum, s->n + 1, sizeof s->sum[0]);
    s->sum[s->n++] = w;
    old = missing(s);
    if (old) {
        note_change(s, old, &s->sum[s->n - 1], anew);
        old->replaced = true;
    }
    return true;
}

static void tell(struct server *s, bool tree)
{
    pid_t pids[MAX_FOUND];
    size_t n = 0;

    for (size_t i = 0; i < s->n && n < MAX_FOUND; i++)
        if (s->sum[i].alive)
            pids[n++] = s->sum[i].root.pid;
    s->finder->found(s->finder->arg, pids, n, tree);
}

void server_find_successors(struct server *s)
{
    pid_t pids[MAX_FOUND];
    size_t n = 0, added = 0;
    bool tree = false;

    if (s->finder && missing(s))
        n = s->finder->find(s->finder->arg, pids, MAX_FOUND, &tree);
    for (size_t i = 0; i < n; i++)
        added += !is_watched(s, pids[i]) && add(s, pids[i], tree);
    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].alive && !s->sum[i].replaced)
            reader_note(&s->reader, ~0u, "%s (pid %d) has ended", s->sum[i].root.comm,
                        (int)s->sum[i].root.pid);
    if (!added)
        return;
    s->found++;
    server_name(s);
    tell(s, tree);
}

static void take_base(struct sample *out, const struct sample *base)
{
    out->cpu_ns -= base->cpu_ns;
    out->user_ns -= base->user_ns;
    out->vol_switches -= base->vol_switches;
    out->invol_switches -= base->invol_switches;
    out->runq_wait_ns -= base->runq_wait_ns;
    out->minor_faults -= base->minor_faults;
    out->major_faults -= base->major_faults;
    out->read_bytes -= base->read_bytes;
    out->write_bytes -= base->write_bytes;
}

void server_note_lives(struct server *s, struct sample *out)
{
    take_base(out, &s->base);
    out->found = s->found;
    out->changed = s->changed;
    out->was = s->was;
    out->is = s->is;
    if (s->read_boot && out->processes && out->ended == s->ended && s->found == s->found_before)
        s->whole++;
    s->ended = out->ended;
    s->found_before = s->found;
    out->whole = s->whole;
}

void server_follow(struct server *s, const struct server_finder *finder)
{
    if (s->remote)
        return;
    if (!s->finder)
        s->finder = mem_alloc(sizeof *s->finder);
    *s->finder = *finder;
}
