/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The causes on the side of the server that samples of its sessions tell: what they waited for, by
 * class (telemetry/waits.h), or that they ran.  Locks are in causes_server.c.  See causes.h.
 *
 * usual_note: what a transaction waits for in an unloaded system, too, explains no excess.  In a
 * part of a span that is what it is in the rest of it; otherwise it is not known, and may be all of
 * the unloaded service time.
 */
#include "engine/causes.h"

#include <math.h>
#include <string.h>

#define INEXACT 0.1 /* of a wait: samples tell no less from chance */

/* The first row of the class whose `like` is a part of the name. */
static const struct words {
    enum wait_class class;
    const char *like, *what, *remedy;
} words[] = {
    {WAIT_CPU, "", "of the server's CPUs", "look at the plans of their statements"},
    {WAIT_LOCK, "", "for locks", "find out who holds them"},
    {WAIT_LOG, "SyncRep", "for a standby", "look at it or its network"},
    {WAIT_LOG, "semi-sync", "for a replica", "look at it or its network"},
    {WAIT_LOG, "WALInsert", "to write into the log's buffer", "write less"},
    {WAIT_LOG, "", "for the log", "use a faster device for it"},
    {WAIT_IO, "BufFile", "for temporary files", "give sorts and joins more memory"},
    {WAIT_IO, "temporary ", "for temporary files", "give sorts and joins more memory"},
    {WAIT_IO, "", "for data files", "give the server a larger buffer pool or faster disks"},
    {WAIT_LATCH, "latch in ", "for other threads of the server", "see --server-profile=offcpu"},
    {WAIT_LATCH, "", "for latches in the server", "use more rows or fewer clients"},
    {WAIT_CLIENT, "", "for the client or the network", "return fewer rows or use a faster network"},
    {WAIT_OTHER, "", "for sleeps in their statements", "take these out"},
};

static const struct words *words_of(enum wait_class class, const char *name)
{
    const struct words *w = words;

    while (w->class != class || !strcasestr(name, w->like))
        w++;
    return w;
}

/* As in the time of a transaction (report/budget.h). */
static double spent_of(const struct account *a)
{
    return spent_sum(a, a->r->in_server);
}

double outside_server(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double in_server = (double)(r->in_server - r->waited[WAIT_CLIENT].time);

    return r->waits_known ? fmax(spent_of(a) - in_server, 0) : INFINITY;
}

/* More than the clients spent cannot have been spent in the server; on its CPUs, neither more than
 * it used. */
static double time_of(const struct verdict_readings *r, enum wait_class class, double spent)
{
    double t = (double)(r->waited[class].time - (class == WAIT_CPU ? r->ready : 0)), used;

    if ((double)r->in_server > spent)
        t *= spent / (double)r->in_server;
    if (class != WAIT_CPU || t <= 0)
        return t;
    used = r->server_cpu_pct / 100 * (double)(r->to - r->from);
    t = fmin(r->threads ? t : t * (1 - r->server_waited_pct / 100), used);
    return isfinite(used) && isfinite(r->server_waited_pct) ? t : 0;
}

/* See usual_note. */
static double beyond_usual(const struct account *a, enum wait_class class)
{
    const struct verdict_readings *r = a->r, *all = a->all;
    double t = time_of(r, class, spent_of(a)), usual = fmax(busy_sum(a) - a->excess, 0);

    if (class == WAIT_LATCH && verdict_latches(r) > 0)
        return t;
    if (r != all && all->waits_known && all->service_n > r->service_n) {
        double rest = fmax((double)(all->waited[class].time - r->waited[class].time), 0);
        usual = fmin(usual, rest / (double)(all->service_n - r->service_n) * count_sum(r));
    }
    return t - usual > INEXACT * t ? t - usual : 0;
}

/* They share what nothing else explains.  WAIT_CLASSES: all of it. */
static double part(const struct account *a, enum wait_class class)
{
    double sum = 0, of = 0, left = cause_unexplained(a);

    if (!a->r->waits_known)
        return 0;
    for (int c = 0; c < WAIT_CLASSES; c++) {
        if (c == WAIT_ROW || c == WAIT_LOCK)
            continue;
        double t = a->slow * part_of(beyond_usual(a, c), a->excess);
        sum += t;
        of += class == WAIT_CLASSES || c == (int)class ? t : 0;
    }
    return sum > left ? of * left / sum : of;
}

double cause_waits(const struct account *a)
{
    return part(a, WAIT_CLASSES);
}

/* " for the log (WALSync)" */
static void say_what(const struct account *a, const struct verdict_readings *r,
                     enum wait_class class)
{
    const struct verdict_wait *w = &r->waited[class];

