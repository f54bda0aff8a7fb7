/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name server for tests, preloaded: getaddrinfo() that writes each name into the file `asked`,
 * and answers when the file `hold` does not exist.
 *
 *     db.test        127.0.0.1
 *     two.test       127.1.2.3, where nobody listens, then 127.0.0.1
 *     unknown.test   no such name
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int look_up_t(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* The program has a usleep() of its own, in which a client may give way to others. */
static void pause_thread(void)
{
    struct timespec t = {.tv_nsec = 10000000};

    syscall(SYS_nanosleep, &t, 0);
}

static void write_down(const char *name)
{
    int fd = open("asked", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

    if (write(fd, name, strlen(name)) < 0 || write(fd, "\n", 1) < 0)
        _exit(99);
    close(fd);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    look_up_t *real = (look_up_t *)dlsym(RTLD_NEXT, "getaddrinfo");
    struct addrinfo *second;
    int rc;

    if (!name || !strstr(name, ".test") || (hints && hints->ai_flags & AI_NUMERICHOST))
        return real(name, service, hints, out);
    write_down(name);
    while (access("hold", F_OK) == 0)
        pause_thread();
    if (strcmp(name, "unknown.test") == 0)
        return EAI_NONAME;
    rc = real(strcmp(name, "two.test") == 0 ? "127.1.2.3" : "127.0.0.1", service, hints, out);
    if (rc == 0 && strcmp(name, "two.test") == 0 &&
        (rc = real("127.0.0.1", service, hints, &second)) == 0)
        (*out)->ai_next = second;
    return rc;
}
