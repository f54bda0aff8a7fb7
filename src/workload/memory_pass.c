/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See memory_pass.h.
 */
#include "workload/memory_pass.h"

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t word;
typedef _Atomic uint32_t number;

/* The three operations on a word or an int. */
#define READ(p)  __asm__ volatile("" : : "r"(atomic_load_explicit(p, memory_order_relaxed)))
#define WRITE(p) atomic_store_explicit(p, 0, memory_order_relaxed)
#define SKIP(p)  __asm__ volatile("" : : "r"(p))

/* In order 16 words a turn, so that loads and stores are the limit and not the counting. */
#define FOUR(access, p)                                                                            \
    access(p);                                                                                     \
    access((p) + 1);                                                                               \
    access((p) + 2);                                                                               \
    access((p) + 3)
#define WORDS(name, access)                                                                        \
    static void name##_in_order(void *block, size_t bytes, struct rng *unused)                     \
    {                                                                                              \
        size_t words = bytes / sizeof(word), i = 0;                                                \
        word *p = block;                                                                           \
        (void)unused;                                                                              \
        for (; i + 16 <= words; i += 16, p += 16) {                                                \
            FOUR(access, p);                                                                       \
            FOUR(access, p + 4);                                                                   \
            FOUR(access, p + 8);                                                                   \
            FOUR(access, p + 12);                                                                  \
        }                                                                                          \
        for (; i < words; i++, p++) {                                                              \
            access(p);                                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_at_random(void *block, size_t bytes, struct rng *stream)                    \
    {                                                                                              \
        struct rng r = *stream; /* in registers */                                                 \
        size_t words = bytes / sizeof(word);                                                       \
        word *p = block;                                                                           \
        for (size_t i = 0; i < words; i++) {                                                       \
            word *at = p + (size_t)(rng_double(&r) * (double)words);                               \
            access(at);                                                                            \
        }                                                                                          \
        *stream = r;                                                                               \
    }

#define INTS(name, access)                                                                         \
    static void name##_ints(void *block, size_t bytes, struct rng *unused)                         \
    {                                                                                              \
        number *p = block, *end = p + bytes / sizeof *p;                                           \
        (void)unused;                                                                              \
        for (; p < end; p++) {                                                                     \
            access(p);                                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_one_int(void *block, size_t bytes, struct rng *r)                           \
    {                                                                                              \
        size_t n = bytes / sizeof(number);                                                         \
        number *p = (number *)block + (size_t)(rng_double(r) * (double)n);                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            access(p);                                                                             \
        }                                                                                          \
    }

WORDS(read, READ)
WORDS(write, WRITE)
WORDS(none, SKIP)
INTS(read, READ)
INTS(write, WRITE)
INTS(none, SKIP)

memory_pass *memory_pass_of(enum memory_oper oper, bool random, bool ints)
{
    static memory_pass *const pass[][2][2] = {
        [MEMORY_READ] = {{read_in_order, read_at_random}, {read_ints, read_one_int}},
        [MEMORY_WRITE] = {{write_in_order, write_at_random}, {write_ints, write_one_int}},
        [MEMORY_NONE] = {{none_in_order, none_at_random}, {none_ints, none_one_int}},
    };

    return pass[oper][ints][random];
}
