/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Jumps (struct jumps in collect.h): an interval's p99 of service times, or what is unfinished at
 * its end, is far above all before it.  What is usual in a run is what its intervals so far had.
 *
 * jump_note: the intervals of a steady run might have come in any order, so one is the largest so
 * far with probability 1/n, which means nothing.  A jump is also four times the third largest: two
 * jumps hide no third one.  A run from 5 ms to 5 s therefore has at most fifteen, however long it
 * is and however its times vary; of 86,700 intervals, simulated, of 200 exponential times or of a
 * queue that is busy for 95 % of the time, none is one, and 11 of log-normal ones with sigma 2.
 *
 * share_note: transactions a second times their mean service time is how many are under way
 * (Little), with what those that did not end have spent meanwhile.  If a wait in the server has
 * grown by more than half as much as they, it is most of it.
 */
#include "engine/collect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/causes.h"
#include "engine/client_state.h"

#define USUAL      10 /* intervals, and the first, in which caches are cold */
#define TIMES      4
#define LEAST_P99  (10 * NS_PER_MS) /* it grew by so much */
#define LEAST_OPEN 10               /* and so did what is unfinished, */
#define OPEN_TIME  0.1              /* and by as much as starts in so many seconds */
#define ENOUGH     200              /* transactions: two are longer than their p99 */
#define SEEN       5                /* times that a sample saw a session in it */

bool jump_see(struct jump *j, double v, double least)
{
    j->before = j->most[2];
    bool jumped = j->n++ > USUAL && v >= TIMES * j->before && v - j->before >= least;

    for (int i = 0; j->n > 1 && i < 3; i++) {
        double most = fmax(j->most[i], v);
        v = fmin(j->most[i], v);
        j->most[i] = most;
    }
    return jumped;
}

static double sessions(const struct status_waits *w, const struct wait_time *of)
{
    for (size_t i = 0; w->known > 0 && i < w->names; i++)
        if (w->name[i].class == of->class && strcmp(w->name[i].name, of->name) == 0)
            return (double)w->name[i].time / (double)w->known;
    return 0;
}

/* What has grown by most of `grown`; NULL: it is not known. */
static const struct wait_time *most_grown(const struct collect *c, double grown)
{
    const struct status_waits *w = &c->probe.status.waits;
    const struct wait_time *most = NULL;
    struct status_waits usual;

    waits_diff(&c->origin.probe.status.waits, &c->interval.probe.status.waits, &usual);
    for (const struct wait_time *t = w->name; grown > 0 && t < w->name + w->names; t++) {
        double more = sessions(w, t) - sessions(&usual, t);
        if (more > grown / 2 && w->hits[t->class] >= SEEN && strcmp(t->name, "others") != 0)
            most = t, grown = 2 * more;
    }
    return most;
}

static void explain(const struct collect *c, const struct snapshot *s, double grown,
                    struct str *out)
{
    const struct status_source *from = stalls_source(c->run);
    const struct status_waits *w = &c->probe.status.waits;
    const struct wait_time *t = w->known > 0 ? most_grown(c, grown) : NULL;
    const mono_ns end = c->run->measure_from + s->elapsed_ns;
    char most[STALL_TEXT / 2];

    if (!t) {
        from->between(from->arg, end - s->interval_ns, end, most, sizeof most);
        str_printf(out, "no wait is known to have grown so; %s", most);
        return;
    }
    str_printf(out, "%.1f sessions in %s", sessions(w, t), t->name);
    const bool locks = t->class == WAIT_ROW || t->class == WAIT_LOCK;
    if (locks && (2 * w->root[WAIT_CLASSES] > w->locks || (*w->who && 2 * w->behind > w->locks)))
        str_printf(out, " (behind %s)", 2 * w->behind > w->locks ? w->who : "a deadlock");
    const struct disk_delta *d = &c->probe.host.disk[t->class == WAIT_LOG ? DISK_LOG : DISK_DATA];
    if ((t->class == WAIT_LOG || t->class == WAIT_IO) && c->probe.has_host && d->known)
        str_printf(out, "; %s %.0f %% busy", d->text, d->of[DISK_BUSY]);
}

/* ns that clients have spent in what they have begun and not ended. */
static double under_way(const struct run *r)
{
    const mono_ns now = run_now(r);
    double sum = 0;

    for (int i = 0; i < r->plan->clients; i++) {
        mono_ns begun = LOAD(r->client[i].begun);
        sum += begun >= LOAD(r->client[i].last) && now > begun ? (double)(now - begun) : 0;
    }
    return sum;
}

static void tell(struct collect *c, const struct snapshot *s, bool p99, double grown)
{
    const struct jumps *j = &c->jumps;
    const struct snapshot_rate *q = &s->rate;
    dur_ns waited = c->late.waited - j->waited;
    struct str text = STR_INIT;
    double is = (double)rate_unfinished(q);

    if (c->stalls.n == STALLS_TOLD)
        return;
    str_printf(&text, "%.1f to %.1f s: ", dur_sec(s->elapsed_ns - s->interval_ns),
               dur_sec(s->elapsed_ns));
    if (p99)
        is = (double)(s->has_rate ? q->service.p99 : s->latency.p99) / 1e6;
    str_printf(&text,
               p99 ? "service p99 %.1f ms, before at most %.1f but for two intervals: "
                   : "%.0f unfinished, before at most %.0f but for two intervals: ",
               is, p99 ? j->p99.before / 1e6 : j->open.before);
    if (waited >= s->interval_ns / 4)
        str_printf(&text, "this program waited for a CPU for %.1f s of it; ", dur_sec(waited));
    explain(c, s, grown, &text);
    char *kept = c->stalls.text[c->stalls.n++];
    snprintf(kept, STALL_TEXT, "%s", str_cstr(&text));
    str_free(&text);
    incidents_add(&c->incidents, .kind = INCIDENT_JUMP, .why = kept,
                  .at = s->elapsed_ns + c->run->measure_from, .duration = s->interval_ns);
}

void jumps_look(struct collect *c, const struct snapshot *s)
{
    struct jumps *j = &c->jumps;
    const struct snapshot_series *service = s->has_rate ? &s->rate.service : &s->latency;
    const double target = s->has_rate ? s->rate.target : 0;

    if (!stalls_source(c->run) || s->interval_ns <= 0)
        return;
    if (fabs(target - j->target) > 0.05 * j->target) /* what was usual before it says nothing */
        *j = (struct jumps){.target = target, .under_way = j->under_way};
    double open_time = under_way(c->run), busy = open_time - j->under_way;
    busy += service->n ? (double)service->n * service->mean : 0;
    bool p99 = service->n >= ENOUGH && jump_see(&j->p99, (double)service->p99, LEAST_P99);
    bool open = s->has_rate && jump_see(&j->open, (double)rate_unfinished(&s->rate),
                                        fmax(LEAST_OPEN, OPEN_TIME * target));
    /* what else is told of this interval explains it */
    if ((p99 || open) && c->incidents.n == c->incidents.told && !c->stalls.from)
        tell(c, s, p99, busy / (double)s->interval_ns - j->busy / (double)j->time);
    j->busy += busy;
    j->under_way = open_time;
    j->time += s->interval_ns;
    j->waited = c->late.waited;
}
