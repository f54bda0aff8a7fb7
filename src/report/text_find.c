/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_find.h.  Times are in ms with three significant digits, as a person compares them with
 * the objective.
 */
#include "report/text_find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_figures.h"
#include "report/text_lines.h"

/* Three significant digits, or all before the point. */
static void digits(char buf[TEXT_FIND_SIZE], double v, const char *unit)
{
    int decimals = v >= 100 ? 0 : v >= 10 ? 1 : v >= 1 ? 2 : 3;

    snprintf(buf, TEXT_FIND_SIZE, "%.*f%s", decimals, v, unit);
}

const char *text_find_amount(char buf[TEXT_FIND_SIZE], const struct find_bound *b, double v)
{
    if (!isfinite(v))
        return strcpy(buf, "n/a");
    switch (b->what) {
    case FIND_TIME: digits(buf, v / 1e6, " ms"); break;
    case FIND_ERRORS_RATE: digits(buf, v, "/s"); break;
    case FIND_ERRORS_PCT: digits(buf, v, " %"); break;
    case FIND_SERVER_CPU:
    case FIND_CLIENT_CPU: snprintf(buf, TEXT_FIND_SIZE, "%.1f %%", v); break;
    }
    return buf;
}

static void time_name(char buf[TEXT_FIND_SIZE], const struct find_bound *b)
{
    static const char *const series[] = {"", "service ", "lag "};
    char p[TEXT_PERCENTILE_SIZE];

    if (b->point == FIND_MEAN)
        snprintf(buf, TEXT_FIND_SIZE, "%savg", series[b->series]);
    else if (b->point == FIND_MAX)
        snprintf(buf, TEXT_FIND_SIZE, "%smax", series[b->series]);
    else
        snprintf(buf, TEXT_FIND_SIZE, "%sp%s", series[b->series], text_percentile(p, b->point));
}

const char *text_find_name(char buf[TEXT_FIND_SIZE], const struct find_bound *b)
{
    static const char *const names[] = {[FIND_ERRORS_PCT] = "errors",
                                        [FIND_ERRORS_RATE] = "errors",
                                        [FIND_SERVER_CPU] = "server CPU",
                                        [FIND_CLIENT_CPU] = "client CPU"};

    if (b->what == FIND_TIME)
        time_name(buf, b);
    else
        snprintf(buf, TEXT_FIND_SIZE, "%s", names[b->what]);
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
    int n = snprintf(plain, sizeof plain, "%llu", (unsigned long long)v), out = 0;

    for (int i = 0; i < n; i++) {
        buf[out++] = plain[i];
        if (i + 1 < n && (n - i) % 3 == 1)
            buf[out++] = ',';
    }
    buf[out] = '\0';
    return buf;
}

const char *text_find_rate(char buf[TEXT_FIND_SIZE], double rate)
{
    if (rate < 1000) {
        snprintf(buf, TEXT_FIND_SIZE, "%.4g/s", rate);
        return buf;
    }
    text_grouped(buf, (uint64_t)(rate + 0.5));
    strcat(buf, "/s");
    return buf;
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

/* --- a step --- */

static bool has_lag(const struct find_objective *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->bound[i].what == FIND_TIME && o->bound[i].series == FIND_LAG &&
            o->bound[i].point == 99)
            return true;
    return false;
}

static void add_values(struct str *out, const struct find_record *r, const struct find_step *s)
{
    static const struct find_bound lag = {.what = FIND_TIME, .series = FIND_LAG, .point = 99};
    char buf[TEXT_FIND_SIZE];

    for (size_t i = 0; i < r->objective.n; i++)
        str_printf(out, "%s, ", text_find_value(buf, &r->objective.bound[i], s->value[i]));
    if (!has_lag(&r->objective))
        str_printf(out, "%s, ", text_find_value(buf, &lag, s->lag_p99));
    if (s->offered)
        str_printf(out, "done %.1f %%", 100 * (double)s->done / (double)s->offered);
    else
        str_adds(out, "nothing was due");
}

void text_find_step(struct str *out, const struct find_record *r, size_t step, bool aligned)
{
    const struct find_step *s = &r->step[step];
    const char *limit = text_find_limit(s->limit);
    char rate[TEXT_FIND_SIZE];

    str_printf(
        out, aligned ? "step %3zu: %10s for %4.3g s%s: " : "step %zu: %s for %.3g s%s: ", step + 1,
        text_find_rate(rate, s->rate), dur_sec(s->length), s->brief ? " (brief)" : "");
    add_values(out, r, s);
    if (s->holds)
        str_adds(out, ": holds\n");
    else if (s->unmeasured)
        str_printf(out, ": not judged (%s)\n", s->why);
    else
        str_printf(out, ": does not hold (%s; limit: %s)\n", s->why, limit);
}

/* --- the answer --- */

static const char *times(char buf[TEXT_FIND_SIZE], unsigned n)
{
    if (n == 1)
        return strcpy(buf, "once");
    snprintf(buf, TEXT_FIND_SIZE, "%u times", n);
    return buf;
}

