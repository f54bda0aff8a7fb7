/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The main() of every unit test program.  The tests of a directory are linked once, not once each:
 * each x_test.c registers itself by TEST_MAIN(x_test), and the program runs the one whose name it
 * is called by (a link that the Makefile makes), or that its first argument names.  Without either
 * it lists them.  One process runs one test, so tests share no state.
 */
#include "base/test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static struct test_entry *entries; /* filled before main(); constant from then on */

bool test_leaves_memory;

void test_add(struct test_entry *e)
{
    e->next = entries;
    entries = e;
}

/* LeakSanitizer asks at the end. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return test_leaves_memory;
}

/* Some tests fork beside the thread that watches the machine (base/test_timed.h), and the child
 * starts threads.  ThreadSanitizer would end it. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

#ifndef __SANITIZE_THREAD__ /* which finds more than this */
/* Every unlock in a test is of a mutex that is held: what was read or written before it without the
 * lock would seldom show. */
__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t *m);
int pthread_mutex_unlock(pthread_mutex_t *m)
{
    static int (*_Atomic unlock)(pthread_mutex_t *);

    if (!unlock)
        *(void **)(void *)&unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    if (pthread_mutex_trylock(m) == 0) {
        fputs("a mutex was unlocked that nobody held\n", stderr);
        abort();
    }
    return unlock(m);
}
#endif

int main(int argc, char **argv)
{
    signal(SIGINT, SIG_DFL); /* a shell's background command ignores it, and so would a run */
    for (int i = 0; i < 2 && i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        const char *name = slash ? slash + 1 : argv[i];
        for (const struct test_entry *e = entries; e; e = e->next)
            if (strcmp(e->name, name) == 0)
                return e->run(argc - i, argv + i);
    }
    for (const struct test_entry *e = entries; e; e = e->next)
        printf("%s\n", e->name);
    return 1;
}
