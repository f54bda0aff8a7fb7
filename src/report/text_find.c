/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search for the highest rate as text: a line for each step when it ends, the block of the
 * final report, and one sentence.  Times are in ms with three significant digits, as a person
 * compares them with the objective.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_blocks.h"
#include "report/text_table.h"

/* A step that is so many times slower, at a rate so many times lower: not by chance. */
#define UNSTEADY 2.0
#define LOWER    1.1

const char *text_find_amount(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v)
{
    static const char *const unit[] = {
        [FIND_TIME] = " ms", [FIND_ERRORS_RATE] = "/s", [FIND_ERRORS_PCT] = " %"};
    char number[40];

    if (!isfinite(v))
        return strcpy(buf, "n/a");
    if (b->what == FIND_SERVER_CPU || b->what == FIND_CLIENT_CPU)
        snprintf(buf, TEXT_FIND_SIZE, "%.1f %%", v);
    else
        snprintf(buf, TEXT_FIND_SIZE, "%s%s",
                 text_digits(number, b->what == FIND_TIME ? v / 1e6 : v, 3), unit[b->what]);
    return buf;
}

const char *text_find_name(char buf[TEXT_FIND_SIZE], const struct find_bound *b)
{
    static const char *const names[] = {[FIND_ERRORS_PCT] = "errors",
                                        [FIND_ERRORS_RATE] = "errors",
                                        [FIND_SERVER_CPU] = "server CPU",
                                        [FIND_CLIENT_CPU] = "client CPU"};
    static const char *const series[] = {"", "service ", "lag "};

    if (b->what != FIND_TIME)
        snprintf(buf, TEXT_FIND_SIZE, "%s", names[b->what]);
    else if (b->point == FIND_MEAN || b->point == FIND_MAX)
        snprintf(buf, TEXT_FIND_SIZE, "%s%s", series[b->series],
                 b->point == FIND_MEAN ? "avg" : "max");
    else
        snprintf(buf, TEXT_FIND_SIZE, "%sp%.12g", series[b->series], b->point);
    return buf;
}

const char *text_find_value(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v)
{
    char amount[TEXT_FIND_SIZE];
    size_t n = strlen(text_find_name(buf, b));

    snprintf(buf + n, TEXT_FIND_SIZE - n, " %.30s", text_find_amount(amount, b, v));
    return buf;
}

const char *text_grouped(char buf[TEXT_GROUPED_SIZE], uint64_t v)
{
    char plain[24];
    int n = snprintf(plain, sizeof plain, "%llu", (ull)v), out = 0;

    for (int i = 0; i < n; i++) {
        buf[out++] = plain[i];
        if (i + 1 < n && (n - i) % 3 == 1)
            buf[out++] = ',';
    }
    buf[out] = '\0';
    return buf;
}

/* A rate is whole where that is exact enough. */
static const char *rate_in(char buf[TEXT_FIND_SIZE], double rate, const char *unit)
{
    if (rate < 1000)
        snprintf(buf, TEXT_FIND_SIZE, "%.4g", rate);
    else
        text_grouped(buf, (uint64_t)(rate + 0.5));
    return strcat(buf, unit);
}

const char *text_find_rate(char buf[TEXT_FIND_SIZE], double rate)
{
    return rate_in(buf, rate, "/s");
}

const char *text_find_limit(enum find_limit limit)
{
    static const char *const names[] = {[FIND_LIMIT_NONE] = "",
                                        [FIND_LIMIT_LATENCY] = "latency",
                                        [FIND_LIMIT_CPU_WAIT] = "waiting for a CPU",
                                        [FIND_LIMIT_SERVER_CPU] = "server CPU",
                                        [FIND_LIMIT_CLIENT_CPU] = "client CPU",
                                        [FIND_LIMIT_CLIENTS] = "no idle client",
                                        [FIND_LIMIT_ERRORS] = "errors"};

    return names[limit];
}

