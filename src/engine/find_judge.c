/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See find_judge.h.
 *
 * sustained_note: what is missing from a step is what was offered in it and not done in it.  A step
 * begins and ends in the middle of the load, so what is in flight at its two ends differs by
 * chance: with n in flight on average (rate times service time), by a few times the square root of
 * n.  More than that, and more than the share that --tx-strict allows, is a backlog or was lost.
 *
 * What waits for a client is no chance: where that has grown by more than the share, the rate is
 * too high.
 */
#include "engine/find_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_find.h"

#define USED_UP   90.0 /* per cent of the CPUs that a process may use */
#define BY_CHANCE 3.0  /* standard deviations */

static double missing(const struct find_step *s)
{
    return s->offered > s->done ? (double)(s->offered - s->done) : 0;
}

static double by_chance(const struct find_reading *r, const struct find_step *s)
{
    double in_flight = isfinite(r->service_mean) ? s->rate * r->service_mean / 1e9 : 0;

    return 1 + BY_CHANCE * sqrt(in_flight);
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

static bool sustained(const struct find_reading *r, const struct find_step *s)
{
    double allowed = (double)s->offered * r->tolerance_pct / 100;

    return !r->cut && s->done > 0 && missing(s) <= allowed + by_chance(r, s) &&
           (double)(queued(r, s) + lost(s)) <= allowed + 1;
}

static bool kept(const struct find_bound *b, double v)
{
    return v < b->limit || (!b->strict && v <= b->limit);
}

/* Most late starts found no idle client, or what is missing is waiting for one. */
static bool no_idle_client(const struct find_reading *r, const struct find_step *s)
{
    if (r->cut)
        return true;
    return (double)queued(r, s) * 2 > missing(s) + 1 ||
           (r->late * 100 > s->done && r->late_idle * 2 < r->late);
}

static enum find_limit limit_of(const struct find_reading *r, const struct find_step *s,
                                const struct find_bound *unkept)
{
    bool errors = unkept && (unkept->what == FIND_ERRORS_PCT || unkept->what == FIND_ERRORS_RATE);

    if (errors || (double)lost(s) * 2 > missing(s) + 1)
        return FIND_LIMIT_ERRORS;
    if (s->client_busy_pct > USED_UP)
        return FIND_LIMIT_CLIENT_CPU;
    if (s->server_busy_pct > USED_UP || (unkept && unkept->what == FIND_SERVER_CPU))
        return FIND_LIMIT_SERVER_CPU;
    if (unkept && unkept->what == FIND_CLIENT_CPU)
        return FIND_LIMIT_CLIENT_CPU;
    return no_idle_client(r, s) ? FIND_LIMIT_CLIENTS : FIND_LIMIT_LATENCY;
}

static void say_unsustained(const struct find_reading *r, struct find_step *s)
{
    if (s->done == 0)
        snprintf(s->why, sizeof s->why, "nothing was done");
    else if (r->cut)
        snprintf(s->why, sizeof s->why, "not sustained: %llu waited for a client after %.2f s",
                 (unsigned long long)s->waiting, dur_sec(s->length));
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

void find_judge(const struct find_reading *r, struct find_step *s)
{
    const struct find_objective *o = r->objective;
    const struct find_bound *unkept = NULL;

    s->holds = false;
    if (!sustained(r, s))
        say_unsustained(r, s);
    for (size_t i = 0; i < o->n && !*s->why; i++) {
        if (kept(&o->bound[i], s->value[i]))
            continue;
        unkept = &o->bound[i];
        say_unkept(unkept, s->value[i], s);
    }
    s->holds = !*s->why;
    s->limit = s->holds ? FIND_LIMIT_NONE : limit_of(r, s, unkept);
}

const char *find_unreadable(const struct find_objective *o, const struct find_step *s)
{
    for (size_t i = 0; i < o->n; i++) {
        enum find_what what = o->bound[i].what;
        if (!isnan(s->value[i]))
            continue;
        if (what == FIND_SERVER_CPU)
            return "server CPU";
        if (what == FIND_CLIENT_CPU)
            return "client CPU";
    }
    return NULL;
}
