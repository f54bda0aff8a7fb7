/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See interpose.h.  On a task the waits park its fiber; on any other thread they do the system
 * call, and after a wait prefetch the client's memory.  Names are looked up in fiber/resolver.c,
 * for tasks and threads alike: the libraries still get names, which TLS compares with certificates,
 * and try all addresses of each.
 *
 * Other calls block the worker as they would block a thread: reading from files, locks.
 *
 * A signal mask that ppoll() or pselect() would set while waiting is ignored on a task: the wait is
 * the worker's.
 *
 * Whether a client library calls our poll() is seen in its table of dynamic symbols: it does when
 * it imports the name, and the imports are the undefined names at the beginning of the table.
 */
#undef _FORTIFY_SOURCE
#include "interpose/interpose.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "fiber/worker.h"

bool (*_Atomic send_guard)(const void *caller, const void *bytes, size_t n);
void (*_Atomic send_watch)(int fd, const void *bytes, size_t n);

#define PIECE NS_PER_SEC /* of a wait with a limit */

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24 /* Linux 4.2 */
#endif

#pragma GCC visibility push(default)

/* The functions that the C library's headers substitute when poll() is checked at run time;
 * libraries may be built that way. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                size_t size);

static dur_ns duration(const struct timespec *ts)
{
    return (dur_ns)ts->tv_sec * NS_PER_SEC + ts->tv_nsec;
}

static bool is_valid(const struct timespec *ts)
{
    return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < NS_PER_SEC &&
           ts->tv_sec < MONO_NEVER / NS_PER_SEC / 2;
}

/* As plain_ppoll, but not beyond the limit of sched_limit_waits().  In pieces, because the signal
 * that cancels a wait may come just before it. */
static int limited_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                         const sigset_t *mask)
{
    mono_ns until = MONO_NEVER, left;
    int rc;

    if (waits_limit(until) == until || (timeout && !is_valid(timeout)))
        return plain_ppoll(fds, n, timeout, mask);
    if (timeout)
        until = clock_mono() + duration(timeout);
    do {
        left = waits_limit(until) - clock_mono();
        left = left > 0 ? left : 0;
        struct timespec piece =
            (struct timespec){.tv_sec = left / NS_PER_SEC, .tv_nsec = left % NS_PER_SEC};
        if (left > PIECE)
            piece = (struct timespec){.tv_sec = PIECE / NS_PER_SEC};
        rc = plain_ppoll(fds, n, &piece, mask);
    } while (rc == 0 && left > PIECE);
    return rc;
}

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * NS_PER_MS};
    struct task *t = task_to_park();

    if (timeout_ms == 0)
        return plain_ppoll(fds, n, &ts, NULL);
    if (t)
        return task_poll(
            t, fds, n,
            waits_limit(timeout_ms < 0 ? MONO_NEVER : clock_mono() + timeout_ms * NS_PER_MS));
    int rc = limited_ppoll(fds, n, timeout_ms < 0 ? NULL : &ts, NULL);
    sched_woke();
    return rc;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    struct task *t = task_to_park();

    if (t && (!timeout || (is_valid(timeout) && duration(timeout) > 0)))
        return task_poll(t, fds, n,
                         waits_limit(timeout ? clock_mono() + duration(timeout) : MONO_NEVER));
    int rc = limited_ppoll(fds, n, timeout, mask);
    if (!timeout || duration(timeout) > 0)
        sched_woke();
    return rc;
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size)
{
    if (size / sizeof *fds < n)
        abort();
    return poll(fds, n, timeout_ms);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                size_t size)
{
    if (size / sizeof *fds < n)
        abort();
    return ppoll(fds, n, timeout, mask);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *left)
{
    struct timespec now = {0};
    struct task *t = task_to_park();
    int saved = errno, rc;

    if (t && clock != CLOCK_THREAD_CPUTIME_ID && is_valid(want) &&
        (!(flags & TIMER_ABSTIME) || clock_gettime(clock, &now) == 0)) {
        task_sleep(t, clock_mono() + duration(want) - duration(&now));
        return 0;
    }
    if (clock == CLOCK_THREAD_CPUTIME_ID)
        return EINVAL;
    rc = syscall(SYS_clock_nanosleep, clock, flags, want, left) ? errno : 0;
    sched_waits++;
    errno = saved; /* this one returns its error */
    return rc;
}

int nanosleep(const struct timespec *want, struct timespec *left)
{
    int rc = clock_nanosleep(CLOCK_MONOTONIC, 0, want, left);

    if (rc == 0)
        return 0;
    errno = rc;
    return -1;
}

