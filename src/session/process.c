/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See process.h.
 */
#include "session/process.h"

#include <fcntl.h>
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
