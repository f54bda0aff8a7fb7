/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prefetch of the memory that a client's next turn will touch.  With hundreds of clients on one
 * thread, a client's memory (stack, connection, statement: some hundred cache lines) is no longer
 * in the cache when its turn begins, and the CPU waits for the lines one after the other, because
 * each holds the address of the next.  Prefetched together, before the system call that begins a
 * turn, they are in the cache when that call returns.
 *
 *     sql, engine, script:  prefetch_for(), prefetch_add()   note what a client uses when it
 * changes fiber:                prefetch_start()                 when the client's turn begins
 *
 * A note is a hint: addresses are never dereferenced, and prefetching freed memory does no harm.
 * So notes and memory need not be kept in step.
 *
 * What it is worth: with 512 clients on two workers at a held rate, a client without it takes 1.10
 * times the CPU per point select and 1.15 times per oltp_read_only (medians of 24 interleaved pairs
 * on two shared CPUs; PostgreSQL's point select: 1.10).
 */
#ifndef SB_BASE_PREFETCH_H
#define SB_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* With fewer clients than this on a worker, their memory stays in a CPU's own cache, and
 * prefetching costs more than it saves. */
#define PREFETCH_FROM 96

/* Lists of one client.  The floors above number them: PREFETCH_OF_... in engine/client.h,
 * sql/sql_driver.h. */
#define PREFETCH_PARTS 3

/* The most ranges that a list holds; further ones are left out. */
#define PREFETCH_RANGES 10

struct prefetch_list {
    /* the object that the ranges belong to (a connection, a statement); NULL: nothing is noted */
    const void *of;
    size_t n;
    uintptr_t range[PREFETCH_RANGES]; /* address of the first line | number of further lines */
};

struct prefetch {
    struct prefetch_list part[PREFETCH_PARTS];
};

/* The notes of the client that runs on this thread; NULL: nothing is to be noted. */
extern _Thread_local struct prefetch *prefetch_here;

/* Empties list `part` so that it can be filled for `of`; returns NULL when the list is that
 * object's already, or nothing is to be noted.  The list belongs to the running client and is valid
 * until another one runs. */
struct prefetch_list *prefetch_for(unsigned part, const void *of);

/* List `part` with its contents, to add to; NULL: nothing is to be noted. */
static inline struct prefetch_list *prefetch_more(unsigned part)
{
    return prefetch_here ? &prefetch_here->part[part] : NULL;
}

/* The memory of `of` has moved or was freed: the next prefetch_for() empties its list. */
void prefetch_forget(const void *of);

/* Adds bytes of l->of's memory, at most 4 KiB (CACHE_LINE lines) in one range.  NULL or 0 bytes add
 * nothing. */
void prefetch_add(struct prefetch_list *l, const void *p, size_t bytes);

/* The same, from an address up to another. */
static inline void prefetch_span(struct prefetch_list *l, const void *from, const void *to)
{
    prefetch_add(l, from, (size_t)((const char *)to - (const char *)from));
}

/* Starts the prefetch of all ranges without waiting for them.  Any thread may call it. */
void prefetch_start(const struct prefetch *w);

/* The same for plain memory. */
static inline void prefetch_bytes(const void *p, size_t bytes)
{
    for (uintptr_t at = (uintptr_t)p, end = at + bytes; at < end; at += CACHE_LINE)
        __builtin_prefetch((const void *)at, 0, 3);
}

#endif
