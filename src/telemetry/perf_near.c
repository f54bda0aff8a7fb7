/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf_near.h.  base/near.c computes the distance of two names.
 */
#include "telemetry/perf_near.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/near.h"

void perf_near_init(struct perf_near *p, const char *want)
{
    *p = (struct perf_near){0};
    snprintf(p->want, sizeof p->want, "%s", want);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void perf_near_offer(struct perf_near *p, const char *name)
{
    size_t len = strlen(p->want), at;
    size_t limit = 2 + len / 6, d;

    if (strlen(name) >= PERF_NEAR_NAME)
        return;
    d = near_distance(p->want, name);
    if (len >= 3 && strncasecmp(p->want, name, len) == 0)
        d = least(d, limit);
    if (d > limit)
        return;
    for (at = p->n; at > 0 && d < p->distance[at - 1]; at--) {
        if (at == PERF_NEAR_MAX)
            continue;
        memcpy(p->name[at], p->name[at - 1], PERF_NEAR_NAME);
        p->distance[at] = p->distance[at - 1];
    }
    if (at == PERF_NEAR_MAX)
        return;
    snprintf(p->name[at], PERF_NEAR_NAME, "%s", name);
    p->distance[at] = d;
    p->n += p->n < PERF_NEAR_MAX;
}

void perf_near_folder(struct perf_near *p, int dir_fd, const char *path, const char *prefix)
{
    int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *ent;
    char name[300];

    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((ent = readdir(d))) {
        if (ent->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s:%s", prefix, ent->d_name);
        perf_near_offer(p, name);
    }
    closedir(d);
}

void perf_near_text(const struct perf_near *p, char *buf, size_t size)
{
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < p->n && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "; near it: ", p->name[i]);
}
