/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See wait_ring.h.
 */
#include "session/wait_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS_APART (200 * NS_PER_MS)

void ring_list(struct ring_sample *v, const struct server_waits *list)
{
    char name[2 * WAIT_NAME_SIZE];

    for (size_t i = 0; i < list->sessions; i++) {
        const struct session_wait *w = &list->session[i];
        if (w->ours)
            waits_add(&v->of, w->class, w->name, 1);
        const struct session_wait *root =
            w->root ? bsearch(&w->root, list->session, list->sessions, sizeof *w, sql_ids_order)
                    : NULL;
        if (w->root)
            v->of.root[w->root < 0 ? WAIT_CLASSES : root ? root->class : WAIT_ROW]++;
        v->of.untold += w->ours && (w->blind || (root && root->blind));
        snprintf(name, sizeof name, "%s in %s", w->own, w->name);
        if (w->own[0] && w->class != WAIT_CPU && w->class != WAIT_OTHER) /* autovacuum's naps */
            waits_add(&v->own, w->class, name, 1);
    }
}

void ring_add(struct wait_ring *r, const struct ring_sample *v)
{
    struct ring_sample *to = &r->v[r->n++ % RING_SAMPLES];
    int end = 0;

    *to = *v;
    char *length = strrchr(to->of.who, 'f'); /* "... for 12 s": when it was asked, not at the end */
    if (length > to->of.who && length[-1] == ' ' && sscanf(length, "for %*u s%n", &end) == 0 && end)
        length[-1] = '\0';
}

void ring_stopped(struct wait_ring *r, mono_ns now)
{
    if (now - r->stopped_to > LOOKS_APART)
        r->stopped = now;
    r->stopped_to = now;
}

#define ADD(...) (used += used < size ? (size_t)snprintf(out + used, size - used, __VA_ARGS__) : 0)

/* In at least half of n samples, the largest first, if they are counted in each. */
static size_t largest(const struct status_waits *sum, size_t n, char *out, size_t size, size_t used,
                      const char *first, const char *behind)
{
    struct status_waits w;

    waits_diff(&(struct status_waits){0}, sum, &w);
    for (size_t i = 0; i < 3 && i < w.names && 2 * (size_t)w.name[i].time >= n; i++) {
        unsigned mean = (unsigned)((2 * (size_t)w.name[i].time + n) / (2 * n));
        ADD("%s", i ? ", " : first);
        if (behind)
            ADD("%u%s in ", mean, i ? "" : mean == 1 ? " session" : " sessions");
        ADD("%s", w.name[i].name);
        if (behind && *behind && (w.name[i].class == WAIT_ROW || w.name[i].class == WAIT_LOCK)) {
            ADD(" (behind %s)", behind);
            behind = "";
        }
    }
    return used;
}

bool ring_tell(const struct wait_ring *r, mono_ns from, mono_ns to, char *out, size_t size)
{
    struct status_waits of = {0}, own = {0};
    const char *why = NULL, *who = "";
    size_t n = 0, used = 0, last = r->n < RING_SAMPLES ? 0 : r->n - RING_SAMPLES;
    mono_ns begin = r->stopped > from ? r->stopped : from;
    mono_ns end = r->stopped_to < to ? r->stopped_to : to;

    if (end > begin && end - begin >= (to - from) / 2) {
        ADD("the server was stopped");
        return true;
    }
    for (size_t k = last; k < r->n; k++) {
        const struct ring_sample *v = &r->v[k % RING_SAMPLES];
        if (v->asked < from || v->answered > to)
            continue;
        why = v->of.why ? v->of.why : why;
        n += !v->of.why;
        waits_add_all(&of, &v->of, 1);
        for (const struct wait_time *t = v->own.name; t < v->own.name + v->own.names; t++)
            waits_add(&own, t->class, t->name, 1);
        who = v->of.behind                                 ? v->of.who
              : 2 * v->of.root[WAIT_CLASSES] > v->of.locks ? "a deadlock"
                                                           : who;
    }
    if (!n) {
        ADD("what the sessions waited for is not known (%s)",
            why ? why : "no answer in time: the server, its network or its thread pool may hang");
        return false;
    }
    used = largest(&of, n, out, size, used, "", who);
    bool known = waits_all(&of) > of.of[WAIT_CPU]; /* that they run explains no standstill */
    if (!used)
        ADD("the server had begun no statement of theirs");
    largest(&own, n, out, size, used, "; ", NULL);
    return known;
}
