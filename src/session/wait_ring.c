/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See wait_ring.h.
 */
#include "session/wait_ring.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOKS_APART (200 * NS_PER_MS)

/* Names for which there is no room are not told. */
static void count(struct ring_count *list, size_t room, const char *name, bool lock, unsigned n)
{
    for (size_t i = 0; i < room; i++)
        if (!list[i].n || strcmp(list[i].name, name) == 0) {
            snprintf(list[i].name, sizeof list[i].name, "%s", name);
            list[i].lock = lock;
            list[i].n += n;
            return;
        }
}

void ring_add(struct wait_ring *r, mono_ns asked, mono_ns answered, const char *why,
              const struct server_waits *list, const struct server_waits_seen *seen,
              const char *who)
{
    struct ring_sample *v = &r->v[r->n++ % RING_SAMPLES];
    char name[2 * WAIT_NAME_SIZE];
    int end = 0;

    *v = (struct ring_sample){.asked = asked, .answered = answered, .why = why};
    for (size_t i = 0; !why && i < list->sessions; i++) {
        const struct session_wait *w = &list->session[i];
        if (w->ours)
            count(v->of, RING_NAMES, w->name, w->class == WAIT_ROW || w->class == WAIT_LOCK, 1);
        snprintf(name, sizeof name, "%s in %s", w->own, w->name);
        if (w->own[0] && w->class != WAIT_CPU && w->class != WAIT_OTHER) /* autovacuum's naps */
            count(v->own, RING_OWN, name, false, 1);
    }
    if (why)
        return;
    v->behind = seen->behind;
    snprintf(v->who, sizeof v->who, "%s", seen->behind ? who : "");
    char *length = strrchr(v->who, 'f'); /* "... for 12 s": when it was asked, not at the end */
    if (length > v->who && length[-1] == ' ' && sscanf(length, "for %*u s%n", &end) == 0 && end)
        length[-1] = '\0';
}

void ring_stopped(struct wait_ring *r, mono_ns now)
{
    if (now - r->stopped_to > LOOKS_APART)
        r->stopped = now;
    r->stopped_to = now;
}

#define ADD(...) (used += used < size ? (size_t)snprintf(out + used, size - used, __VA_ARGS__) : 0)

/* The largest first; in at least half of n samples, if they are counted in each. */
static size_t largest(struct ring_count *list, size_t room, size_t n, char *out, size_t size,
                      size_t used, const char *first, const char *behind)
{
    bool sessions = behind != NULL;

    for (int told = 0; told < 3; told++) {
        struct ring_count *most = list;
        for (size_t i = 1; i < room; i++)
            most = list[i].n > most->n ? &list[i] : most;
        if (2 * most->n < n || !most->n)
            break;
        ADD("%s", told ? ", " : first);
        if (sessions) {
            unsigned mean = (unsigned)((2 * most->n + n) / (2 * n));
            ADD("%u%s in ", mean, told ? "" : mean == 1 ? " session" : " sessions");
        }
        ADD("%s", most->name);
        if (sessions && most->lock && *behind) {
            ADD(" (behind %s)", behind);
            behind = "";
        }
        most->n = 0;
    }
    return used;
}

static size_t unknown(char *out, size_t size, const char *why)
{
    return (size_t)snprintf(out, size, "what the sessions waited for is not known (%s)", why);
}

bool ring_tell(const struct wait_ring *r, mono_ns from, mono_ns to, char *out, size_t size)
{
    struct ring_count of[4 * RING_NAMES] = {0}, own[2 * RING_OWN] = {0};
    const struct ring_sample *who = NULL;
    const char *why = NULL;
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
        why = v->why ? v->why : why;
        n += !v->why;
        for (size_t i = 0; i < RING_NAMES && v->of[i].n; i++)
            count(of, 4 * RING_NAMES, v->of[i].name, v->of[i].lock, v->of[i].n);
        for (size_t i = 0; i < RING_OWN && v->own[i].n; i++)
            count(own, 2 * RING_OWN, v->own[i].name, false, 1);
        who = v->behind ? v : who;
    }
    if (!n) {
        unknown(out, size, why ? why : "no sample of them was asked for and answered meanwhile");
        return false;
    }
    used = largest(of, 4 * RING_NAMES, n, out, size, used, "", who ? who->who : "");
    bool known = used > 0;
    if (!known)
        ADD("the server had begun no statement of theirs");
    largest(own, 2 * RING_OWN, n, out, size, used, "; ", NULL);
    return known;
}
