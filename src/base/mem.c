/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mem.h.  abort() would leave an unwanted core file; exit status 1 and one line on stderr is
 * what the rest of the program does when the system refuses something.
 */
#include "base/mem.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noreturn)) static void end_without_memory(size_t size)
{
    fprintf(stderr, "sysbench: out of memory (%zu bytes wanted; see ulimit -v)\n", size);
    _exit(1);
}

static void *check_allocated(void *p, size_t size)
{
    if (!p && size)
        end_without_memory(size);
    return p;
}

void *mem_alloc(size_t size)
{
    return check_allocated(calloc(1, size ? size : 1), size);
}

void *mem_array(size_t n, size_t size)
{
    return check_allocated(calloc(n ? n : 1, size),
                           n > SIZE_MAX / (size ? size : 1) ? SIZE_MAX : n * size);
}

void *mem_grow(void *p, size_t n, size_t size)
{
    return check_allocated(reallocarray(p, n, size), n * size);
}

void *mem_append(void *p, size_t n, size_t size)
{
    return n & (n - 1) ? p : mem_grow(p, n ? 2 * n : 1, size);
}

char *mem_strdup(const char *s)
{
    return check_allocated(strdup(s), strlen(s) + 1);
}

char *mem_strndup(const char *s, size_t n)
{
    return check_allocated(strndup(s, n), n + 1);
}

char *mem_printf(const char *fmt, ...)
{
    char *out = NULL;
    va_list ap;

    va_start(ap, fmt);
    int n = vasprintf(&out, fmt, ap);
    va_end(ap);
    return check_allocated(n < 0 ? NULL : out, strlen(fmt));
}

void *mem_array_aligned(size_t n, size_t size)
{
    size_t total = n * size;

    if (total == 0)
        total = CACHE_LINE;
    total = (total + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *p = check_allocated(aligned_alloc(CACHE_LINE, total), total);
    memset(p, 0, total);
    return p;
}

void mem_trim_stack_of(void *start, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
              low = ((uintptr_t)start + page - 1) & ~(page - 1);
    /* a page below this frame stays: the call itself and a signal handler */
    uintptr_t high = ((uintptr_t)__builtin_frame_address(0) & ~(page - 1)) - page;

    if (high > low && high - low < size)
        madvise((void *)low, high - low, MADV_DONTNEED);
}

void mem_trim_stack(void)
{
    pthread_attr_t attr;
    size_t size;
    void *start;

    if (pthread_getattr_np(pthread_self(), &attr))
        return;
    if (pthread_attr_getstack(&attr, &start, &size) == 0)
        mem_trim_stack_of(start, size);
    pthread_attr_destroy(&attr);
}

/* --- text that must not outlive its use, on pages of its own --- */

char *hidden_dup(const char *text)
{
    size_t n = strlen(text) + 1;
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check_allocated(p == MAP_FAILED ? NULL : p, n);
    madvise(p, n, MADV_DONTDUMP);
    return memcpy(p, text, n);
}

void hidden_free(char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;

    if (!text)
        return;
    explicit_bzero(text, n);
    munmap(text, n);
}
