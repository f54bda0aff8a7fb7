/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See verdict.h.  A bound is cut at its comparison: what is measured on the left, the limit on
 * the right.  The search decides everything anew from the votes at each step; there is no state
 * that could contradict them.
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
#include "engine/verdict.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "report/text.h"

#define TERM_MAX 64

/* --- the objective --- */

/* A copy of [from, to) without the blanks around it; false: it does not fit. */
static bool trim(char out[TERM_MAX], const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if (to - from >= TERM_MAX)
        return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
    return true;
}

static int refuse(const char *term, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --tx-find: '%s' (%s)", term, why);
}

static int unknown(const char *term, struct err *e)
{
    return refuse(term,
                  "bounds such as p99<20ms, avg<=5ms, lag<1ms, errors<1%, errors<5/s or "
                  "cpu<80%, joined by commas",
                  e);
}

/* What is measured: `errors`, `client cpu`, `service p99.9`, `avg`; false: nothing of that name is.
 */
static bool read_name(const char *name, struct find_bound *b)
{
    static const char *const series[] = {"response", "service", "lag"};
    static const struct {
        const char *name;
        enum find_what what;
    } words[] = {{"errors", FIND_ERRORS_PCT},     {"cpu", FIND_SERVER_CPU},
                 {"server cpu", FIND_SERVER_CPU}, {"server-cpu", FIND_SERVER_CPU},
                 {"server_cpu", FIND_SERVER_CPU}, {"client cpu", FIND_CLIENT_CPU},
                 {"client-cpu", FIND_CLIENT_CPU}, {"client_cpu", FIND_CLIENT_CPU}};
    struct err ignored = {0};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].name) == 0) {
            b->what = words[i].what;
            return true;
        }
    b->what = FIND_TIME;
    b->series = FIND_RESPONSE;
    b->point = 99;
    if (strcmp(name, "lag") == 0) {
        b->series = FIND_LAG;
        return true;
    }
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        size_t n = strlen(series[i]);
        if (strncmp(name, series[i], n) != 0 || !name[n] || !strchr(" -_", name[n]))
            continue;
        b->series = (enum find_series)i;
        name += n + 1;
        break;
    }
    if (strcmp(name, "avg") == 0 || strcmp(name, "mean") == 0)
        b->point = FIND_MEAN;
    else if (strcmp(name, "max") == 0)
        b->point = FIND_MAX;
    else
        return name[0] == 'p' && isdigit((unsigned char)name[1]) &&
               units_double(name + 1, 1e-9, 100, &b->point, &ignored) == 0;
    return true;
}

static int read_bound(const char *term, struct find_bound *b, struct err *e)
{
    const char *less = strchr(term, '<');
    char name[TERM_MAX], limit[TERM_MAX], *to = limit;
    struct err ignored = {0};
    dur_ns time;

    b->strict = less && less[1] != '=';
    if (!less || !trim(name, term, less) || !read_name(name, b))
        return unknown(term, e);
    for (const char *p = less + 1 + !b->strict; *p; p++) /* "5 ms" -> "5ms" */
        if (!isspace((unsigned char)*p))
            *to++ = *p;
    *to = '\0';
    if (b->what == FIND_ERRORS_PCT && to - limit >= 3 && strcmp(to - 2, "/s") == 0) { /* "5/s" */
        snprintf(name, sizeof name, "%.*s", (int)(to - limit - 2), limit);
        if (units_double(name, 0, 1e12, &b->limit, &ignored) == 0)
            b->what = FIND_ERRORS_RATE;
    }
    if (b->what == FIND_TIME) {
        if (to == limit || to[-1] != 's')
            return refuse(term, "a time needs a unit: us, ms or s", e);
        if (units_duration(limit, NS_PER_MS, &time, &ignored))
            return unknown(term, e);
        b->limit = (double)time;
    } else if (b->what != FIND_ERRORS_RATE) {
        if (to == limit || to[-1] != '%')
            return refuse(
                term, b->what == FIND_ERRORS_PCT ? "errors need a unit: % or /s" : "CPU is in %",
                e);
        if (units_percent(limit, 0, 100, &b->limit, &ignored))
            return unknown(term, e);
    }
    if (b->strict && b->limit == 0)
        return refuse(term, "nothing is less than 0: <=0 is none at all", e);
    return 0;
}