    say(a->v, " %s", words_of(class, w->name)->what);
    if (class != WAIT_CPU)
        say(a->v, " (%s%s)", w->name, w->several ? " and others" : "");
}

static void say_remedy(const struct account *a, const struct verdict_readings *r,
                       enum wait_class class)
{
    const char *remedy = words_of(class, r->waited[class].name)->remedy;

    say(a->v, "%s%s%s", remedy, !r->no_rate && strstr(remedy, " or ") ? "," : "", say_or_lower(r));
}

/* Locks are held for as long as whoever has them waits, or runs the script: not if it is idle for
 * want of a CPU, or since the network is slow. */
bool say_root(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    const double script = r->script_pct / 100 * spent_of(a);
    const bool idle = r->lock_ours && r->lock_root == WAIT_ROW && r->waits_known &&
                      script > HALF * outside_server(a);

    if (idle)
        say(a->v,
            ", most of it behind own transactions that were idle between two statements; shorten "
            "what the script does there%s",
            say_or_lower(r));
    else if (r->lock_root == WAIT_CLASSES)
        say(a->v, ", most of it in deadlocks; lock rows in the same order%s", say_or_lower(r));
    else if (r->lock_root <= WAIT_ROW || !*r->waited[r->lock_root].name)
        return false;
    else {
        say(a->v, ", most of it behind own transactions that waited");
        say_what(a, r, r->lock_root);
        say(a->v, "; ");
        say_remedy(a, r, r->lock_root);
    }
    return true;
}

static void say_class(const struct account *a, enum wait_class class)
{
    const double spent = spent_of(a), t = time_of(a->r, class, spent);

    say(a->v, "transactions %s %.1f s", class == WAIT_CPU ? "needed" : "waited", t / 1e9);
    say_what(a, a->r, class);
    say(a->v, ", %.0f%% of their time; ", 100 * part_of(t, spent));
    say_remedy(a, a->r, class);
}

/* The longest wait, locks apart, if it is more than half of `spent`; WAIT_CPU: there is none. */
static enum wait_class most(const struct verdict_readings *r, double spent)
{
    for (int c = WAIT_IO; c < WAIT_CLASSES; c++)
        if (time_of(r, c, spent) > HALF * spent)
            return c;
    return WAIT_CPU;
}

void say_waiting(const struct account *a)
{
    const double spent = spent_of(a);
    const enum wait_class class = most(a->r, spent);

    if (class == WAIT_CPU)
        return;
    say(a->v, ", %.0f%% of it waiting", 100 * part_of(time_of(a->r, class, spent), spent));
    say_what(a, a->r, class);
}

void say_find_out(const struct account *a, const struct verdict_readings *r, double spent)
{
    const enum wait_class class = most(r, spent);
    const bool known = r->waits_known && !r->no_sql;
    const double there = (double)(r->in_server + r->ready);

    if (r->stall && strstr(r->stall, "the server was stopped")) {
        say(a->v, "; the server was stopped, see Incidents");
    } else if (class != WAIT_CPU && (a->excess <= 0 || beyond_usual(a, class) > 0)) {
        say(a->v, "; most of that time they waited");
        say_what(a, r, class);
        say(a->v, ": ");
        say_remedy(a, r, class);
    } else if (known && there < HALF * spent) {
        say(a->v, "; for %.0f%% of that time the server had no statement of theirs",
            100 - 100 * part_of(there, spent));
    } else if (known) {
        say(a->v, "; no wait that is known explains it");
    } else if (r->stall) {
        say(a->v, "; see Incidents");
    } else {
        bool few = r->lock_who && !r->waits_known, asked = r->no_sql || r->lock_wait >= 0;
        say(a->v, "; find out what they waited for");
        if (r->lock_why)
            say(a->v, " (not known: %s)", r->lock_why);
        else if (few || !asked)
            say(a->v, few ? " (too few samples tell)" : " (--server-status shows it)");
    }
}

/* Rows of one class each, which have the class's words. */
#define WAITS(id, class, name)                                                                     \
    static double part_##id(const struct account *a)                                               \
    {                                                                                              \
        return part(a, class);                                                                     \
    }                                                                                              \
    static void say_##id(const struct account *a)                                                  \
    {                                                                                              \
        say_class(a, class);                                                                       \
    }                                                                                              \
    CAUSE(id, name, LATENCY, .part = part_##id)

WAITS(log, WAIT_LOG, "waits for the log");
WAITS(io, WAIT_IO, "waits for files");
WAITS(latch, WAIT_LATCH, "waits for latches");
WAITS(client, WAIT_CLIENT, "waits for the client or the network");
WAITS(sleep, WAIT_OTHER, "sleeps in statements");
WAITS(cpu, WAIT_CPU, "time on the server's CPUs");
