/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See find_search.h.  Everything is decided anew from the votes at each step; there is no state
 * that could contradict them.
 */
#include "engine/find_search.h"

#include <math.h>
#include <string.h>

#define UP    1.25 /* from a rate that holds where no upper end is known */
#define DOWN  0.7  /* from one that does not where no lower end is known */
#define AGAIN 2    /* failures of a rate that does not hold */
#define RANGE 256  /* how far below the start rates are tried */

double search_rounded(double rate)
{
    double power, unit;

    if (!(rate > 0))
        return 0;
    power = floor(log10(rate)) - 3;
    unit = pow(10, fabs(power)); /* a whole number: 154.2, not 154.20000000000002 */
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

static bool fails(const struct search_rate *r)
{
    return r->failed >= AGAIN || r->failed > r->held;
}

/* One step says yes and one says no. */
static bool is_split(const struct search_rate *r)
{
    return r->failed == r->held && r->failed > 0 && r->failed < AGAIN;
}

/* The place of a rate in the list; it is made if need be. */
static struct search_rate *place(struct search *s, double rate)
{
    size_t i = 0;

    while (i < s->n && s->seen[i].rate < rate)
        i++;
    if (i < s->n && s->seen[i].rate == rate)
        return &s->seen[i];
    memmove(&s->seen[i + 1], &s->seen[i], (s->n - i) * sizeof *s->seen);
    s->n++;
    s->seen[i] = (struct search_rate){.rate = rate};
    return &s->seen[i];
}

/* --- the bracket (bracket_note) --- */

/* The lowest rate that fails; NULL: none does. */
static const struct search_rate *upper(const struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (fails(&s->seen[i]))
            return &s->seen[i];
    return NULL;
}

/* The highest rate below `high` that holds; NULL: none does. */
static const struct search_rate *lower(const struct search *s, const struct search_rate *high)
{
    const struct search_rate *end = high ? high : &s->seen[s->n];

    while (end-- > s->seen)
        if (holds(end))
            return end;
    return NULL;
}

struct bracket {
    const struct search_rate *low_seen, *high_seen; /* NULL: not by whole steps */
    double low, high;                               /* 0: none */
};

static struct bracket bracket_of(const struct search *s)
{
    struct bracket b = {.high_seen = upper(s)};

    b.low_seen = lower(s, b.high_seen);
    b.low = b.low_seen ? b.low_seen->rate : 0;
    b.high = b.high_seen ? b.high_seen->rate : 0;
    if (!b.high_seen && s->hint_high > b.low)
        b.high = s->hint_high;
    if (!b.low_seen && (!b.high || s->hint_low < b.high))
        b.low = s->hint_low;
    return b;
}

static const struct search_rate *split_rate(const struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (is_split(&s->seen[i]))
            return &s->seen[i];
    return NULL;
}

static double within(const struct search *s, double rate)
{
    rate = search_rounded(rate);
    return rate > s->most ? s->most : rate < s->least ? s->least : rate;
}

/* A rate between the ends; 0: they are close enough. */
static double middle(const struct search *s, const struct bracket *b)
{
    double rate;

    if (b->high <= b->low * (1 + s->precision))
        return 0;
    rate = within(s, sqrt(b->low * b->high));
    return rate > b->low && rate < b->high ? rate : 0;
}

/* The ends are close enough: which of them is to be looked at again; 0: neither. */
static double doubtful_end(const struct search *s, const struct bracket *b)
{
    if (b->high && (!b->high_seen || b->high_seen->failed < AGAIN))
        return b->high;
    if (!b->low_seen || b->low_seen->held < s->confirm)
        return b->low;
    return 0;
}

/* The brief steps were wrong about the upper end: larger steps with each rate that holds above it.
 */
static double up(const struct search *s)
{
    double factor = 1;

    for (size_t i = 0; i < s->n; i++)
        factor += s->seen[i].rate >= s->hint_high && holds(&s->seen[i]) ? UP - 1 : 0;
    return fmin(fmax(factor, UP), 2);
}

/* Nothing holds so far: go down, and look twice at the lowest rate of all. */
static double lower_still(struct search *s, const struct bracket *b)
{
    if (b->high > s->least)
        return within(s, b->high * DOWN);
    if (!b->high_seen || b->high_seen->failed < AGAIN)
        return b->high;
    s->end = FIND_NONE;
    return 0;
}

/* The next whole step; 0: the search is over, and s->end says how. */
static double whole_step(struct search *s)
{
    const struct search_rate *split = split_rate(s);
    struct bracket b = bracket_of(s);
    double rate;

    if (split)
        return split->rate;
    if (!b.low)
        return lower_still(s, &b);
    if (!b.high && b.low < s->most)
        return within(s, b.low * up(s));
    rate = b.high ? middle(s, &b) : 0;
    if (!rate)
        rate = doubtful_end(s, &b);
    if (!rate)
        s->end = FIND_FOUND;
    return rate;
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

/* Doubles, or halves, until both ends are known. */
static void tell_brief(struct search *s, double rate, bool held)
{
    double next = held ? rate * 2 : rate / 2;

    *(held ? &s->hint_low : &s->hint_high) = rate;
    s->hint = 0;
    if (s->hint_low && s->hint_high)
        return;
    if (next <= s->most && next >= s->least)
        s->hint = search_rounded(next);
}

void search_tell(struct search *s, const struct search_ask *ask, bool held)
{
    struct search_rate *r;

    s->steps++;
    if (ask->brief) {
        tell_brief(s, ask->rate, held);
        return;
    }
    r = place(s, ask->rate);
    *(held ? &r->held : &r->failed) += 1;
}

void search_pass(struct search *s)
{
    s->steps++;
}

void search_answer(const struct search *s, struct search_answer *a)
{
    const struct search_rate *high = upper(s), *low = lower(s, high);

    *a = (struct search_answer){.end = s->end};
    if (low) {
        a->held = low->rate;
        a->confirmed = low->held;
    }
    if (high)
        a->not_held = high->rate;
    else if (s->hint_high > a->held)
        a->not_held = s->hint_high;
    if (!low && s->hint_low && (!a->not_held || s->hint_low < a->not_held))
        a->held = s->hint_low;
}
