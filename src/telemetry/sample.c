/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sample.h.  One bit covers all fields of a counter, because user time without system time
 * would mislead.
 */
#include "telemetry/sample.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/record.h"

static void add_reason(struct sample_delta *d, const char *text)
{
    if (!d->reason[0])
        snprintf(d->reason, sizeof d->reason, "%s", text);
}

/* --- the members of a reading: their keys in the stream of another host, and their bits --- */

#define MEMBER(key, member)        RECORD_ROW(struct sample, member, .name = key)
#define COUNTED(key, member, bits) RECORD_ROW(struct sample, member, .name = key, .group = bits)
static const struct record_field fields[] = {
    MEMBER("at", at),
    MEMBER("cost", cost_ns),
    MEMBER("processes", processes),
    MEMBER("ended", ended),
    MEMBER("found", found),
    MEMBER("whole", whole),
    MEMBER("kept", kept),
    MEMBER("changed", changed),
    MEMBER("was", was),
    MEMBER("is", is),
    MEMBER("moved", moved),
    MEMBER("have", have),
    MEMBER("lower", lower),
    MEMBER("gone", gone),
    COUNTED("cpu", cpu_ns, SAMPLE_CPU),
    COUNTED("user", user_ns, SAMPLE_CPU),
    COUNTED("sys", sys_ns, SAMPLE_CPU),
    COUNTED("vol", vol_switches, SAMPLE_SWITCHES),
    COUNTED("invol", invol_switches, SAMPLE_SWITCHES),
    COUNTED("minflt", minor_faults, SAMPLE_FAULTS),
    COUNTED("majflt", major_faults, SAMPLE_FAULTS),
    COUNTED("read", read_bytes, SAMPLE_IO),
    COUNTED("written", write_bytes, SAMPLE_IO),
    COUNTED("runq", runq_wait_ns, SAMPLE_RUNQ),
    COUNTED(NULL, throttled_ns, SAMPLE_THROTTLE), /* of this process alone */
    COUNTED(NULL, throttled_periods, SAMPLE_THROTTLE),
    COUNTED("rss", rss_bytes, SAMPLE_MEMORY),
    COUNTED("threads", threads, SAMPLE_THREADS),
};
const struct record sample_record = RECORD("process", fields);

/* The bit of number i of SAMPLE_COUNTS. */
static unsigned bit(size_t i)
{
    const struct record_field *f = fields;

    while (f->offset != offsetof(struct sample, count) + i * sizeof(uint64_t))
        f++;
    return f->group;
}

void sample_add_reason(char reason[SAMPLE_REASON_MAX], const char *fmt, ...)
{
    size_t n = strlen(reason);
    va_list ap;

    if (n && n < SAMPLE_REASON_MAX - 3)
        n += (size_t)snprintf(reason + n, SAMPLE_REASON_MAX - n, "; ");
    va_start(ap, fmt);
    vsnprintf(reason + n, SAMPLE_REASON_MAX - n, fmt, ap);
    va_end(ap);
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

void sample_why_lower(const struct sample_delta *d, char out[SAMPLE_REASON_MAX])
{
    *out = '\0';
    for (const char *part = d->reason; *part;) {
        const char *end = strstr(part, "; ");
        size_t len = end ? (size_t)(end - part) : strlen(part);
        bool about = false;
        for (int i = 0; i < SAMPLE_FIGURES; i++)
            about |= (d->lower & d->have) >> i & 1 && is_about(part, len, i);
        if (about)
            sample_add_reason(out, "%.*s", (int)len, part);
        part += len + (end ? 2 : 0);
    }
}

static const char *const restarted[] = {
    "the server was restarted, what it did between a last reading and its end is not known",
    "the clients went over to another server, what the first one did between a last reading and "
    "its end is not known"};

void sample_diff(const struct sample *before, const struct sample *after, struct sample_delta *d)
{
    const unsigned gauges = SAMPLE_MEMORY | SAMPLE_THREADS;
    const struct sample *b = before, *a = after;
    bool same = a->ended == b->ended && a->found == b->found && a->set == b->set;

    *d = (struct sample_delta){
        .wall_ns = a->at - b->at,
        .processes = a->processes,
        .have = b->have & a->have,
        .lower = b->lower | a->lower | (a->gone != b->gone ? SAMPLE_SWITCHES | SAMPLE_RUNQ : 0),
    };
    add_reason(d, a->reason[0] ? a->reason : b->reason);
    if (!same && (a->set != b->set || a->whole <= b->whole)) {
        d->broken = true;
        d->have = 0;
        if (a->found != b->found) /* says more than that the old process has ended */
            d->reason[0] = '\0';
        add_reason(d, a->found != b->found
                          ? a->moved ? "the clients went over to another server in this interval"
                                     : "the server was restarted in this interval"
                          : "a process of the server has ended");
    } else if (!same) { /* processes ended or were found in between */
        d->have = b->kept & a->kept & ~gauges;
        d->lower = SAMPLE_ALL & ~gauges;
        if (a->found != b->found && !strstr(a->reason, restarted[a->moved != 0]))
            snprintf(d->reason, sizeof d->reason, "%s%s%.200s", restarted[a->moved != 0],
                     *a->reason ? "; " : "", a->reason);
    }
    for (size_t i = 0; i < COUNT_GAUGES; i++) {
        if (a->count[i] < b->count[i] && d->have & bit(i)) {
            d->have &= ~bit(i);
            add_reason(d, "a counter of the kernel went backwards");
        }
        d->count[i] = a->count[i] - b->count[i];
    }
    d->no_throttle = a->no_throttle ? a->no_throttle : b->no_throttle;
    if (same || a->found != b->found) /* a gauge needs only the later reading */
        d->have |= a->have & gauges;
    for (size_t i = 0; i < COUNTS; i++)
        d->count[i] = !(d->have & bit(i)) ? 0 : i < COUNT_GAUGES ? d->count[i] : a->count[i];
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
