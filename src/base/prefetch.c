/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See prefetch.h.  A range is one word: lines begin at multiples of their size, which leaves the
 * lowest bits of an address for their number.
 */
#include "base/prefetch.h"

#define LINE ((uintptr_t)CACHE_LINE)

_Thread_local struct prefetch *prefetch_here;

struct prefetch_list *prefetch_for(unsigned part, const void *of)
{
    if (!prefetch_here)
        return NULL;
    struct prefetch_list *l = &prefetch_here->part[part];
    if (l->of == of)
        return NULL;
    l->of = of;
    l->n = 0;
    return l;
}

void prefetch_forget(const void *of)
{
    for (int i = 0; prefetch_here && i < PREFETCH_PARTS; i++) {
        if (prefetch_here->part[i].of == of) {
            prefetch_here->part[i].of = NULL;
            prefetch_here->part[i].n = 0;
        }
    }
}

void prefetch_add(struct prefetch_list *l, const void *p, size_t bytes)
{
    uintptr_t first = (uintptr_t)p & ~(LINE - 1), more;

    if (!p || bytes == 0 || l->n == PREFETCH_RANGES)
        return;
    more = ((uintptr_t)p + bytes - 1 - first) / LINE;
    l->range[l->n++] = first | (more < LINE ? more : LINE - 1);
}

void prefetch_start(const struct prefetch *w)
{
    for (int i = 0; i < PREFETCH_PARTS; i++) {
        const struct prefetch_list *l = &w->part[i];
        for (size_t k = 0; k < l->n; k++) {
            uintptr_t more = l->range[k] & (LINE - 1);
            prefetch_bytes((const void *)(l->range[k] - more), (more + 1) * LINE);
        }
    }
}