void text_find_step(struct str *out, const struct find_record *r, size_t step, bool aligned)
{
    static const struct find_bound lag = {.what = FIND_TIME, .series = FIND_LAG, .point = 99};
    const struct find_step *s = &r->step[step];
    char buf[TEXT_FIND_SIZE];
    bool has_lag = false;

    str_printf(
        out, aligned ? "step %3zu: %10s for %4.3g s%s: " : "step %zu: %s for %.3g s%s: ", step + 1,
        text_find_rate(buf, s->rate), dur_sec(s->length), s->brief ? " (brief)" : "");
    for (const struct find_bound *b = r->objective.bound; b < r->objective.bound + r->objective.n;
         b++) {
        str_printf(out, "%s, ", text_find_value(buf, b, s->value[b - r->objective.bound]));
        has_lag = has_lag || (b->what == FIND_TIME && b->series == FIND_LAG && b->point == 99);
    }
    if (!has_lag)
        str_printf(out, "%s, ", text_find_value(buf, &lag, s->lag_p99));
    if (s->offered)
        str_printf(out, "done %.1f %%", 100 * (double)s->done / (double)s->offered);
    else
        str_adds(out, "nothing was due");
    if (s->holds && s->done < s->offered) /* by the share that may be missing, or by the one more */
        str_printf(out, " (all but %llu)", (ull)(s->offered - s->done));
    if (s->holds)
        str_adds(out, ": holds\n");
    else if (s->unmeasured)
        str_printf(out, ": not judged (%s)\n", s->why);
    else
        str_printf(out, ": does not hold (%s; limit: %s)\n", s->why, text_find_limit(s->limit));
}

/* --- the answer --- */

/* "1,414 tps (confirmed 2 times)"; there is one. */
static void add_held(struct str *out, const struct find_record *r)
{
    char buf[TEXT_FIND_SIZE];

    str_printf(out, "%s (", rate_in(buf, r->held, " tps"));
    if (r->confirmed > 1)
        str_printf(out, "confirmed %u times", r->confirmed);
    else
        str_adds(out, r->confirmed ? "confirmed once" : "by a brief step only");
    str_adds(out, ")");
}

/* The lowest rate above `held` that is known not to hold. */
static void add_failed(struct str *out, const struct find_record *r)
{
    char rate[TEXT_FIND_SIZE];

    str_printf(out, "%s (%s)", rate_in(rate, r->not_held, " tps"),
               r->failed ? r->failed->why : "n/a");
}

/* No rate is known not to hold: too few steps were taken, or a rate that failed has not failed
 * twice. */
static void add_undecided(struct str *out, const struct find_record *r, size_t n)
{
    double lowest = 0; /* of the rates above `held` of which a step failed */
    size_t steps = 0, held = 0;
    bool tried = false; /* any rate above `held` */
    char rate[TEXT_FIND_SIZE];

    for (const struct find_step *s = r->step; s < r->step + n; s++) {
        if (s->unmeasured || s->rate <= r->held)
            continue;
        tried = true;
        if (!s->holds && (lowest == 0 || s->rate < lowest))
            lowest = s->rate;
    }
    for (const struct find_step *s = r->step; s < r->step + n; s++) {
        steps += s->rate == lowest && !s->unmeasured;
        held += s->rate == lowest && s->holds;
    }
    if (lowest > 0)
        str_printf(out, "n/a (%s held in %zu of %zu steps)", rate_in(rate, lowest, " tps"), held,
                   steps);
    else
        str_printf(out, "n/a (%s)",
                   tried         ? "every higher rate that was tried held"
                   : r->held > 0 ? "no higher rate was tried"
                   : n           ? "none was judged"
                                 : "none was tried");
}

/* "601.7 tps (held in 1 of 2 steps)": rates above `held` of which some whole steps held. */
static void add_disputed(struct str *out, const struct find_record *r, size_t n)
{
    char rate[TEXT_FIND_SIZE];

    for (size_t i = 0; i < n; i++) {
        size_t steps = 0, held = 0, earlier = 0;
        if (r->step[i].rate <= r->held || r->step[i].brief || r->step[i].unmeasured)
            continue;
        for (size_t k = 0; k < n; k++) {
            const struct find_step *s = &r->step[k];
            bool same = s->rate == r->step[i].rate && !s->brief && !s->unmeasured;
            earlier += same && k < i;
            steps += same;
            held += same && s->holds;
        }
        if (held && held < steps && !earlier)
            str_printf(out, "%s%s (held in %zu of %zu steps)", out->len ? ", " : "",
                       rate_in(rate, r->step[i].rate, " tps"), held, steps);
    }
}

/* "p99 12.0 ms at 400 tps from second 3.0 on, 108 ms at 200 tps from second 40.0 on": of two steps
 * the one with the lower rate was much slower, so what was measured changed between them. */
