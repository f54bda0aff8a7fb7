/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which file is mapped where in a process: from /proc/PID/maps at first, updated by the kernel's
 * records of later mappings.  A forked process shares its parent's list until one of them maps
 * something, so thousands of PostgreSQL backends need no more memory than one.
 *
 * One thread at a time.
 */
#ifndef SB_PROFILE_SPACE_H
#define SB_PROFILE_SPACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "profile/object.h"

struct mapping {
    uint64_t start, end, offset;
    size_t object;
};

struct space {
    struct mapping *map; /* by address */
    size_t n, cap;
    int users;
    mono_ns read_at;
};

struct space *space_new(void);
struct space *space_share(struct space *s);
void space_drop(struct space *s);

/* A private copy of the list, before a change. */
struct space *space_own(struct space *s);

/* Reads the executable mappings of a process anew; -1: they cannot be read, and nothing changes. */
int space_read(struct space *s, pid_t pid, struct objects *objects, mono_ns now);

/* Adds a mapping, which replaces those that it overlaps. */
void space_add(struct space *s, struct mapping m);

const struct mapping *space_find(const struct space *s, uint64_t addr); /* NULL: none */

#endif
