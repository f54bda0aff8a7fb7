/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table from numbers (process and thread ids, addresses) to pointers.  {0} is empty; the caller
 * owns the objects that they point to.  One thread at a time.  Private to src/profile
 */
#ifndef SB_PROFILE_MAP64_H
#define SB_PROFILE_MAP64_H

#include <stddef.h>
#include <stdint.h>

struct map64_slot {
    uint64_t key;
    void *value; /* NULL: empty */
};

struct map64 {
    struct map64_slot *slot;
    size_t n, cap;
};

void *map64_get(const struct map64 *m, uint64_t key);       /* NULL: not there */
void map64_set(struct map64 *m, uint64_t key, void *value); /* value is not NULL */
void *map64_take(struct map64 *m, uint64_t key); /* removes; what it was, NULL: not there */
void map64_free(struct map64 *m);

#endif
