/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread that handles no signal: those of the process are for the others.
 */
#ifndef SB_BASE_THREAD_H
#define SB_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* As pthread_create(). */
static inline int thread_start_deaf(pthread_t *t, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(t, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

#endif
