/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Makes the n-th call of a kind fail, once: out of memory, out of descriptors, a lost connection,
 * a full disk, no more threads, at each place where they can happen.  Preloaded into sysbench by
 * tests/faults/nth, which runs the same short load again and again with the next n.
 *
 *     NTH_KIND    memory open connect read write thread map
 *     NTH_N       which call; 0 or none: only count
 *     NTH_ERRNO   what it fails with
 *     NTH_FILE    a page: 8 bytes that hold how many calls there have been, then the name of the
 *                 program or library whose call failed; a shared mapping survives any end
 *
 * Calls are counted from the constructor on, in all threads and of all libraries that reach them
 * through the dynamic linker; writes to standard output and standard error are left alone, so that
 * a message can be seen.  What glibc calls inside itself (stdio's write, malloc's mmap) is not
 * seen here; a wake-up by eventfd cannot fail and is left alone, too.  Memory comes from glibc's
 * own entries, since dlsym() would allocate; system calls go to the C library's syscall(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NONE, MEMORY, OPEN, CONNECT, READ, WRITE, THREAD, MAP };

static const char *const kinds[] = {"",     "memory", "open",   "connect",
                                    "read", "write",  "thread", "map"};
static enum kind chosen;
static uint64_t nth;
static int error;
static _Atomic uint64_t own;
static _Atomic uint64_t *count = &own;
static char *culprit; /* in the shared page */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static long (*real_syscall)(long number, ...);

#define PAGE     4096
#define raw_call (real_syscall ? real_syscall : find_syscall())

