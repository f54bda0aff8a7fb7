/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See verdict.h.  All causes are rows of one table: a bound on the rate, or a share of what is
 * missing or late, or both; the words; the remedy.  Nothing is tried in an order: the smallest
 * bound below the rate is the cause, else the largest share, if that is half or more of all
 * (cause_note).
 */
#include "engine/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/causes.h"
#include "report/text.h"

#define TOO_SHORT 0.2       /* what is usually in flight, as a share of what was offered */
#define ALSO      (1.0 / 3) /* a second cause is worth naming */
#define WORTH     0.05      /* and a part where no cause is known */
#define SIDES     (FIND_LIMIT_CPU_WAIT + 1)
#define CHANCE    0.1  /* of the time that transactions take */
#define FAR       4    /* times: all else is little */
#define BURSTS    0.75 /* the same where starts come in bursts: the calmest part has few */
#define TURNS     10.0 /* per cent; 20 if clients have nothing to do with each other */
#define MOSTLY    0.75 /* of their time, transactions are known not to have waited */
#define LEAST     0.01 /* of a service that is not waiting */
#define BEYOND    1.1  /* CPU time of a transaction is as exact as that */
#define LITTLE    10.0 /* of a service time one part, by which a start is late */
#define TRACE     0.1  /* of a cause, in one of several stretches: it was there, too */

/* What is in flight at the end of a span without a backlog; NaN: no transaction ended. */
static double usual(const struct verdict_readings *r)
{
    return fmin(r->rate_end * r->calm / 1e9, r->clients ? r->clients : INFINITY);
}

/* On average, in this span; 0: no transaction ended. */
static double in_flight(const struct verdict_readings *r)
{
    double n = r->target * r->service_mean / 1e9;

    return isfinite(n) ? fmin(n, r->clients ? r->clients : INFINITY) : 0;
}

enum held held_of(const struct verdict_readings *r, double *missing)
{
    double allowed = (double)r->offered * r->tolerance_pct / 100;
    double lost = (double)(r->failed + r->withdrawn + r->dropped);
    double open = isfinite(r->calm) ? usual(r) : 0;
    double piled = fmax((double)r->open - open - r->together, 0);
    double chance = BY_CHANCE * sqrt(in_flight(r));

    *missing = fmin(lost + piled, (double)r->offered);
    if (lost + fmax(piled - (chance > allowed ? chance : 0), 0) > allowed)
        return HELD_NO;
    if (r->offered && (*missing > allowed || open > (double)r->offered * TOO_SHORT))
        return HELD_UNKNOWN;
    return HELD_YES;
}

/* --- how the time was spent --- */

/* What is judged: a span, and the stretches of it in which nearly all was lost, if these are few
 * and short.  Then a cause is sought in each of them, by its own figures; `lost` is its share. */
struct judged {
    struct account all, part[BACKLOG_STRETCHES], several; /* several: from one of them to another */
    struct verdict_readings r[BACKLOG_STRETCHES], between;
    double lost[BACKLOG_STRETCHES];
    size_t n; /* 0: the span as a whole */
};

/* What is known to have been waited for. */
static double known_waits(const struct verdict_readings *r)
{
    return fmax(cpu_waits(r), 0) + fmax((double)r->lock_wait, 0) + (double)r->retried +
           verdict_latches(r) + fmax((double)r->self_wait, (double)r->throttled * r->own);
}

/* As many transactions ended in the second half as in the first: what makes them wait lets through
 * a rate of its own.  If it were less and less, the server itself would be getting slower. */
static bool is_steady(const struct verdict_readings *r)
{
    if (!r->backlog)
        return true;
    uint64_t from = backlog_at(r->backlog, r->from).ended, to = backlog_at(r->backlog, r->to).ended;
    double first = (double)(backlog_at(r->backlog, r->from + (r->to - r->from) / 2).ended - from);
    double second = (double)(to - from) - first;

    return second > 0.8 * first || first - second < 2 * sqrt(first + second);
}

/* The mean service time, without a standstill of a quarter of the span. */
static double moving(const struct verdict_readings *r)
{
    if (!r->backlog)
        return r->service_mean;
    const struct backlog_point from = backlog_at(r->backlog, r->from);
    const struct backlog_point to = backlog_at(r->backlog, r->to);
    const struct backlog_silence still = backlog_silence(r->backlog, r->from, r->to);

    if (still.length * 4 < r->to - r->from || to.ended == from.ended)
        return r->service_mean;
    return fmax(to.busy - from.busy - still.busy, 0) / (double)(to.ended - from.ended);
}

