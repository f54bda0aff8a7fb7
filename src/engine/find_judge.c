/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See find_judge.h.
 *
 * sustained_note: what is missing from a step is what was offered in it and not done in it.  A step
 * begins and ends in the middle of the load, so what is in flight at its two ends differs by
 * chance: with n in flight on average (rate times service time), by a few times the square root of
 * n.  More than that, and more than the share that --tx-strict allows, is a backlog or was lost.
 *
 * What waits for a client is no chance, but for one start that is due at the reading itself: where
 * that has grown by more than half of the share, less what was lost, the rate is too high.  (With
 * the whole share, rates were found that are almost 1 % beyond what the clients can do, and a
 * longer run at them was not sustained.)
 */
#include "engine/find_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

static double missing(const struct find_step *s)
{
    return s->offered > s->done ? (double)(s->offered - s->done) : 0;
}

static uint64_t lost(const struct find_step *s)
{
    return s->failed + s->dropped;
}

/* How many more wait for a client than when the step began. */
static uint64_t queued(const struct find_reading *r, const struct find_step *s)
{
    return s->waiting > r->queued_before ? s->waiting - r->queued_before : 0;
}

static double allowed(const struct find_reading *r, const struct find_step *s)
{
    return (double)s->offered * r->v.tolerance_pct / 100;
}

/* The rule of a run (verdict.h), where what is in flight at both ends differs by chance alone; what
 * is too short to tell is not refused. */
static bool in_time(const struct find_reading *r, const struct find_step *s)
{
    uint64_t gone = s->done + lost(s);
    double not_done;

    return held_of(&(struct held_readings){.offered = s->offered,
                                           .lost = lost(s),
                                           .open = s->offered > gone ? s->offered - gone : 0,
                                           .together = 1,
                                           .in_flight = s->rate * r->v.service_mean / 1e9,
                                           .tolerance_pct = r->v.tolerance_pct},
                   &not_done) != HELD_NO;
}

/* The queue has grown by no more than half of what the lost ones leave of the share, and by one. */
static bool keeps_up(const struct find_reading *r, const struct find_step *s)
{
    return (double)queued(r, s) <= fmax(allowed(r, s) - (double)lost(s), 0) / 2 + 1;
}

static bool sustained(const struct find_reading *r, const struct find_step *s)
{
    return !r->cut && s->done > 0 && in_time(r, s) && keeps_up(r, s);
}

static bool kept(const struct find_bound *b, double v)
{
    return v < b->limit || (!b->strict && v <= b->limit);
}

/* Which side kept it from holding.  A bound on a side names it; else it is the cause that a run's
 * verdict would have, of what is missing from the step. */
static void name_limit(const struct find_reading *r, struct find_step *s,
                       const struct find_bound *unkept)
{
    static const enum find_limit sides[] = {[FIND_ERRORS_PCT] = FIND_LIMIT_ERRORS,
                                            [FIND_ERRORS_RATE] = FIND_LIMIT_ERRORS,
                                            [FIND_SERVER_CPU] = FIND_LIMIT_SERVER_CPU,
                                            [FIND_CLIENT_CPU] = FIND_LIMIT_CLIENT_CPU};
    struct verdict_readings v = r->v;
    struct verdict cause = {.held = unkept ? HELD_YES : HELD_NO, .missing = missing(s)};

    v.waiting = queued(r, s);
    s->limit = FIND_LIMIT_LATENCY;
    if (unkept && unkept->what != FIND_TIME)
        s->limit = sides[unkept->what];
    else if (verdict_cause(&v, &cause))
        s->limit = cause.side;
    snprintf(s->cause, sizeof s->cause, "%s", cause.why);
}

static void say_unsustained(const struct find_reading *r, struct find_step *s)
{
    if (s->done == 0)
        snprintf(s->why, sizeof s->why, "nothing was done");
    else if (r->cut)
        snprintf(s->why, sizeof s->why, "not sustained: %llu waited for a client after %.2f s",
                 (unsigned long long)s->waiting, dur_sec(s->length));
    else if (in_time(r, s))
        snprintf(s->why, sizeof s->why,
                 "not sustained: %llu more waited for a client than %.2f s before",
                 (unsigned long long)queued(r, s), dur_sec(s->length));
    else
        snprintf(s->why, sizeof s->why, "not sustained: %.1f %% was done in time",
                 100 * (double)s->done / (double)s->offered);
}

static void say_unkept(const struct find_bound *b, double v, struct find_step *s)
{
    char value[TEXT_FIND_SIZE], limit[TEXT_FIND_SIZE];

    if (isfinite(v))
        snprintf(s->why, sizeof s->why, "%s, not %s %s", text_find_value(value, b, v),
                 b->strict ? "<" : "<=", text_find_amount(limit, b, b->limit));
    else
        snprintf(s->why, sizeof s->why, "%s", text_find_value(value, b, v));
}

static bool is_unmeasured(const struct find_bound *b, double v)
{
    return isnan(v) && (b->what == FIND_SERVER_CPU || b->what == FIND_CLIENT_CPU);
}

static void say_unmeasured(const struct find_reading *r, const struct find_bound *b,
                           struct find_step *s)
{
    const char *why = b->what == FIND_SERVER_CPU ? r->no_server_cpu : r->no_client_cpu;
    char name[TEXT_FIND_SIZE];

    s->unmeasured = true;
    snprintf(s->why, sizeof s->why, "%s n/a: %.190s", text_find_name(name, b), why ? why : "?");
}

/* The first bound that is not kept, with its sentence; *unmeasured: the first that has no figure.
 */
static const struct find_bound *unkept_of(const struct find_objective *o, struct find_step *s,
                                          const struct find_bound **unmeasured)
{
    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        if (kept(b, s->value[i]))
            continue;
        if (!is_unmeasured(b, s->value[i])) {
            say_unkept(b, s->value[i], s);
            return b;
        }
        if (!*unmeasured)
            *unmeasured = b;
    }
    return NULL;
}

void find_judge(const struct find_reading *r, struct find_step *s)
{
    const struct find_bound *unkept = NULL, *unmeasured = NULL;

    s->holds = s->unmeasured = false;
    s->limit = FIND_LIMIT_NONE;
    if (!sustained(r, s))
        say_unsustained(r, s);
    else
        unkept = unkept_of(r->objective, s, &unmeasured);
    if (*s->why)
        name_limit(r, s, unkept);
    else if (unmeasured)
        say_unmeasured(r, unmeasured, s);
    else
        s->holds = true;
}
