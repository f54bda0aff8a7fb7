/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name server and a clock that change while sysbench runs, without a change to the machine.
 * Preloaded into sysbench by the drills of drills/surroundings.py, which write two files:
 *
 *     SURROUNDINGS_HOSTS    "name address" in each line; "-" for an address: the name server does
 *                           not answer.  Names that are not in it are looked up as ever.
 *     SURROUNDINGS_CLOCK    seconds that the wall clock is ahead of the machine's
 *
 * Both are read at each call, so that they may change, and are replaced by rename(2).  What glibc
 * asks inside itself, and the kernel's own waits for a wall clock time, are not seen here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int look_up(const char *, const char *, const struct addrinfo *, struct addrinfo **);
static const char *hosts, *wall_clock;

__attribute__((constructor)) static void begin(void)
{
    hosts = getenv("SURROUNDINGS_HOSTS");
    wall_clock = getenv("SURROUNDINGS_CLOCK");
}

/* System calls alone: this is called from everywhere.  errno stays as it is: callers ask for the
 * time between a call and its errno. */
static int read_all(const char *path, char *out, size_t size)
{
    int saved = errno;
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    long n = fd < 0 ? -1 : syscall(SYS_read, fd, out, size - 1);

    if (fd >= 0)
        syscall(SYS_close, fd);
    errno = saved;
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Its address in `out`; 0: the file does not name it. */
static int known_address(const char *node, char out[64])
{
    char text[1024], name[64], *rest = NULL, *line;

    if (!node || !read_all(hosts, text, sizeof text))
        return 0;
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (sscanf(line, "%63s %63s", name, out) == 2 && strcmp(name, node) == 0)
            return 1;
    return 0;
}

/* glibc's, not sysbench's own, which would end here again. */
static look_up *real_look_up(void)
{
    union {
        void *address;
        look_up *call;
    } found = {dlsym(RTLD_NEXT, "getaddrinfo")};

    return found.call;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    char address[64];

    if (!known_address(node, address))
        return real_look_up()(node, service, hints, out);
    if (strcmp(address, "-") == 0)
        return EAI_AGAIN;
    return real_look_up()(address, service, hints, out);
}

static long ahead(void)
{
    char text[32];

    return read_all(wall_clock, text, sizeof text) ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    int rc = (int)syscall(SYS_clock_gettime, id, out);

    if (rc == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        out->tv_sec += ahead();
    return rc;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now))
        return -1;
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now))
        return -1;
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