/* A transaction in an unloaded system takes no longer than in the calmest part of the run, or, if
 * no part was worse than the others, or worse than by chance, than on average; and there without
 * what it is known, outside of the stretches, to have waited for; *kept: the share of its time that
 * is left.  Transactions of widely different times that yet end at even intervals take turns.  If
 * the first ones, begun before others were under way, took much less than nearly all of the rest,
 * the rest waited for each other, or each took longer than the one before. */
static double unloaded(const struct judged *j, double *kept, bool *crowded)
{
    const struct verdict_readings *r = j->all.r;
    double known = known_waits(r), sum = service_sum(r);
    double each = r->calm;
    dur_ns from = r->from, to = r->to;

    for (size_t i = 0; i < j->n; i++) {
        known -= known_waits(&j->r[i]);
        sum -= service_sum(&j->r[i]);
    }
    bool turns = r->spread > HALF * r->service_mean && r->short_pct < TURNS && !r->think;
    bool alone = turns || (r->early * APART < fmin(r->least, r->calm) && r->clients > 1);

    *crowded = turns || (alone && is_steady(r));
    if (r->backlog && isfinite(each))
        backlog_worst(r->backlog, &from, &to, each);
    double off = BY_CHANCE * r->spread / sqrt(fmax((double)r->service_n / 8, 1));
    bool chance = off < HALF * r->service_mean && r->service_mean - each < off;
    if (!alone && r->service_n && (is_most(r, to - from) || chance))
        each = moving(r);
    *kept = fmax(1 - part_of(known, sum), LEAST);
    /* so little may have been waited by others: nearly all transactions took longer than that */
    each = fmax(each * *kept, *kept > MOSTLY ? fmin(r->least, each) : 0);
    /* one in turn: the server cannot take longer for each */
    return turns ? fmin(each, r->service_mean / r->clients) : alone ? fmin(each, r->early) : each;
}

static void divide(struct account *a)
{
    const struct verdict_readings *r = a->r;
    const struct backlog *b = r->backlog;
    double open = (double)(r->open > r->waiting ? r->open - r->waiting : 0);
    double begins = (double)(r->waiting + r->dropped), off = a->off, all;

    a->excess = isfinite(a->each) ? fmax(busy_sum(a) - count_sum(r) * a->each, 0) : 0;
    if (b && isfinite(a->each)) {
        a->loss = backlog_loss(b, r->from, r->to,
                               &(struct backlog_usual){r->own, a->each, (double)r->think, off,
                                                       r->uneven ? BURSTS : CHANCE});
        a->silence = backlog_silence(b, r->from, r->to);
    }
    if (r->own < r->clients && r->stopped > a->loss.late) /* another load host was stopped */
        a->loss.idle += (double)(r->stopped - a->loss.late) * r->own;
    if (r->together > 1) /* each client has starts of its own */
        a->loss.idle = 0;
    /* they were begun: there were clients enough, or none of them ended anything */
    if (a->missed && (begins < open || (r == a->all && a->ended <= 0))) {
        a->slow = 1;
        return;
    }
    all = a->loss.idle + a->loss.busy + a->loss.burst;
    /* A backlog that was worked off is of starts that came late, and of those that were begun and
     * took long (Little).  Where points do not tell, late ones waited no longer than that each. */
    double waited = all > 0 ? all : (double)r->late * (double)r->lag_max;
    if (!a->missed && a->all->peak && a->excess > FAR * waited) {
        a->loss.busy += a->excess;
        all += a->excess;
    }
    if (all > 0) {
        a->late = a->loss.idle / all;
        a->slow = a->loss.busy / all;
        a->burst = a->loss.burst / all;
    } else if (r->late) { /* between two points */
        if (b)
            a->loss.idle = backlog_at(b, r->to).woken - backlog_at(b, r->from).woken;
        a->late = fmax(part_of((double)r->late_idle, (double)r->late),
                       part_of((double)r->worst_wake, (double)r->lag_max));
        *((double)r->longest > 2 * a->each + 3 * off ? &a->slow : &a->burst) = 1 - a->late;
    } else {
        a->slow = 1; /* nothing was late: what made transactions slow */
    }
    if (a->missed && !r->uneven && a->burst >= HALF && r->service_n &&
        (a->each + (double)r->think) * r->target < r->clients * 1e9)
        a->each = moving(r); /* an even rate has no bursts: it is beyond the clients */
}

