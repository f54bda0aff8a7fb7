/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See worker.h.  A look-up lives for as long as its thread runs, somebody waits for it, its list
 * is in use or its answer is fresh.
 *
 * Each name has a thread of its own while it is looked up, so a name that takes its 30 s does not
 * delay the others.  There are as many as there are different names, and they exist for the time of
 * the look-up only.
 *
 * State of the process: the list of look-ups, because getaddrinfo() has no context to keep it in.
 */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "base/thread.h"
#include "fiber/worker.h"

struct waiter {
    struct worker *worker; /* of the task that waits */
    LIST_ENTRY(waiter) entry;
};

struct look_up {
    char *node, *service; /* NULL: none */
    struct addrinfo hints;
    _Atomic uint32_t done; /* futex, and the word of tasks */
    /* once it is done */
    int rc, error;
    struct addrinfo *list;
    mono_ns fresh_until;
    /* under the lock */
    unsigned users; /* its thread, those that wait, those that hold the list */
    LIST_HEAD(, waiter) waiters;
    LIST_ENTRY(look_up) entry;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, look_up) all = LIST_HEAD_INITIALIZER(all);
static struct resolver_calls plain;

/* --- the C library's --- */

void resolver_use(const struct resolver_calls *calls)
{
    plain = *calls;
}

/* POSIX allows dlsym to return a function's address; C has no cast for it. */
static struct resolver_calls calls(void)
{
    union {
        void *address[2];
        struct resolver_calls of;
    } library = {{dlsym(RTLD_NEXT, "getaddrinfo"), dlsym(RTLD_NEXT, "freeaddrinfo")}};

    return plain.look_up ? plain : library.of;
}

/* --- look-ups; the caller holds the lock --- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* --- its thread --- */

static void answer(struct look_up *l)
{
    struct addrinfo *list = NULL;
    struct waiter *w;
    int rc = calls().look_up(l->node, l->service, &l->hints, &list), error = errno;

    pthread_mutex_lock(&lock);
    l->list = list;
    l->rc = rc;
    l->error = error;
    l->fresh_until = clock_mono() + RESOLVER_KEEPS;
    atomic_store(&l->done, 1);
    LIST_FOREACH(w, &l->waiters, entry)
        worker_poke(w->worker);
    clock_wake(&l->done);
    l->users--;
    pthread_mutex_unlock(&lock);
}

static void *look_up_thread(void *arg)
{
    answer(arg);
    return NULL;
}

/* --- those who ask --- */

/* One of the same question that is under way, or was answered so recently that nobody needs to ask
 * again; NULL: there is none.  Frees those that are over and have no user.  Under the lock. */
static struct look_up *find_look_up(const char *node, const char *service, const struct addrinfo *h)
{
    struct look_up *l, *next, *found = NULL;

    for (l = LIST_FIRST(&all); l; l = next) {
        next = LIST_NEXT(l, entry);
        if (!atomic_load(&l->done) || (l->rc == 0 && clock_mono() < l->fresh_until)) {
            if (!found && same_text(l->node, node) && same_text(l->service, service) &&
                l->hints.ai_flags == h->ai_flags && l->hints.ai_family == h->ai_family &&
                l->hints.ai_socktype == h->ai_socktype && l->hints.ai_protocol == h->ai_protocol)
                found = l;
        } else if (l->users == 0) {
            LIST_REMOVE(l, entry);
            if (l->list)
                calls().release(l->list);
            free(l->node);
            free(l->service);
            free(l);
        }
    }
    return found;
}

int resolver_look_up(const char *node, const char *service, const struct addrinfo *hints,
                     struct addrinfo **out)
{
    static const struct addrinfo no_hints = {.ai_flags = AI_V4MAPPED | AI_ADDRCONFIG};
    const struct addrinfo *h = hints ? hints : &no_hints;
    struct addrinfo numeric = *h;
    struct task *t = task_to_park();
    struct waiter here = {.worker = t ? t->worker : NULL};
    struct look_up *l;

    numeric.ai_flags |= AI_NUMERICHOST;
    if (!node || h->ai_flags & AI_NUMERICHOST)
        return calls().look_up(node, service, h, out);
    int rc = calls().look_up(node, service, &numeric, out); /* a number needs no look-up */
    if (rc != EAI_NONAME)
        return rc;
    pthread_mutex_lock(&lock);
    l = find_look_up(node, service, h);
    if (l) {
        l->users++;
    } else {
        pthread_t thread;
        l = mem_alloc(sizeof *l);
        l->node = mem_strdup(node);
        l->service = service ? mem_strdup(service) : NULL;
        l->hints = (struct addrinfo){.ai_flags = h->ai_flags,
                                     .ai_family = h->ai_family,
                                     .ai_socktype = h->ai_socktype,
                                     .ai_protocol = h->ai_protocol};
        l->users = 2; /* this one, and the thread */
        LIST_INIT(&l->waiters);
        LIST_INSERT_HEAD(&all, l, entry);
        if (thread_start_deaf(&thread, look_up_thread, l) == 0) {
            pthread_detach(thread);
        } else { /* without a thread, the caller looks up itself */
            pthread_mutex_unlock(&lock);
            answer(l);
            pthread_mutex_lock(&lock);
        }
    }
    mono_ns until = waits_limit(MONO_NEVER);
    if (t)
        LIST_INSERT_HEAD(&l->waiters, &here, entry);
    pthread_mutex_unlock(&lock);
    while (!atomic_load(&l->done) && !sched_sleep_until(until, &l->done, 0))
        ;
    pthread_mutex_lock(&lock);
    if (t)
        LIST_REMOVE(&here, entry);
    rc = EAI_FAIL;
    if (atomic_load(&l->done)) {
        errno = l->error;
        rc = l->rc;
        if (rc == 0) {
            l->users++;
            *out = l->list;
        }
    }
    l->users--;
    pthread_mutex_unlock(&lock);
    return rc;
}

void resolver_release(struct addrinfo *list)
{
    struct look_up *l;

    if (!list)
        return;
    pthread_mutex_lock(&lock);
    LIST_FOREACH(l, &all, entry)
        if (l->list == list)
            break;
    if (l)
        l->users--;
    pthread_mutex_unlock(&lock);
    if (!l)
        calls().release(list);
}
