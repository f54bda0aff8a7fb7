/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A process whose profile is known: three quarters of its CPU time in burn_hot, a quarter in
 * burn_warm, both below burn_inner, burn_outer and main; or, with `wait`, its time off the CPU in
 * burn_wait.  Built twice, with and without frame pointers (burn_fp, burn_nofp), to test how stacks
 * are unwound.
 *
 *     burn_fp [burn|wait] [THREADS]
 *
 * It prints its pid when all threads are at work and goes on until its standard input ends.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN __attribute__((noinline, noclone, externally_visible))

void burn_hot(volatile uint64_t *x);
void burn_warm(volatile uint64_t *x);
void burn_wait(volatile uint64_t *x);
void burn_inner(volatile uint64_t *x);
void burn_outer(volatile uint64_t *x);

static _Atomic int at_work, over, waiting;

OWN void burn_hot(volatile uint64_t *x)
{
    for (int i = 0; i < 300000; i++)
        *x = *x * 6364136223846793005u + 1;
}

OWN void burn_warm(volatile uint64_t *x)
{
    for (int i = 0; i < 100000; i++)
        *x = *x * 6364136223846793005u + 1;
}

OWN void burn_wait(volatile uint64_t *x)
{
    poll(NULL, 0, 10);
    *x += 1;
}

/* The sums after the calls keep the compiler from turning them into jumps, which leave no frame. */
OWN void burn_inner(volatile uint64_t *x)
{
    if (atomic_load(&waiting)) {
        burn_wait(x);
    } else {
        burn_hot(x);
        burn_warm(x);
    }
    *x += 1;
}

OWN void burn_outer(volatile uint64_t *x)
{
    burn_inner(x);
    *x += 2;
}

static void *work(void *arg)
{
    volatile uint64_t x = (uintptr_t)arg;

    atomic_fetch_add(&at_work, 1);
    while (!atomic_load(&over))
        burn_outer(&x);
    return NULL;
}

/* The first of them is the main thread, so another thread must wait for the end. */
static void *announce(void *arg)
{
    int threads = *(int *)arg;
    char c;

    while (atomic_load(&at_work) < threads)
        poll(NULL, 0, 1);
    printf("%d\n", (int)getpid());
    fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) > 0)
        ;
    atomic_store(&over, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t id;

    atomic_store(&waiting, argc > 1 && strcmp(argv[1], "wait") == 0);
    if (pthread_create(&id, NULL, announce, &threads))
        return 1;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&id, NULL, work, NULL))
            return 1;
    work(NULL);
    return 0;
}