/* --- the choice --- */

/* Of what is missing or late; of stretches, in all of them. */
static double share(const struct judged *j, const struct row *row)
{
    double sum = 0;

    if (!row->part || !j->n || row->missing) /* what is missing has no time */
        return row->part ? row->part(&j->all) : 0;
    for (size_t i = 0; i < j->n; i++)
        sum += j->lost[i] * row->part(&j->part[i]);
    return sum;
}

/* The figures of bounds: they are of a whole, or of the only stretch. */
static const struct account *bounds(const struct judged *j)
{
    return j->n == 1 ? &j->part[0] : &j->all;
}

static void begin_part(const struct judged *j, struct account *a, const struct verdict_readings *r,
                       dur_ns from, dur_ns to)
{
    *a = j->all;
    a->from = from;
    a->to = to;
    a->r = r;
    a->loss = (struct backlog_loss){0};
    a->late = a->slow = a->burst = 0;
    a->ended = (double)(r->in_time + r->failed) / dur_sec(r->scheduled);
    divide(a);
}

/* The span that a sentence tells of: that of the stretches in which the cause has its share. */
static const struct account *span_of(struct judged *j, const struct row *row)
{
    double all = share(j, row);
    size_t first = j->n, last = 0;

    for (size_t i = 0; row->part && i < j->n; i++)
        if (j->lost[i] * row->part(&j->part[i]) > TRACE * all) {
            first = first < i ? first : i;
            last = i;
        }
    if (first >= j->n)
        return bounds(j);
    if (first == last)
        return &j->part[first];
    dur_ns from = j->part[first].from, to = j->part[last].to;
    j->all.r->part(j->all.r, from, to, &j->between);
    begin_part(j, &j->several, &j->between, from, to);
    return &j->several;
}

/* When it was, after the first clause, unless the sentence says so already, or tells of a backlog
 * that the stretch is most of. */
static void insert_when(const struct account *a)
{
    const struct verdict_readings *all = a->all;
    char span[64], rest[VERDICT_WHY], *p = a->v->why;

    if (a->r == all || strstr(p, " second ") ||
        (a->v->held == HELD_YES && all->peak && a->from < all->peak_to && a->to > all->peak_from &&
         (a->to - a->from) * 2 > all->peak_to - all->peak_from))
        return;
    while (*p && !(strchr(",;:", *p) && p[1] == ' ') && strncmp(p, " (", 2) != 0)
        p++;
    snprintf(rest, sizeof rest, "%s", p);
    *p = '\0';
    say(a->v, "%s%s", say_when(span, all, a->from, a->to), rest);
}

static bool settle(struct judged *j, const struct row *row)
{
    const struct account *a = span_of(j, row);

    row->say(a);
    insert_when(a);
    a->v->side = row->side;
    return true;
}

/* A bound below the rate: what of the missing it explains, whatever else was lost. */
static const struct row *bounded(const struct account *a, double *part)
{
    double bound, target = a->r->target;
    const struct row *row = a->missed ? causes_smallest(a, 0, &bound) : NULL;

    *part = 0;
    if (!row || !(bound < target))
        return NULL;
    *part = a->ended < target ? part_of(target - fmax(bound, a->ended), target - a->ended) : 1;
    return row;
}

/* And the bound behind it. */
static void settle_bound(struct judged *j, const struct row *row)
{
    const struct account *a = bounds(j);
    double next;
    char buf[32];
    const struct row *behind;

    row->say(a);
    insert_when(a);
    a->v->side = row->side;
    behind = causes_smallest(a, fmax(row->bound(a), a->ended), &next);
    if (behind && next < 2 * a->r->target && strlen(a->v->why) + 80 < sizeof a->v->why)
        say(a->v, "; then %s is the limit, at about %s/s", behind->name, say_rate(buf, next));
}

/* Where transactions are slow, and nothing need be missing: a CPU that is used up. */
static bool used_up(struct judged *j)
{
    const struct account *a = bounds(j);
    double bound;
    const struct row *row = causes_smallest(a, 0, &bound);

    if (!row || row->side == FIND_LIMIT_CLIENTS || bound * USED_UP / 100 > a->ended)
        return false;
    return settle(j, row);
}

