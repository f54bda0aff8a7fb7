/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory is zeroed, and aligned where requested; a program that gets none ends with a sentence;
 * stack pages that were returned are no longer in memory and remain usable.
 */
#include "base/mem.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/test_capture.h"

static int zeroed(const void *p, size_t n)
{
    const char *at = p;

    for (size_t i = 0; i < n; i++)
        if (at[i])
            return 0;
    return 1;
}

static void plain(void)
{
    char *p = mem_alloc(100), *none = mem_alloc(0);
    int *a = mem_array(50, sizeof *a), *empty = mem_array(0, sizeof *a);

    CHECK(zeroed(p, 100));
    CHECK(zeroed(a, 50 * sizeof *a));
    CHECK(none && empty);
    a[49] = 7;
    a = mem_grow(a, 5000, sizeof *a);
    CHECK_INT(a[49], 7);
    free(p);
    free(none);
    free(a);
    free(empty);
}

static void aligned(void)
{
    for (size_t n = 0; n < 4; n++) {
        char *p = mem_array_aligned(n, CACHE_LINE);
        CHECK_INT((uintptr_t)p % CACHE_LINE, 0);
        CHECK(zeroed(p, n * CACHE_LINE));
        free(p);
    }
}

static int ask_for_much(void)
{
    volatile size_t much = SIZE_MAX / 2;

    setenv("ASAN_OPTIONS", "allocator_may_return_null=1", 1);
    return !mem_array(much, 8);
}

/* A request larger than any memory gives the sentence, and exit status 1. */
static void refused(void)
{
    int status;
    const char *seen = captured_child(&status, STDERR_FILENO, ask_for_much);

    CHECK(*seen);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(strstr(seen,
                 "sysbench: out of memory (18446744073709551615 bytes wanted; see ulimit -v)\n") !=
          NULL);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
#endif
}

#define DEEP ((size_t)256 * 1024)
/* Sanitizers put much of their own into a thread's stack. */
#define ROOM (16 * DEEP)

/* The pages of a stack that are in memory. */
static size_t resident(const void *low, size_t size)
{
    static unsigned char in[1 << 16];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;

    if (size / page > sizeof in || mincore((void *)(uintptr_t)low, size, in))
        return 0;
    for (size_t i = 0; i < size / page; i++)
        n += in[i] & 1;
    return n;
}

static __attribute__((noinline)) int use_stack(void)
{
    volatile char much[DEEP];

    for (size_t i = 0; i < sizeof much; i += 512)
        much[i] = 1;
    return much[512];
}

static void *trimmer(void *arg)
{
    size_t *pages = arg, size = 0;
    void *low = NULL;
    pthread_attr_t attr;

    CHECK_INT(pthread_getattr_np(pthread_self(), &attr), 0);
    CHECK_INT(pthread_attr_getstack(&attr, &low, &size), 0);
    pthread_attr_destroy(&attr);
    CHECK_INT(use_stack(), 1);
    pages[0] = resident(low, size);
    mem_trim_stack();
    pages[1] = resident(low, size);
    CHECK_INT(use_stack(), 1);
    pages[2] = resident(low, size);
    return NULL;
}

static void trimmed(void)
{
    size_t pages[3] = {0}, deep = DEEP / (size_t)sysconf(_SC_PAGESIZE);
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, ROOM);
    CHECK_INT(pthread_create(&thread, &attr, trimmer, pages), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    CHECK(pages[0] >= deep && pages[2] >= deep);
    CHECK(pages[0] - pages[1] > deep / 2); /* all but those in use: thread-local data is there */
}

/* One more each time, from any length. */
static void appends(void)
{
    int *a = NULL;
    size_t n = 0;

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            a = mem_append(a, n, sizeof *a);
            a[n++] = i;
        }
        for (size_t i = 0; i < n; i++)
            CHECK_INT(a[i], i < n - 1000 ? (int)i : (int)(i - (n - 1000)));
        n = round ? 4 : 512; /* it may have become shorter */
    }
    free(a);
}

/* The flags of the mapping that holds the address: " dd " or not; -1: there is none. */
static int left_out(const char *at)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    bool here = false;
    int result = -1;

    while (f && result < 0 && fgets(line, sizeof line, f)) {
        uintptr_t low, high;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &low, &high) == 2)
            here = (uintptr_t)at >= low && (uintptr_t)at < high;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            result = strstr(line, " dd") != NULL;
    }
    if (f)
        fclose(f);
    return result;
}

/* A hidden text's pages are left out of core files, and gone afterwards. */
static void hidden(void)
{
    char *longer = mem_alloc(100001), *text;

    CHECK_INT(left_out(longer), 0);
    memset(longer, 'x', 100000);
    text = hidden_dup("sesame");
    CHECK_STR(text, "sesame");
    CHECK_INT(left_out(text), 1);
    hidden_free(text);
    text = hidden_dup(longer);
    CHECK_STR(text, longer);
    CHECK_INT(left_out(text), 1);
    CHECK_INT(left_out(text + 100000), 1);
    hidden_free(text);
    text = hidden_dup("");
    CHECK_STR(text, "");
    hidden_free(text);
    hidden_free(NULL);
    free(longer);
}

TEST_MAIN(mem_test)
{
    appends();
    plain();
    aligned();
    refused();
    trimmed();
    hidden();
    return test_done("mem");
}