static void add_unsteady(struct str *out, const struct find_record *r, size_t n)
{
    const struct find_bound *b = NULL;
    const struct find_step *fast = NULL, *slow = NULL;
    char name[TEXT_FIND_SIZE], value[2][TEXT_FIND_SIZE], rate[2][TEXT_FIND_SIZE];
    double most = UNSTEADY;

    for (size_t x = 0; x < r->objective.n; x++)
        for (size_t i = 0; r->objective.bound[x].what == FIND_TIME && i < n; i++)
            for (size_t k = 0; k < n; k++) {
                const struct find_step *f = &r->step[i], *s = &r->step[k];
                if (f->brief || s->brief || f->unmeasured || s->unmeasured ||
                    !(s->rate * LOWER <= f->rate && f->value[x] > 0 &&
                      s->value[x] > most * f->value[x]))
                    continue;
                most = s->value[x] / f->value[x];
                b = &r->objective.bound[x];
                fast = f;
                slow = s;
            }
    if (!b)
        return;
    const size_t x = (size_t)(b - r->objective.bound);
    const struct find_step *v[2] = {fast->from < slow->from ? fast : slow,
                                    fast->from < slow->from ? slow : fast};
    for (size_t i = 0; i < 2; i++)
        str_printf(out, "%s%s%s at %s from second %.1f on", i ? ", " : text_find_name(name, b),
                   i ? "" : " ", text_find_amount(value[i], b, v[i]->value[x]),
                   rate_in(rate[i], v[i]->rate, " tps"), dur_sec(v[i]->from));
    str_adds(out, slow == v[1] ? ": it became slower meanwhile" : ": it became faster meanwhile");
}

/* Why a search ended as FIND_UNMEASURED. */
static const char *missing(const struct find_record *r)
{
    size_t n = atomic_load(&r->nsteps);

    return n ? r->step[n - 1].why : "";
}

void text_find(struct str *out, const struct find_record *r)
{
    const char *ended = r->end == FIND_UNMEASURED ? missing(r)
                        : r->end == FIND_UNJUDGED ? r->unjudged
                        : r->end == FIND_STEPS    ? "at the limit of steps (--tx-find=steps)"
                        : r->end == FIND_STUCK    ? "because the backlog of a step did not end"
                        : r->end == FIND_STOPPED || r->end == FIND_GOES_ON
                            ? (r->stopped ? r->stopped : "before its end")
                            : NULL;
    const char *known = r->end == FIND_UNMEASURED || r->end == FIND_UNJUDGED || r->end == FIND_STUCK
                            ? ""
                            : "; the answer is what was known";
    size_t n = atomic_load(&r->nsteps), brief = 0;
    struct str held = STR_INIT, failed = STR_INIT, disputed = STR_INIT, unsteady = STR_INIT;

    for (size_t i = 0; i < n; i++)
        brief += r->step[i].brief;
    if (r->held > 0)
        add_held(&held, r);
    if (r->not_held > 0)
        add_failed(&failed, r);
    else
        add_undecided(&failed, r, n);
    str_adds(out, "Highest rate:\n");
    text_item(out, "objective", "%s", r->objective.text);
    text_item(out, "steps", "%zu (%zu of them brief)", n, brief);
    text_item(out, "highest rate that held", "%s", r->held > 0 ? str_cstr(&held) : "none");
    text_item(out, "lowest rate that failed", "%s", str_cstr(&failed));
    add_disputed(&disputed, r, n);
    if (disputed.len)
        text_item(out, "disputed", "%s", str_cstr(&disputed));
    add_unsteady(&unsteady, r, n);
    if (unsteady.len)
        text_item(out, "not steady", "%s", str_cstr(&unsteady));
    if (r->failed)
        text_item(out, "limit", "%s%s%s", text_find_limit(r->failed->limit),
                  *r->failed->cause ? ": " : "", r->failed->cause);
    if (ended)
        text_item(out, "ended early", "%s%s", ended, known);
    str_adds(out, "\n");
    str_free(&held);
    str_free(&failed);
    str_free(&disputed);
    str_free(&unsteady);
}

void text_find_answer(struct str *out, const struct find_record *r)
{
    if (r->held > 0) {
        str_adds(out, "highest rate that held: ");
        add_held(out, r);
    } else if (r->end == FIND_UNMEASURED) {
        str_printf(out, "no rate was judged: %s", missing(r));
    } else if (r->end == FIND_UNJUDGED) {
        str_adds(out, r->unjudged);
    } else {
        str_printf(out, "no rate held %s", r->objective.text);
    }
    if (r->not_held > 0) {
        str_adds(out, ", lowest rate that failed: ");
        add_failed(out, r);
    }
}