static void begin(struct judged *j, const struct verdict_readings *r, bool parts, struct verdict *v)
{
    struct account *a = &j->all;
    struct backlog_stretch s[BACKLOG_STRETCHES];
    double kept, lost = 0;

    *a = (struct account){
        .r = r, .all = r, .v = v, .missed = v->held != HELD_YES, .missing = v->missing};
    a->ended = r->scheduled > 0 ? (double)(r->in_time + r->failed) / dur_sec(r->scheduled) : 0;
    *v->why = '\0';
    j->n = 0;
    const struct backlog_chance u = {in_flight(r), r->uneven, !a->missed && !r->peak};
    if (parts && r->part)
        j->n = backlog_stretches(r->backlog, r->from, r->to, &u, s);
    if (parts && r->part && !j->n && !a->missed && r->peak &&
        (r->peak_to - r->peak_from) * 2 < r->to - r->from)
        s[j->n++] = (struct backlog_stretch){fmax(r->peak_from - r->calm, r->from), r->peak_to,
                                             (double)r->peak};
    for (size_t i = 0; i < j->n; i++) {
        r->part(r, s[i].from, s[i].to, &j->r[i]);
        lost += s[i].lost;
    }
    if (!u.woken && lost < HALF * (a->missed ? v->missing : (double)r->peak))
        j->n = 0;
    a->each = unloaded(j, &kept, &a->crowded);
    a->off = BY_CHANCE * r->spread * kept; /* what was waited for is no chance */
    for (size_t i = 0; i < j->n; i++) {
        j->lost[i] = s[i].lost / lost;
        begin_part(j, &j->part[i], &j->r[i], s[i].from, s[i].to);
        j->part[i].missing = s[i].lost;
    }
    divide(a);
}

/* A hint is due: the rate was missed, or more than one start in a hundred was late, not only by
 * what is little beside the service time. */
static bool is_short(const struct verdict_readings *r, const struct verdict *v)
{
    bool little = r->lag_max >= 0 && (double)r->lag_max * LITTLE < r->service_mean;

    return v->held != HELD_YES || (r->late * 100 > r->done && !little) || r->peak;
}

/* Causes that have one remedy add up: the side with the largest sum, if that is half or more, and
 * of it the largest.  *also: the next one, if it is worth naming. */
static const struct row *largest(const struct judged *j, double *most, const struct row **also,
                                 double *second)
{
    double part[CAUSES], sum[SIDES] = {0};
    const struct row *first = NULL;
    size_t side = 0;

    *most = *second = 0;
    *also = NULL;
    for (size_t i = 0; i < CAUSES; i++) {
        part[i] = share(j, causes[i]);
        sum[causes[i]->side] += part[i];
    }
    for (size_t i = 1; i < SIDES; i++)
        side = sum[i] > sum[side] ? i : side;
    for (size_t i = 0; i < CAUSES; i++)
        if (causes[i]->side == side && part[i] > *most)
            *most = part[i], first = causes[i];
    for (size_t i = 0; i < CAUSES; i++)
        if (causes[i] != first && part[i] > *second)
            *second = part[i], *also = causes[i];
    if (*second > *most && *second >= HALF) { /* alone it explains more than any of that side */
        const struct row *other = first;
        double least = *most;
        first = *also, *most = *second;
        *also = other, *second = least;
        return first;
    }
    return sum[side] < HALF ? NULL : first;
}

/* Transactions waited inside the server, and not for its CPUs, which were idle more than half of
 * the time: what they used meanwhile is no demand of an unloaded system. */
static bool is_inside(const struct account *a, const struct row *first, const struct row *limit)
{
    return first && first->side == FIND_LIMIT_LATENCY && limit->side == FIND_LIMIT_SERVER_CPU &&
           limit->bound(a) > 2 * a->ended;
}

/* More CPU time than there is: without others the rate would not have been held either. */
static bool is_beyond(const struct account *a, const struct row *limit)
{
    return limit->side != FIND_LIMIT_CLIENTS && limit->bound(a) * BEYOND < a->r->target;
}

/* What the shares are of. */
static const char *whole(const struct account *a)
{
    return a->missed ? "the shortfall" : "the delay";
}

static void say_also(const struct account *a, double part, const struct row *row)
{
    if (strlen(a->v->why) + 80 < sizeof a->v->why)
        say(a->v, "; %.0f%% of %s is %s", 100 * part, whole(a), row->name);
}