int usleep(useconds_t us)
{
    struct timespec ts = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * NS_PER_US};

    return nanosleep(&ts, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec ts = {.tv_sec = seconds}, left = {0};

    if (nanosleep(&ts, &left) == 0)
        return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= NS_PER_SEC / 2);
}

ssize_t recv(int fd, void *buf, size_t len, int flags)
{
    if (sched_current)
        return task_recv(sched_current, fd, buf, len, flags);
    ssize_t n = plain_recv(fd, buf, len, flags);
    return flags & MSG_PEEK ? n : sched_received(n);
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
    bool (*may_send)(const void *, const void *, size_t) =
        atomic_load_explicit(&send_guard, memory_order_acquire);
    void (*look)(int, const void *, size_t) =
        atomic_load_explicit(&send_watch, memory_order_acquire);

    if (may_send && !may_send(__builtin_return_address(0), buf, len)) {
        errno = EPROTO;
        return -1;
    }
    if (look)
        look(fd, buf, len);
    ssize_t n = syscall(SYS_sendto, fd, buf, len, flags, NULL, 0);
    if (sched_current)
        task_sent(sched_current, fd, n >= 0 && (size_t)n == len);
    return n;
}

int close(int fd)
{
    if (sched_current)
        task_closed(sched_current, fd);
    return plain_close(fd);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    return resolver_look_up(node, service, hints, out);
}

void freeaddrinfo(struct addrinfo *list)
{
    resolver_release(list);
}

#pragma GCC visibility pop

/* --- bind() --- */

/* another name, because the C library declares its own with a type of argument that is not ours */
__attribute__((visibility("default"))) int late_bind(int fd, const struct sockaddr *address,
                                                     socklen_t size) __asm__("bind");

/* The load address of the library; file-scope because the call comes without a context of ours. */
static _Atomic(const void *) late_library;

const void *library_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

void bind_late_for(const void *function)
{
    const void *found = library_of(function);

    if (found != library_of((const void *)bind_late_for)) /* unless it is linked statically */
        atomic_store(&late_library, found);
}

int late_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    const void *late = atomic_load(&late_library);
    /* the port is in the same place in both families */
    bool any_port = (address->sa_family == AF_INET || address->sa_family == AF_INET6) &&
                    ((const struct sockaddr_in *)(const void *)address)->sin_port == 0;
    int yes = 1;

    if (late && any_port && library_of(__builtin_return_address(0)) == late)
        setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    return (int)syscall(SYS_bind, fd, address, size);
}

/* --- checks --- */

int interpose_check(struct err *e)
{
    void *found = dlsym(RTLD_DEFAULT, "poll");

    if (found == (void *)(uintptr_t)poll)
        return 0;
    return err_set(e, ERR_FAILED,
                   "--workers needs client libraries to find this program's own poll(), and this "
                   "program does not export it: --workers=0 gives each client a thread");
}

/* All of these are ours, and have the same implementation. */
static const char *const waits[] = {"poll", "ppoll", "__poll_chk", "__ppoll_chk"};

/* Addresses in the dynamic section are absolute where the linker has relocated them, as it mostly
 * does, and relative to the object elsewhere. */
static const void *loaded_address(const struct link_map *m, ElfW(Addr) a)
{
    return (const void *)(uintptr_t)(a < m->l_addr ? m->l_addr + a : a);
}

int library_check(const void *function, struct err *e)
{
    const uint32_t *gnu = NULL, *sysv = NULL;
    const ElfW(Sym) *table = NULL;
    struct link_map *m = NULL;
    const char *names = NULL;
    Dl_info info;
    size_t n = 0; /* 0: not known */

    void *library =
        dladdr(function, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    if (library) {
        dlinfo(library, RTLD_DI_LINKMAP, &m);
        dlclose(library);
    }
    if (!m || !*m->l_name)
        return 0; /* linked into the program, where our poll() is the only one */
    for (const ElfW(Dyn) *d = m->l_ld; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            table = loaded_address(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB)
            names = loaded_address(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_GNU_HASH)
            gnu = loaded_address(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_HASH)
            sysv = loaded_address(m, d->d_un.d_ptr);
    }
    if (table && names) /* the newer table begins with the number of names that are not in it: the
                           undefined */
        n = gnu ? gnu[1] : sysv ? sysv[1] : 0;
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < sizeof waits / sizeof *waits; k++)
            if (table[i].st_shndx == SHN_UNDEF && strcmp(names + table[i].st_name, waits[k]) == 0)
                return 0;
    if (n == 0)
        return 0;
    return err_set(
        e, ERR_FAILED,
        "%s does not wait in poll(), so --workers would block in it: --workers=0 gives each "
        "client a thread",
        m->l_name);
}