int find_objective_parse(struct find_objective *o, const char *text, struct err *e)
{
    char term[TERM_MAX];
    size_t skip;

    memset(o, 0, sizeof *o);
    if (strlen(text) >= sizeof o->text)
        return err_set(e, ERR_USAGE, "Invalid value for --tx-find: longer than %zu characters",
                       sizeof o->text - 1);
    snprintf(o->text, sizeof o->text, "%s", text);
    do { /* a term ends at a comma, at ` and `, or with the text */
        const char *end = text;
        while (*end && *end != ',' &&
               !(isspace((unsigned char)*end) && strncasecmp(end + 1, "and", 3) == 0 &&
                 isspace((unsigned char)end[4])))
            end++;
        skip = *end == ',' ? 1 : *end ? 5 : 0;
        if (!trim(term, text, end))
            return unknown(o->text, e);
        if (o->n == FIND_MAX_BOUNDS)
            return err_set(e, ERR_USAGE, "Invalid value for --tx-find: '%s' (at most %d bounds)",
                           o->text, FIND_MAX_BOUNDS);
        if (read_bound(term, &o->bound[o->n++], e))
            return -1;
        text = end + skip;
    } while (skip);
    return 0;
}

/* --- does it hold --- */

/* The rule of a run (verdict.h), where what is in flight at both ends differs by chance alone; what
 * is too short to tell is not refused. */
static bool in_time(const struct find_reading *r, const struct find_step *s)
{
    uint64_t gone = s->done + s->failed + s->dropped;
    struct verdict_readings v = {.offered = s->offered,
                                 .failed = s->failed,
                                 .dropped = s->dropped,
                                 .open = s->offered > gone ? s->offered - gone : 0,
                                 .together = 1,
                                 .target = s->rate,
                                 .service_mean = r->v.service_mean,
                                 .tolerance_pct = r->v.tolerance_pct};
    double not_done;

    return held_of(&v, &not_done) != HELD_NO;
}

/* A CPU that could not be read, or the percentile of too few transactions. */
static bool is_unmeasured(const struct find_bound *b, const struct find_step *s, double v)
{
    if (b->what == FIND_TIME)
        return s->done < find_needs(b->point);
    return isnan(v) && (b->what == FIND_SERVER_CPU || b->what == FIND_CLIENT_CPU);
}

/* The first bound that is not kept, with its sentence; *unmeasured: the first that has no figure.
 */
static const struct find_bound *unkept_of(const struct find_objective *o, struct find_step *s,
                                          const struct find_bound **unmeasured)
{
    char value[TEXT_FIND_SIZE], limit[TEXT_FIND_SIZE];

    for (size_t i = 0; i < o->n; i++) {
        const struct find_bound *b = &o->bound[i];
        double v = s->value[i];
        if ((v < b->limit || (!b->strict && v <= b->limit)) && !is_unmeasured(b, s, v))
            continue;
        if (is_unmeasured(b, s, v)) {
            *unmeasured = *unmeasured ? *unmeasured : b;
            continue;
        }
        if (isfinite(v))
            snprintf(s->why, sizeof s->why, "%s, not %s %s", text_find_value(value, b, v),
                     b->strict ? "<" : "<=", text_find_amount(limit, b, b->limit));
        else
            snprintf(s->why, sizeof s->why, "%s", text_find_value(value, b, v));
        return b;
    }
    return NULL;
}

