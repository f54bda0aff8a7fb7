/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sample.h.  One bit covers all fields of a counter, because user time without system time
 * would mislead.
 */
#include "telemetry/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_reason(struct sample_delta *d, const char *text)
{
    if (!d->reason[0])
        snprintf(d->reason, sizeof d->reason, "%s", text);
}

/* False, with the bit dropped, when the counter is smaller than it was. */
static bool sub(struct sample_delta *d, unsigned bit, uint64_t before, uint64_t after,
                uint64_t *out)
{
    if (!(d->have & bit))
        return false;
    if (after < before) {
        d->have &= ~bit;
        add_reason(d, "a counter of the kernel went backwards");
        return false;
    }
    *out = after - before;
    return true;
}

static bool sub_ns(struct sample_delta *d, unsigned bit, int64_t before, int64_t after,
                   int64_t *out)
{
    uint64_t v;
    bool ok = sub(d, bit, (uint64_t)before, (uint64_t)after, &v);

    if (ok)
        *out = (int64_t)v;
    return ok;
}

static void sub_cpu(const struct sample *b, const struct sample *a, struct sample_delta *d)
{
    if (sub_ns(d, SAMPLE_CPU, b->cpu_ns, a->cpu_ns, &d->cpu_ns) &&
        sub_ns(d, SAMPLE_CPU, b->user_ns, a->user_ns, &d->user_ns) &&
        sub_ns(d, SAMPLE_CPU, b->sys_ns, a->sys_ns, &d->sys_ns))
        return;
    d->cpu_ns = d->user_ns = d->sys_ns = 0;
}

static void sub_pair(struct sample_delta *d, unsigned bit, const uint64_t before[2],
                     const uint64_t after[2], uint64_t *first, uint64_t *second)
{
    if (!sub(d, bit, before[0], after[0], first) || !sub(d, bit, before[1], after[1], second))
        *first = *second = 0;
}

/* The first clause of `reason` that names the figure; NULL if none does. */
static const char *const named[SAMPLE_FIGURES] = {[1] = "context switches",
                                                  [3] = "memory",
                                                  [5] = "bytes read and written",
                                                  [6] = "run-queue wait"};

/* True when the clause is about this figure: its list names the figure, or it has no list and is
 * about all. */
static bool is_about(const char *part, size_t len, int figure)
{
    const char *colon = memchr(part, ':', len);
    bool list = false;

    for (int i = 0; colon && i < SAMPLE_FIGURES; i++) {
        size_t n = named[i] ? strlen(named[i]) : 0;
        for (const char *p = part; n && p + n <= colon; p++) {
            if (strncmp(p, named[i], n) == 0 && (p[n] == ':' || p[n] == ',')) {
                list = true;
                if (i == figure)
                    return true;
            }
        }
    }
    return !list;
}

/* Gives each figure the clauses about it. */
static void distribute_reasons(struct sample_delta *d)
{
    for (int i = 0; i < SAMPLE_FIGURES; i++) {
        char *to = d->why[i];
        size_t n = 0;
        to[0] = '\0';
        for (const char *part = d->reason; *part;) {
            const char *end = strstr(part, "; ");
            size_t len = end ? (size_t)(end - part) : strlen(part);
            if (is_about(part, len, i) && n + len + 3 < SAMPLE_WHY_MAX)
                n += (size_t)snprintf(to + n, SAMPLE_WHY_MAX - n, "%s%.*s", n ? "; " : "", (int)len,
                                      part);
            part += len + (end ? 2 : 0);
        }
    }
}

#define RESTARTED                                                                                  \
    "the server was restarted, what it did between a last reading and its end is not known"

