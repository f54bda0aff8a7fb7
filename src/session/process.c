/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See process.h.
 */
#include "session/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

void process_raise_descriptor_limit(void)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r);
    }
}

#define THREAD_STACK ((size_t)256 * 1024)
#define MAIN_STACK   ((rlim_t)64 * 1024)

int process_provide_stacks(struct err *e)
{
    pthread_attr_t attr;
    struct rlimit r;
    size_t size;

    if (pthread_getattr_default_np(&attr) == 0) {
        if (pthread_attr_getstacksize(&attr, &size) == 0 && size < THREAD_STACK &&
            pthread_attr_setstacksize(&attr, THREAD_STACK) == 0)
            pthread_setattr_default_np(&attr);
        pthread_attr_destroy(&attr);
    }
    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= MAIN_STACK)
        return 0;
    return err_set(e, ERR_FAILED, "this process needs a stack of %llu KiB, and ulimit -s is %llu",
                   (unsigned long long)MAIN_STACK / 1024, (unsigned long long)r.rlim_cur / 1024);
}

void process_occupy_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void process_silence_stdout(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
        close(fd);
}
