/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One event of the built-in test `memory`: one pass over a block.  Every access is one atomic load
 * or store without ordering: exactly one plain instruction a word, which the compiler may neither
 * drop nor merge, and clients share the block (--memory-scope=global) on purpose.
 *
 * 1.0 and 1.1 access words of 8 bytes, in order or as many as the block has at random positions.
 * 0.4 and 0.5 accessed ints, in order or one at a random position again and again.
 *
 * Private to src/workload
 */
#ifndef SB_WORKLOAD_MEMORY_PASS_H
#define SB_WORKLOAD_MEMORY_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rng.h"

enum memory_oper { MEMORY_READ, MEMORY_WRITE, MEMORY_NONE };

typedef void memory_pass(void *block, size_t bytes, struct rng *r);

memory_pass *memory_pass_of(enum memory_oper oper, bool random, bool ints);

#endif