/* Processes ended or were found between the two readings. */
static void diff_lives(const struct sample *b, const struct sample *a, struct sample_delta *d)
{
    unsigned gauges = SAMPLE_MEMORY | SAMPLE_THREADS;

    if (a->set != b->set || a->whole <= b->whole) {
        d->broken = true;
        d->have = 0;
        if (a->found != b->found) /* says more than that the old process has ended */
            d->reason[0] = '\0';
        add_reason(d, a->found != b->found ? "the server was restarted in this interval"
                                           : "a process of the server has ended");
        return;
    }
    d->have = b->kept & a->kept & ~gauges;
    d->lower = SAMPLE_ALL & ~gauges;
    if (a->found != b->found && !strstr(a->reason, RESTARTED))
        snprintf(d->reason, sizeof d->reason, "%s%s%.200s", RESTARTED, *a->reason ? "; " : "",
                 a->reason);
}

void sample_diff(const struct sample *before, const struct sample *after, struct sample_delta *d)
{
    const struct sample *b = before, *a = after;
    bool same = a->ended == b->ended && a->found == b->found && a->set == b->set;

    *d = (struct sample_delta){
        .wall_ns = a->at - b->at,
        .processes = a->processes,
        .have = b->have & a->have,
        .lower = b->lower | a->lower,
    };
    add_reason(d, a->reason[0] ? a->reason : b->reason);
    if (!same)
        diff_lives(b, a, d);
    sub_cpu(b, a, d);
    sub_pair(d, SAMPLE_SWITCHES, (uint64_t[]){b->vol_switches, b->invol_switches},
             (uint64_t[]){a->vol_switches, a->invol_switches}, &d->vol_switches,
             &d->invol_switches);
    sub_pair(d, SAMPLE_FAULTS, (uint64_t[]){b->minor_faults, b->major_faults},
             (uint64_t[]){a->minor_faults, a->major_faults}, &d->minor_faults, &d->major_faults);
    sub_pair(d, SAMPLE_IO, (uint64_t[]){b->read_bytes, b->write_bytes},
             (uint64_t[]){a->read_bytes, a->write_bytes}, &d->read_bytes, &d->write_bytes);
    sub_ns(d, SAMPLE_RUNQ, b->runq_wait_ns, a->runq_wait_ns, &d->runq_wait_ns);
    d->no_throttle = a->no_throttle ? a->no_throttle : b->no_throttle;
    if (!sub_ns(d, SAMPLE_THROTTLE, b->throttled_ns, a->throttled_ns, &d->throttled_ns) ||
        !sub(d, SAMPLE_THROTTLE, b->throttled_periods, a->throttled_periods, &d->throttled_periods))
        d->throttled_ns = 0;
    if (same || a->found != b->found) /* a gauge needs only the later reading */
        d->have |= a->have & (SAMPLE_MEMORY | SAMPLE_THREADS);
    if (d->have & SAMPLE_MEMORY)
        d->rss_bytes = a->rss_bytes;
    if (d->have & SAMPLE_THREADS)
        d->threads = a->threads;
    d->lower &= d->have;
    distribute_reasons(d);
}

const char *sample_why(const struct sample_delta *d, unsigned figure)
{
    const char *why = figure == SAMPLE_THROTTLE ? d->no_throttle : d->why[__builtin_ctz(figure)];

    return why && *why ? why : "cannot be read";
}

void sample_set_reason(struct sample_delta *d, const char *reason)
{
    snprintf(d->reason, sizeof d->reason, "%s", reason);
    distribute_reasons(d);
}

void sample_none(struct sample_delta *d, const char *reason)
{
    d->have = d->lower = 0;
    sample_set_reason(d, reason);
}

double sample_pct_system(int64_t cpu_ns, dur_ns wall, int ncpu)
{
    return ncpu > 0 ? sample_pct_one(cpu_ns, wall) / ncpu : NAN;
}

double sample_waited_pct(const struct sample_delta *d)
{
    double runnable = (double)d->runq_wait_ns + (double)d->cpu_ns;

    return (d->have & (SAMPLE_RUNQ | SAMPLE_CPU)) == (SAMPLE_RUNQ | SAMPLE_CPU) && runnable > 0
               ? 100 * (double)d->runq_wait_ns / runnable
               : NAN;
}

double sample_pct_one(int64_t cpu_ns, dur_ns wall)
{
    return wall > 0 ? 100.0 * (double)cpu_ns / (double)wall : NAN;
}