static bool cause_of(struct judged *j)
{
    const struct verdict_readings *r = j->all.r;
    const struct account *a = bounds(j);
    double most, second, explained, bound;
    const struct row *first, *also, *limit;

    for (size_t i = 0; i < CAUSES; i++)
        if (causes[i]->missing && causes[i]->part(&j->all) > HALF) {
            j->n = 0;
            return settle(j, causes[i]);
        }
    first = largest(j, &most, &also, &second);
    limit = bounded(a, &explained);
    if (limit && !is_inside(a, first, limit)) {
        double other = (first ? most : 0) * (1 - explained);
        if (explained >= other || is_beyond(a, limit)) {
            settle_bound(j, limit);
            if (explained < HALF && other > ALSO)
                say_also(a, other, first);
            return true;
        }
    }
    if (a->slow >= HALF && used_up(j))
        return true;
    if (!is_short(r, a->v) && a->excess < HALF * service_sum(r))
        return false;
    if (!first) { /* nothing is large, but there was hardly room for anything */
        limit = a->missed ? causes_smallest(a, 0, &bound) : NULL;
        return limit && bound * BEYOND > r->target && bound * USED_UP / 100 < r->target &&
               settle(j, limit);
    }
    settle(j, first);
    if (second > ALSO)
        say_also(a, second, also);
    return true;
}

/* Where the stretches do not tell, the whole may. */
static bool seek(struct judged *j, const struct verdict_readings *r, struct verdict *v)
{
    begin(j, r, true, v);
    if (cause_of(j))
        return true;
    if (!j->n)
        return false;
    begin(j, r, false, v);
    return cause_of(j);
}

bool verdict_cause(const struct verdict_readings *r, struct verdict *v)
{
    struct judged j;

    return seek(&j, r, v);
}

bool verdict_own_cpu(const struct verdict_readings *r, struct verdict *v)
{
    double all = (r->self_cpu_pct + r->self_wait_pct) / own_threads(r);
    struct account a = {.r = r, .v = v};

    *v->why = '\0';
    if (verdict_self_pct(r) <= USED_UP && (all <= USED_UP || r->self_cpu_pct <= r->self_wait_pct))
        return false;
    a.ended = INFINITY;
    cause_own_cpu.say(&a);
    return true;
}

/* What explains a little of it, and that nothing else does. */
static void say_unknown(const struct judged *j)
{
    const struct account *a = &j->all;
    const char *between = "";

    say(a->v, "why is not known");
    for (size_t i = 0; i < CAUSES && strlen(a->v->why) + 90 < sizeof a->v->why; i++) {
        double part = share(j, causes[i]);
        if (part < WORTH)
            continue;
        say(a->v, "%s%s %.0f%%", *between ? between : ": ", causes[i]->name, 100 * part);
        between = ", ";
    }
    if (*between)
        say(a->v, " of %s, and nothing else", whole(a));
    else
        say(a->v, ": nothing that is measured accounts for it");
}

void verdict_of(const struct verdict_readings *r, struct verdict *v)
{
    char cause[VERDICT_WHY], buf[32], took[32], until[32], many[48] = "a backlog";
    struct judged j;

    *v = (struct verdict){0};
    v->held = held_of(r, &v->missing);
    if (v->held == HELD_UNKNOWN) {
        say(v,
            "%llu of %llu were unfinished when the schedule ended, %.1f are usual (%s/s x %s ms), "
            "and the rest may be chance; raise --%s",
            (ull)r->open, (ull)r->offered, usual(r), say_rate(buf, r->rate_end),
            say_ms(took, r->calm), r->events ? "events" : "time");
        return;
    }
    if (!is_short(r, v))
        return;
    if (!seek(&j, r, v))
        say_unknown(&j);
    if (v->held == HELD_YES && r->peak) {
        /* a backlog that was worked off in time is in the latencies all the same */
        memcpy(cause, v->why, sizeof cause);
        *v->why = '\0';
        snprintf(took, sizeof took, "%.1f", dur_sec(r->peak_from));
        snprintf(until, sizeof until, "%.1f", dur_sec(r->peak_to));
        bool moment = strcmp(took, until) == 0;
        if (r->peaks > 1)
            snprintf(many, sizeof many, "%zu backlogs, the largest", r->peaks);
        say(v, "after %s of up to %s transactions %s second %s%s%s%s%s%.*s", many,
            text_grouped(buf, r->peak), moment ? "at" : "between", took, moment ? "" : " and ",
            moment ? "" : until,
            r->late * 20 > r->done    ? "; p95 includes it"
            : r->late * 100 > r->done ? "; p99 includes it"
                                      : "",
            *cause ? ": " : "", (int)sizeof cause - 140, cause);
    }
}
