/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The causes that are errors: transactions that failed, statements that failed, outages.  See
 * causes.h.
 */
#include "engine/causes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* Nothing succeeded, since errors began. */
static double silent(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double waited = (double)a->loss.waited;
    double all = (a->missed ? a->missing : (double)r->late) / r->target * 1e9;

    return part_of((double)r->away, waited > 0 ? fmin(all, waited) : all);
}

/* The most frequent error is that of an outage. */
static bool of_outage(const struct verdict_readings *r)
{
    return r->outages && r->error.class && r->away_error.class &&
           strcmp(r->error.code, r->away_error.code) == 0;
}

/* The server gave up what waited: where that was for a lock, whoever held it is the cause. */
static bool gave_up(const struct verdict_error *e)
{
    return e->class && (!strcmp(e->class, "lock-wait") || !strcmp(e->class, "cancelled"));
}

/* Attempts wait for locks of other sessions, too, before they fail.  Those of own transactions are
 * part of what deadlocks cost. */
static double behind_locks(const struct account *a)
{
    double behind = part_of((double)a->r->lock_behind, (double)a->r->lock_wait);

    return cause_locks.part(a) * (gave_up(&a->r->error) ? 1 : behind);
}

/* Attempts that failed: half of all, or of the time beyond what transactions take and locks of
 * others. */
static double attempts(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double all = (double)(r->done + r->errors);

    if (!r->error.class)
        return 0;
    if (a->missed && (double)r->errors * 2 > fmin(a->missing, all))
        return fmax(1 - silent(a) - behind_locks(a), 0);
    return fmin(a->slow * part_of((double)r->retried - (double)r->away * r->own, a->excess),
                a->slow - behind_locks(a));
}

static double outages(const struct account *a)
{
    return of_outage(a->r) ? fmax(silent(a), attempts(a)) : silent(a);
}

static void say_outages(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    char buf[MOST_FREQUENT], many[48] = "";

    if (r->outages > 1)
        snprintf(many, sizeof many, "in %zu outages, ", r->outages);
    say(a->v, "no transaction succeeded %s%s%.3f s%s (%s); see Outages", many,
        r->outages > 1 ? "" : "for ", dur_sec(r->away), r->outages > 1 ? " in all" : "",
        r->away_error.class ? say_error(buf, &r->away_error) : "errors");
}

CAUSE(outages, "outages", ERRORS, .part = outages);

/* Failed or withdrawn transactions are what is missing, or, unless the server was away, most of all
 * that ended.  Those of an outage that explains half are the outage's. */
static double failures(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    double lost = (double)(r->failed + r->withdrawn), of = a->missing;

    if (outages(a) < HALF)
        of = fmin(of, (double)r->done + lost);
    else if (of_outage(r) && !r->withdrawn)
        return 0;
    if (gave_up(&r->error))
        lost -= (double)r->failed * behind_locks(a);
    return a->missed ? part_of(lost, of) : 0;
}

static void say_failures(const struct account *a)
{
    const struct verdict_readings *r = a->r;
    ull failed = r->failed, withdrawn = r->withdrawn, offered = r->offered;
    char buf[MOST_FREQUENT];

    if (!withdrawn && r->error.class)
        say(a->v, "%llu of %llu transactions failed (%s); fix this first", failed, offered,
            say_error(buf, &r->error));
    else if (!withdrawn)
        say(a->v, "%llu of %llu transactions failed; fix their errors first", failed, offered);
    else if (!failed)
        say(a->v, "the script withdrew %llu of %llu transactions; check its event loop", withdrawn,
            offered);
    else
        say(a->v, "of %llu transactions %llu failed and the script withdrew %llu; fix these first",
            offered, failed, withdrawn);
}

CAUSE(failures, "failures", ERRORS, .missing = true, .part = failures);

static double errors(const struct account *a)
{
    return of_outage(a->r) ? 0 : attempts(a);
}

static void say_errors(const struct account *a)
{
    char buf[MOST_FREQUENT];

    say(a->v, "%s; fix this first", say_error(buf, &a->r->error));
}

CAUSE(errors, "errors", ERRORS, .missing = true, .part = errors);

void say_fatal(const struct verdict_readings *r, struct verdict *v)
{
    char buf[MOST_FREQUENT];

    *v->why = '\0';
    if (r->away_error.class)
        say(v, "%s; fix this first", say_error(buf, &r->away_error));
}