void find_judge(const struct find_reading *r, struct find_step *s)
{
    static const enum find_limit sides[] = {[FIND_ERRORS_PCT] = FIND_LIMIT_ERRORS,
                                            [FIND_ERRORS_RATE] = FIND_LIMIT_ERRORS,
                                            [FIND_SERVER_CPU] = FIND_LIMIT_SERVER_CPU,
                                            [FIND_CLIENT_CPU] = FIND_LIMIT_CLIENT_CPU};
    const struct find_bound *unkept = NULL, *unmeasured = NULL;
    /* how many more wait for a client than when the step began: at most half of what the lost ones
     * leave of the share, and one */
    uint64_t queued = s->waiting > r->queued_before ? s->waiting - r->queued_before : 0;
    double left = (double)s->offered * r->v.tolerance_pct / 100 - (double)(s->failed + s->dropped);
    char name[TEXT_FIND_SIZE];

    s->holds = s->unmeasured = false;
    s->limit = FIND_LIMIT_NONE;
    if (s->done == 0)
        snprintf(s->why, sizeof s->why, "nothing was done");
    else if (r->cut)
        snprintf(s->why, sizeof s->why, "not sustained: %llu waited for a client after %.2f s",
                 (unsigned long long)s->waiting, dur_sec(s->length));
    else if (!in_time(r, s))
        snprintf(s->why, sizeof s->why, "not sustained: %.1f %% was done in time",
                 100 * (double)s->done / (double)s->offered);
    else if ((double)queued > fmax(left, 0) / 2 + 1)
        snprintf(s->why, sizeof s->why,
                 "not sustained: %llu more waited for a client than %.2f s before",
                 (unsigned long long)queued, dur_sec(s->length));
    else
        unkept = unkept_of(r->objective, s, &unmeasured);
    s->unkept = unkept ? (size_t)(unkept - r->objective->bound) + 1 : 0;
    if (*s->why) {
        /* Which side kept it from holding.  A bound on a side names it; else it is the cause that a
         * run's verdict would have, of what is missing from the step. */
        struct verdict_readings v = r->v;
        struct verdict cause = {.held = unkept ? HELD_YES : HELD_NO,
                                .missing =
                                    s->offered > s->done ? (double)(s->offered - s->done) : 0};
        v.waiting = queued;
        s->limit = FIND_LIMIT_LATENCY;
        if (unkept && unkept->what != FIND_TIME)
            s->limit = sides[unkept->what];
        else if (verdict_cause(&v, &cause))
            s->limit = cause.side;
        snprintf(s->cause, sizeof s->cause, "%s", cause.why);
    } else if (unmeasured) {
        const char *why = unmeasured->what == FIND_SERVER_CPU ? r->no_server_cpu : r->no_client_cpu;
        s->unmeasured = true;
        if (unmeasured->what == FIND_TIME)
            snprintf(s->why, sizeof s->why, "%s of only %llu transaction%s: take longer steps",
                     text_find_name(name, unmeasured), (unsigned long long)s->done,
                     s->done == 1 ? "" : "s");
        else
            snprintf(s->why, sizeof s->why, "%s n/a: %.190s", text_find_name(name, unmeasured),
                     why ? why : "?");
    } else {
        s->holds = true;
    }
}

#define UP    1.25 /* from a rate that holds where no upper end is known */
#define DOWN  0.7  /* from one that does not where no lower end is known */
#define AGAIN 2    /* failures of a rate that does not hold */
#define RANGE 256  /* how far below the start rates are tried */

/* --- the next rate --- */

double search_rounded(double rate)
{

    if (!(rate > 0))
        return 0;
    double power = floor(log10(rate)) - 3;
    double unit = pow(10, fabs(power)); /* a whole number: 154.2, not 154.20000000000002 */
    return power < 0 ? round(rate * unit) / unit : round(rate / unit) * unit;
}

void search_begin(struct search *s, double start, double precision, unsigned confirm,
                  size_t max_steps)
{
    memset(s, 0, sizeof *s);
    s->precision = precision;
    s->confirm = confirm;
    s->max_steps = max_steps < FIND_MAX_STEPS ? max_steps : FIND_MAX_STEPS;
    s->least = fmax(start / RANGE, 1e-3);
    s->most = 1e9;
    s->hint = search_rounded(start);
}

/* --- votes (vote_note) --- */

static bool holds(const struct search_rate *r)
{
    return r->failed < AGAIN && r->held > r->failed;
}

/* --- the bracket (bracket_note) --- */

struct bracket {
    const struct search_rate *low_seen, *high_seen; /* NULL: not by whole steps */
    double low, high;                               /* 0: none */
};

static struct bracket bracket_of(const struct search *s)
{
    struct bracket b = {0};

