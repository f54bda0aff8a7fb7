/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The names of the system calls of this machine, made from the kernel's headers when the program is
 * built (src/Makefile.am).  Private to src/telemetry
 */
#ifndef SB_TELEMETRY_SYSCALL_NAMES_H
#define SB_TELEMETRY_SYSCALL_NAMES_H

#include <stddef.h>

struct syscall_name {
    const char *name;
    long number;
};

extern const struct syscall_name syscall_names[];
extern const size_t syscall_names_count;

#endif
