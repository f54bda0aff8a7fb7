/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standstills (struct stalls in collect.h): no transaction ended although some were under way.  The
 * reporting thread looks 20 times a second at when clients' latest transactions ended.
 *
 * rule_note: if ends come by chance, g apart in the mean, the next one comes later than x with
 * probability exp(-x/g), and of n gaps so many are longer: n exp(-x/g).  One of (10 + ln n) g is
 * therefore expected once in exp(10) = 22,000 runs.
 *
 * The beginning is known exactly: when the latest transaction ended, or, if that is later, when the
 * earliest of those under way began.  The end is that of the first transaction after it which was
 * its client's latest at the next look, so at most a look too late.
 */
#include "engine/collect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/client_state.h"
#include "engine/warmup.h"
#include "report/text.h"
#include "telemetry/probe.h"
#include "telemetry/proc.h"

#define BRIEF    (100 * NS_PER_MS) /* less is not looked at */
#define SHORTEST (200 * NS_PER_MS)
#define CERTAIN  10

bool stalls_see(struct stalls *s, const struct stall_look *v)
{
    bool told = false;

    if (s->from && v->latest == s->latest && v->under_way && !v->over) {
        s->seen = v->now;
        return false;
    }
    if (s->from) {
        s->begin = s->from;
        s->end = v->latest > s->latest && v->first > s->seen ? v->first : s->seen;
        told = s->end - s->begin >= SHORTEST && s->end - s->begin >= s->least;
        s->from = 0;
    }
    mono_ns from = v->latest > v->earliest ? v->latest : v->earliest;
    if (v->under_way && !v->over && v->now - from >= BRIEF && v->ended) {
        double n = (double)v->ended;
        s->from = from;
        s->latest = v->latest;
        s->seen = v->now;
        s->least = (dur_ns)((CERTAIN + log(n)) * (double)(from - v->began) / n);
    }
    return told;
}

/* --- what it was --- */

const struct status_source *stalls_source(const struct run *r)
{
    const struct status_source *from =
        r->ranks || clock_held(r->clock) ? NULL : probe_status(r->obs->probe);

    return from && from->between ? from : NULL;
}

/* 0: the kernel does not tell. */
static dur_ns cpu_pressure(void)
{
    uint64_t us = 0;

    proc_pressure(-1, "/proc/pressure/cpu", &us);
    return (dur_ns)us * 1000;
}

static dur_ns of_it(dur_ns before, dur_ns after, dur_ns length)
{
    return after - before < length ? after - before : length;
}

/* The newest kind of error of those that no load brings about: no statement of ours was there. */
static bool tell_error(const struct collect *c, char *out, size_t size)
{
    struct error_row row[ERROR_ROWS_MAX + 1];

    for (size_t n = error_table_rows(c->run->errors, row); n-- > 0;)
        if (row[n].first <= c->stalls.end && row[n].last >= c->stalls.begin &&
            !text_error_is_usual(&row[n]))
            return snprintf(out, size, "%s, see Outages", text_error_words(row[n].class)) > 0;
    return false;
}

static void tell(struct collect *c)
{
    struct stalls *s = &c->stalls;
    const struct status_source *from = stalls_source(c->run);
    const struct stall_machine *calm = &s->calm[0];
    dur_ns length = s->end - s->begin, late = of_it(calm->late, c->late.late, length);
    dur_ns waited = of_it(calm->waited, c->late.waited, length);
    dur_ns pressed = of_it(calm->pressed, cpu_pressure(), length);
    double begin = dur_sec(s->begin - c->run->measure_from);
    size_t used;

    if (late >= NS_PER_SEC && late >= length / 2) /* incidents_late() has told it */
        return;
    if (s->n == STALLS_TOLD) {
        s->more++;
        s->more_time += length;
        return;
    }
    char *text = s->text[s->n++];
    used = (size_t)snprintf(text, STALL_TEXT, "%.1f to %.1f s: %.1f s standstill: ", begin,
                            begin + dur_sec(length), dur_sec(length));
    if (late >= length / 2) {
        snprintf(text + used, STALL_TEXT - used, "this program did not run for %.1f s of it",
                 dur_sec(late));
    } else if (waited >= length / 2) {
        snprintf(text + used, STALL_TEXT - used, "this program waited for a CPU for %.1f s of it",
                 dur_sec(waited));
    } else if (!from->between(from->arg, s->begin, s->end, text + used, STALL_TEXT - used) &&
               !tell_error(c, text + used, STALL_TEXT - used) && pressed >= length / 2) {
        used = strlen(text);
        snprintf(text + used, STALL_TEXT - used,
                 "; on this machine, threads waited for a CPU for %.1f s of it", dur_sec(pressed));
    }
    incidents_add(&c->incidents, .kind = INCIDENT_STALL, .at = s->end, .duration = length,
                  .why = text);
}

/* --- looks --- */

/* False: one has ended just now, as nearly always; the next look begins with that client. */
static bool look_at_clients(struct collect *c, struct stall_look *v)
{
    const struct run *r = c->run;
    struct stalls *s = &c->stalls;
    const size_t n = (size_t)r->plan->clients;

    v->earliest = v->first = MONO_NEVER;
    for (size_t k = 0; k < n; k++) {
        size_t i = s->client + k < n ? s->client + k : s->client + k - n;
        mono_ns last = LOAD(r->client[i].last), begun = LOAD(r->client[i].begun);
        if (!s->from && v->now - last < BRIEF) {
            s->client = i;
            return false;
        }
        v->latest = last > v->latest ? last : v->latest;
        if (s->from && last > s->latest && last < v->first)
            v->first = last;
        if (begun >= last) { /* without a rate it began where the one before ended */
            v->under_way++;
            v->earliest = begun < v->earliest ? begun : v->earliest;
        }
    }
    return true;
}

void stalls_look(struct collect *c, bool over)
{
    const struct run *r = c->run;
    struct stalls *s = &c->stalls;
    struct stall_look v = {.now = run_now(r), .began = r->measure_from, .over = over};
    const struct status_source *from = stalls_source(r);
    uint64_t count[CNT_MAX] = {0};

    if (!from)
        return;
    if (look_at_clients(c, &v)) {
        for (int i = 0; !s->from && i < r->plan->clients; i++)
            warmup_counts(r, i, false, count);
        v.ended = count[CNT_DONE] + count[CNT_FAILED] + count[CNT_WITHDRAWN];
        if (stalls_see(s, &v))
            tell(c);
        if (s->from)
            from->look(from->arg);
    }
    if (!s->from) {
        s->calm[0] = s->calm[1];
        s->calm[1] = (struct stall_machine){c->late.late, c->late.waited, cpu_pressure()};
    }
    if (!over || !s->more)
        return;
    snprintf(s->rest, sizeof s->rest, "%u more standstills, %.1f s in all", s->more,
             dur_sec(s->more_time));
    incidents_add(&c->incidents, .kind = INCIDENT_STALL, .at = v.now, .duration = s->more_time,
                  .why = s->rest);
    s->more = 0;
}
