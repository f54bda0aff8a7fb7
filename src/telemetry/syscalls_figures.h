/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arithmetic on readings of system calls (syscalls.h): the difference of two readings, the most
 * frequent calls first, and their names, which are those of the kernel's headers that the program
 * was built with.  Pure; any thread may call.
 */
#ifndef SB_TELEMETRY_SYSCALLS_FIGURES_H
#define SB_TELEMETRY_SYSCALLS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SYSCALLS_NUMBERS = 512, /* more than any kernel has; those beyond are not counted */
    SYSCALLS_LISTED = 100   /* at most */
};

struct syscall_count {
    uint64_t began, ended;
    uint64_t ns; /* in those that ended, waiting included */
    uint64_t errors;
};

/* Cumulative. */
struct syscalls_reading {
    bool have;
    unsigned generation; /* counts of another generation began anew: no difference */
    struct syscall_count v[SYSCALLS_NUMBERS];
};

struct syscall_figure {
    unsigned number;
    struct syscall_count c;
};

/* The most frequent ones first. */
struct syscalls_delta {
    const char *why; /* NULL, or why there are no figures */
    size_t n;
    struct syscall_figure f[SYSCALLS_LISTED];
    struct syscall_count all; /* those that are not listed, too */
    size_t kinds;             /* numbers that occurred */
};

/* The `most` most frequent calls between two readings. */
void syscalls_diff(const struct syscalls_reading *before, const struct syscalls_reading *after,
                   size_t most, struct syscalls_delta *out);

/* "futex"; "syscall_467" for one that this program's kernel headers do not have. */
const char *syscall_name(unsigned number, char buf[24]);

/* The reverse; a name that is not known has the last number. */
unsigned syscall_number(const char *name);

#endif
