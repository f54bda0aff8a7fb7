/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Allocate, or end the program with a sentence: before the run a load generator cannot go on
 * without memory, and its main loop allocates nothing.  Returned memory is zeroed and the caller's;
 * free it with free().  Any thread may call.
 */
#ifndef SB_BASE_MEM_H
#define SB_BASE_MEM_H

#include <ck_md.h>
#include <stddef.h>
#include <unistd.h>

/* The elements of an array. */
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define CACHE_LINE    CK_MD_CACHELINE
#define CACHE_ALIGNED _Alignas(CACHE_LINE)

void *mem_alloc(size_t size);
void *mem_array(size_t n, size_t size);
void *mem_grow(void *p, size_t n, size_t size); /* realloc; new part is not zeroed */
/* Room for one more than n elements of an array that only this makes longer: its memory doubles
 * when n is a power of two. */
void *mem_append(void *p, size_t n, size_t size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* n elements of a type whose size is a multiple of a cache line, on line boundaries. */
void *mem_array_aligned(size_t n, size_t size);

/* Returns the unused pages of the calling thread's stack to the system: connecting takes ten times
 * the stack of a transaction, and there are thousands of stacks.  Does nothing where that is not
 * possible. */
void mem_trim_stack(void);
/* The same for the stack of the fiber that the caller runs on: `low` is its lowest address. */
void mem_trim_stack_of(void *low, size_t size);

/* Memory for text that must not outlive its use: a password.  Core files leave it out
 * (MADV_DONTDUMP), and it is overwritten when it is freed.  Each text has pages of its own, so this
 * is for a few of them. */
char *hidden_dup(const char *text);
void hidden_free(char *text); /* NULL is allowed */

/* Closes a descriptor; a negative one is none.  A macro: it is the caller that may be parked. */
#define fd_close(fd) ((void)((fd) >= 0 && close(fd)))

#endif