static long (*find_syscall(void))(long, ...)
{
    return real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

static void *shared_page(const char *path)
{
    int fd = (int)raw_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    long page =
        fd < 0 ? -1 : raw_call(SYS_mmap, NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (fd >= 0)
        raw_call(SYS_close, fd);
    return page == -1 ? NULL : (void *)page;
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("NTH_KIND"), *n = getenv("NTH_N"), *number = getenv("NTH_ERRNO"),
               *file = getenv("NTH_FILE");
    void *page = file ? shared_page(file) : NULL;

    real_pthread_create = dlsym(RTLD_NEXT, "pthread_create");
    nth = n ? strtoull(n, NULL, 10) : 0;
    error = number ? atoi(number) : ENOMEM;
    backtrace((void *[1]){NULL}, 1); /* its first call loads a library */
    if (page) {
        count = page;
        culprit = (char *)page + sizeof(*count);
    }
    for (int i = 1; kind && i <= MAP; i++)
        if (strcmp(kind, kinds[i]) == 0)
            chosen = i;
}

static bool is_plumbing(const char *object)
{
    return strstr(object, "nth_call") || strstr(object, "/libc.so") || strstr(object, "/ld-linux");
}

static bool note_object(void *address)
{
    Dl_info about;

    if (!dladdr(address, &about) || !about.dli_fname || is_plumbing(about.dli_fname))
        return false;
    strncpy(culprit, about.dli_fname, PAGE - sizeof(*count) - 1);
    return true;
}

/* Whose call it is: strdup() of a library is the library's, not the C library's.  The caller comes
 * first, because it may be the unwinder, which backtrace() would wait for. */
static void note_culprit(void *caller)
{
    void *frames[24];
    int many = 0;

    if (note_object(caller))
        return;
    strcpy(culprit, "backtrace()"); /* it aborts in some frames that LuaJIT has registered */
    many = backtrace(frames, 24);
    for (int i = 0; i < many; i++)
        if (note_object(frames[i]))
            return;
}

/* Inlined, so that the return address is that of the call. */
static inline __attribute__((always_inline)) bool fails(enum kind kind)
{
    if (kind != chosen || atomic_fetch_add(count, 1) + 1 != nth)
        return false;
    if (culprit)
        note_culprit(__builtin_return_address(0));
    errno = error;
    return true;
}

void *malloc(size_t size)
{
    return fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
    size_t whole;

    if (__builtin_mul_overflow(n, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, whole);
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    return fails(OPEN) ? -1 : (int)raw_call(SYS_openat, directory, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN_FUNCTION(name)                                                                        \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list args;                                                                              \
        mode_t mode;                                                                               \
                                                                                                   \
        va_start(args, flags);                                                                     \
        mode = mode_of(flags, args);                                                               \
        va_end(args);                                                                              \
        return open_at(AT_FDCWD, path, flags, mode);                                               \
    }
#define OPENAT_FUNCTION(name)                                                                      \
    int name(int directory, const char *path, int flags, ...)                                      \
    {                                                                                              \
        va_list args;                                                                              \
        mode_t mode;                                                                               \
                                                                                                   \
        va_start(args, flags);                                                                     \
        mode = mode_of(flags, args);                                                               \
        va_end(args);                                                                              \
        return open_at(directory, path, flags, mode);                                              \
    }
OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)
OPENAT_FUNCTION(openat)
OPENAT_FUNCTION(openat64)

/* A connection that fails once is dead: else both sides wait for each other. */
static inline __attribute__((always_inline)) bool breaks(enum kind kind, int fd)
{
    if (!fails(kind))
        return false;
    raw_call(SYS_shutdown, fd, SHUT_RDWR);
    errno = error;
    return true;
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    return fails(CONNECT) ? -1 : (int)raw_call(SYS_connect, fd, address, size);
}

ssize_t read(int fd, void *to, size_t size)
{
    return breaks(READ, fd) ? -1 : raw_call(SYS_read, fd, to, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    return breaks(READ, fd) ? -1 : raw_call(SYS_pread64, fd, to, size, at);
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
    return breaks(READ, fd) ? -1 : raw_call(SYS_recvfrom, fd, to, size, flags, NULL, NULL);
}

ssize_t recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length)
{
    return breaks(READ, fd) ? -1 : raw_call(SYS_recvfrom, fd, to, size, flags, from, length);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    return breaks(READ, fd) ? -1 : raw_call(SYS_recvmsg, fd, message, flags);
}

/* An eventfd's mode names no type of file. */
static bool can_fail(int fd)
{
    struct stat about;

    return fd > STDERR_FILENO && chosen == WRITE && fstat(fd, &about) == 0 &&
           (about.st_mode & S_IFMT);
}

ssize_t write(int fd, const void *from, size_t size)
{
    return can_fail(fd) && breaks(WRITE, fd) ? -1 : raw_call(SYS_write, fd, from, size);
}

ssize_t writev(int fd, const struct iovec *parts, int many)
{
    return can_fail(fd) && breaks(WRITE, fd) ? -1 : raw_call(SYS_writev, fd, parts, many);
}

ssize_t send(int fd, const void *from, size_t size, int flags)
{
    return breaks(WRITE, fd) ? -1 : raw_call(SYS_sendto, fd, from, size, flags, NULL, 0);
}

ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *to,
               socklen_t length)
{
    return breaks(WRITE, fd) ? -1 : raw_call(SYS_sendto, fd, from, size, flags, to, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return breaks(WRITE, fd) ? -1 : raw_call(SYS_sendmsg, fd, message, flags);
}

/* sysbench's own recv() and send(), which its fibers wait in, end here. */
long syscall(long number, ...)
{
    enum kind kind = number == SYS_recvfrom ? READ : number == SYS_sendto ? WRITE : NONE;
    va_list args;
    long a[6];

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    return kind != NONE && breaks(kind, (int)a[0])
               ? -1
               : raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return fails(THREAD) ? error : real_pthread_create(thread, attr, start, arg);
}

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return fails(MAP) ? MAP_FAILED
                      : (void *)raw_call(SYS_mmap, at, size, protection, flags, fd, offset);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(at, size, protection, flags, fd, offset);
}
