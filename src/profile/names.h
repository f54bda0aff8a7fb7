/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: function names as shown: C++ names are demangled without their parameter
 * lists, which would make boxes unreadable.  The demangler is that of the C++ library, loaded at
 * the first such name if this host has it.  Also reads the kernel's symbols.  One thread at a time.
 */
#ifndef SB_PROFILE_NAMES_H
#define SB_PROFILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Appends what to show for a symbol. */
void names_clean(struct str *out, const char *symbol);

struct kernel_names; /* opaque: /proc/kallsyms by address */

/* NULL: this user may not see the addresses (kernel.kptr_restrict). */
struct kernel_names *kernel_names_read(const char *path);
void kernel_names_free(struct kernel_names *k);

/* The function at an address; NULL: none. */
const char *kernel_name(const struct kernel_names *k, uint64_t addr);

#endif