    for (size_t i = 0; i < s->n && !b.high_seen; i++) {
        const struct search_rate *v = &s->seen[i];
        if (v->failed >= AGAIN || v->failed > v->held)
            b.high_seen = v; /* the lowest that fails */
        else if (holds(v))
            b.low_seen = v; /* the highest below it that holds */
    }
    b.low = b.low_seen ? b.low_seen->rate : 0;
    b.high = b.high_seen ? b.high_seen->rate : 0;
    if (!b.high_seen && s->hint_high > b.low)
        b.high = s->hint_high;
    if (!b.low_seen && (!b.high || s->hint_low < b.high))
        b.low = s->hint_low;
    return b;
}

static double within(const struct search *s, double rate)
{
    rate = search_rounded(rate);
    return rate > s->most ? s->most : rate < s->least ? s->least : rate;
}

/* The next whole step; 0: the search is over, and s->end says how. */
static double whole_step(struct search *s)
{
    struct bracket b = bracket_of(s);
    double rate, factor = 1;

    for (size_t i = 0; i < s->n; i++) { /* one step says yes and one says no */
        const struct search_rate *v = &s->seen[i];
        if (v->failed == v->held && v->failed > 0 && v->failed < AGAIN)
            return v->rate;
        factor += v->rate >= s->hint_high && holds(v) ? UP - 1 : 0;
    }
    if (!b.low) { /* nothing holds so far: go down, and look twice at the lowest rate of all */
        if (b.high > s->least)
            return within(s, b.high * DOWN);
        if (!b.high_seen || b.high_seen->failed < AGAIN)
            return b.high;
        s->end = FIND_NONE;
        return 0;
    }
    /* the brief steps were wrong about the upper end: larger steps with each rate that holds above
     * it */
    if (!b.high && b.low < s->most)
        return within(s, b.low * fmin(fmax(factor, UP), 2));
    if (b.high > b.low * (1 + s->precision)) {
        rate = within(s, sqrt(b.low * b.high));
        if (rate > b.low && rate < b.high)
            return rate;
    }
    /* the ends are close enough: which of them is to be looked at again */
    if (b.high && (!b.high_seen || b.high_seen->failed < AGAIN))
        return b.high;
    if (!b.low_seen || b.low_seen->held < s->confirm)
        return b.low;
    s->end = FIND_FOUND;
    return 0;
}

bool search_next(struct search *s, struct search_ask *ask)
{
    if (s->end)
        return false;
    ask->brief = s->hint > 0;
    ask->rate = ask->brief ? s->hint : whole_step(s);
    if (ask->rate > 0 && s->steps == s->max_steps)
        s->end = FIND_STEPS;
    return s->end == FIND_GOES_ON;
}

void search_tell(struct search *s, const struct search_ask *ask, bool held)
{
    double next = held ? ask->rate * 2 : ask->rate / 2;
    size_t i = 0;

    s->steps++;
    if (ask->brief) { /* doubles, or halves, until both ends are known */
        *(held ? &s->hint_low : &s->hint_high) = ask->rate;
        s->hint = 0;
        if (!(s->hint_low && s->hint_high) && next <= s->most && next >= s->least)
            s->hint = search_rounded(next);
        return;
    }
    while (i < s->n && s->seen[i].rate < ask->rate)
        i++;
    if (i == s->n || s->seen[i].rate != ask->rate) { /* its place in the list */
        memmove(&s->seen[i + 1], &s->seen[i], (s->n++ - i) * sizeof *s->seen);
        s->seen[i] = (struct search_rate){.rate = ask->rate};
    }
    *(held ? &s->seen[i].held : &s->seen[i].failed) += 1;
}

void search_answer(const struct search *s, struct find_record *a)
{
    struct bracket b = bracket_of(s);

    a->end = s->end;
    a->held = b.low_seen ? b.low_seen->rate : 0;
    a->confirmed = b.low_seen ? b.low_seen->held : 0;
    a->not_held = b.high_seen ? b.high_seen->rate : 0;
    if (!b.high_seen && s->hint_high > a->held)
        a->not_held = s->hint_high;
    if (!b.low_seen && s->hint_low && (!a->not_held || s->hint_low < a->not_held))
        a->held = s->hint_low;
}
