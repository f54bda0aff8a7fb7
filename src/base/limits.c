/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See limits.h.
 */
#include "base/limits.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>

long limits_descriptors_open(void)
{
    long n = 0, allowed = limits_descriptors_allowed();
    DIR *d = opendir("/proc/self/fd");
    const struct dirent *entry;

    if (!d)
        return -1;
    while ((entry = readdir(d)))
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(d))
            n += allowed < 0 || atoi(entry->d_name) < allowed;
    closedir(d);
    return n;
}

long limits_descriptors_allowed(void)
{
    struct rlimit r;

    return getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == RLIM_INFINITY ? -1 : (long)r.rlim_cur;
}

long limits_descriptors_left(long others)
{
    long allowed = limits_descriptors_allowed(), open = limits_descriptors_open();

    if (allowed < 0 || open < 0)
        return -1;
    return allowed > open + others ? allowed - open - others : 0;
}
