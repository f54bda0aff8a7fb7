/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See warm.h.  A stretch is one word: lines begin at multiples of their size, which leaves the
 * lowest bits of an address for their number.
 */
#include "base/warm.h"

#define LINE ((uintptr_t)CACHE_LINE)

_Thread_local struct warm *warm_here;

struct warm_list *warm_for(enum warm_part part, const void *of)
{
    struct warm_list *l;

    if (!warm_here)
        return NULL;
    l = &warm_here->part[part];
    if (l->of == of)
        return NULL;
    l->of = of;
    l->n = 0;
    return l;
}

void warm_forget(const void *of)
{
    for (int i = 0; warm_here && i < WARM_PARTS; i++) {
        if (warm_here->part[i].of == of) {
            warm_here->part[i].of = NULL;
            warm_here->part[i].n = 0;
        }
    }
}

void warm_add(struct warm_list *l, const void *p, size_t bytes)
{
    uintptr_t first = (uintptr_t)p & ~(LINE - 1), more;

    if (!p || bytes == 0 || l->n == WARM_STRETCHES)
        return;
    more = ((uintptr_t)p + bytes - 1 - first) / LINE;
    l->stretch[l->n++] = first | (more < LINE ? more : LINE - 1);
}

void warm_fetch(const struct warm *w)
{
    for (int i = 0; i < WARM_PARTS; i++) {
        const struct warm_list *l = &w->part[i];
        for (size_t k = 0; k < l->n; k++) {
            uintptr_t more = l->stretch[k] & (LINE - 1);
            warm_fetch_bytes((const void *)(l->stretch[k] - more), (more + 1) * LINE);
        }
    }
}
