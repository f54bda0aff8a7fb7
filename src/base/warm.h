/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that somebody will touch when it runs again.  With hundreds of clients on one thread each
 * transaction finds its client's memory out of the cache: stack, connection, statement, some
 * hundred lines, and waits for them one after the other, because each tells where the next is.
 * Asked for all at once, before the system call with which a turn begins, they are there when that
 * returns.
 *
 *     sql, engine, script:  warm_for(), warm_add()   what a client uses, noted when it changes
 *     carry:                warm_fetch()             when its turn begins
 *
 * Nothing depends on it: addresses are never looked through, and asking for one that is gone does
 * no harm.  So nobody has to take care that what was noted still exists.
 */
#ifndef SB_BASE_WARM_H
#define SB_BASE_WARM_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* With fewer clients than this on a worker, or with threads of their own, their memory stays in a
 * CPU's own cache, and asking for it costs more than it saves. */
#define WARM_FROM 96

enum warm_part { WARM_CLIENT, WARM_CONNECTION, WARM_STATEMENT, WARM_PARTS };

/* Stretches of memory that one part can have; what is more is left out. */
#define WARM_STRETCHES 10

struct warm_list {
    const void
        *of; /* the connection or the statement that it is the memory of; NULL: nothing is noted */
    size_t n;
    uintptr_t stretch[WARM_STRETCHES]; /* address of the first line | number of further lines */
};

struct warm {
    struct warm_list part[WARM_PARTS];
};

/* Where whoever runs on this thread notes what it uses; NULL: nobody wants to know. */
extern _Thread_local struct warm *warm_here;

/* The list to fill for `of`, emptied; NULL: it is filled already, or nobody wants to know.  It
 * belongs to whoever runs, and is valid until somebody else does. */
struct warm_list *warm_for(enum warm_part part, const void *of);

/* One that is filled already, to add to; NULL: nobody wants to know. */
static inline struct warm_list *warm_more(enum warm_part part)
{
    return warm_here ? &warm_here->part[part] : NULL;
}

/* The memory of `of` has moved or is gone: the next warm_for() asks anew. */
void warm_forget(const void *of);

/* Bytes of l->of's memory, at most 4 KiB (CACHE_LINE lines) at a time; NULL and 0 bytes are
 * nothing. */
void warm_add(struct warm_list *l, const void *p, size_t bytes);

/* Asks the memory for all of it, and does not wait.  Any thread. */
void warm_fetch(const struct warm *w);

/* The same of plain memory. */
static inline void warm_fetch_bytes(const void *p, size_t bytes)
{
    for (uintptr_t at = (uintptr_t)p, end = at + bytes; at < end; at += CACHE_LINE)
        __builtin_prefetch((const void *)at, 0, 3);
}

#endif