/* A rate is given as tps, whole where that is exact enough. */
static const char *tps(char buf[TEXT_FIND_SIZE], double rate)
{
    size_t n = strlen(text_find_rate(buf, rate));

    snprintf(buf + n - 2, TEXT_FIND_SIZE - n, " tps"); /* for "/s" */
    return buf;
}

static void held_line(struct str *out, const struct find_record *r)
{
    char rate[TEXT_FIND_SIZE], n[TEXT_FIND_SIZE];

    if (r->held > 0 && r->confirmed)
        text_item(out, "highest rate that held:", "%s (confirmed %s)", tps(rate, r->held),
                  times(n, r->confirmed));
    else if (r->held > 0)
        text_item(out, "highest rate that held:", "%s (by a brief step only)", tps(rate, r->held));
    else
        text_item(out, "highest rate that held:", "none");
}

/* How the steps of the lowest rate above `held` went of which one failed. */
struct undecided {
    double rate; /* 0: no step failed */
    size_t steps, held;
    bool tried; /* any rate above `held` */
};

static struct undecided undecided_of(const struct find_record *r)
{
    struct undecided u = {0};

    for (size_t i = 0; i < atomic_load(&r->nsteps); i++) {
        const struct find_step *s = &r->step[i];
        if (s->unmeasured)
            continue;
        u.tried = u.tried || s->rate > r->held;
        if (s->rate > r->held && !s->holds && (u.rate == 0 || s->rate < u.rate))
            u.rate = s->rate;
    }
    for (size_t i = 0; u.rate > 0 && i < atomic_load(&r->nsteps); i++) {
        u.steps += r->step[i].rate == u.rate && !r->step[i].unmeasured;
        u.held += r->step[i].rate == u.rate && r->step[i].holds;
    }
    return u;
}

/* No rate is known not to hold: too few steps were taken, or a rate that failed has not failed
 * twice. */
static void unknown_line(struct str *out, const struct find_record *r)
{
    struct undecided u = undecided_of(r);
    char rate[TEXT_FIND_SIZE];

    if (u.rate > 0)
        text_item(out, "first that did not:", "n/a (%s held in %zu of %zu steps)",
                  tps(rate, u.rate), u.held, u.steps);
    else
        text_item(out, "first that did not:", "n/a (%s)",
                  u.tried                   ? "every higher rate that was tried held"
                  : r->held > 0             ? "no higher rate was tried"
                  : atomic_load(&r->nsteps) ? "none was judged"
                                            : "none was tried");
}

static void failed_line(struct str *out, const struct find_record *r)
{
    char rate[TEXT_FIND_SIZE];

    if (r->not_held > 0)
        text_item(out, "first that did not:", "%s (%s)", tps(rate, r->not_held),
                  r->failed ? r->failed->why : "n/a");
    else
        unknown_line(out, r);
}

static void limit_line(struct str *out, const struct find_step *s)
{
    text_item(out, "limit:", "%s%s%s", text_find_limit(s->limit), *s->cause ? ": " : "", s->cause);
}

/* Why a search ended as FIND_UNMEASURED. */
static const char *missing(const struct find_record *r)
{
    size_t n = atomic_load(&r->nsteps);

    return n ? r->step[n - 1].why : "";
}

static const char *how_it_ended(const struct find_record *r)
{
    switch (r->end) {
    case FIND_UNMEASURED: return missing(r);
    case FIND_STEPS: return "at the limit of steps (--tx-find-steps); the answer is what was known";
    case FIND_STOPPED:
    case FIND_GOES_ON:
        return "by the time limit, a signal or an error; the answer is what was known";
    case FIND_STUCK: return "because the backlog of a step did not end";
    case FIND_FOUND:
    case FIND_NONE: break;
    }
    return NULL;
}

static size_t brief_steps(const struct find_record *r, size_t n)
{
    size_t brief = 0;

    for (size_t i = 0; i < n; i++)
        brief += r->step[i].brief;
    return brief;
}

void text_find(struct str *out, const struct find_record *r)
{
    size_t n = atomic_load(&r->nsteps);
    const char *early = how_it_ended(r);

    str_adds(out, "Highest rate:\n");
    text_item(out, "objective:", "%s", r->objective.text);
    text_item(out, "steps:", "%zu (%zu of them brief)", n, brief_steps(r, n));
    held_line(out, r);
    failed_line(out, r);
    if (r->failed)
        limit_line(out, r->failed);
    if (early)
        text_item(out, "ended early:", "%s", early);
    str_adds(out, "\n");
}

void text_find_answer(struct str *out, const struct find_record *r)
{
    char rate[TEXT_FIND_SIZE], n[TEXT_FIND_SIZE];

    if (r->held > 0 && r->confirmed)
        str_printf(out, "highest rate that held: %s (confirmed %s)", tps(rate, r->held),
                   times(n, r->confirmed));
    else if (r->held > 0)
        str_printf(out, "highest rate that held: %s (by a brief step only)", tps(rate, r->held));
    else if (r->end == FIND_UNMEASURED)
        str_printf(out, "no rate was judged: %s", missing(r));
    else
        str_printf(out, "no rate held %s", r->objective.text);
    if (r->not_held > 0)
        str_printf(out, ", first that did not: %s (%s)", tps(rate, r->not_held),
                   r->failed ? r->failed->why : "n/a");
}
