/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf_near.h.  The distance is that of Damerau and Levenshtein with adjacent swaps, in three
 * rows.
 */
#include "telemetry/perf_near.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void perf_near_init(struct perf_near *p, const char *want)
{
    *p = (struct perf_near){0};
    snprintf(p->want, sizeof p->want, "%s", want);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned distance(const char *a, const char *b)
{
    unsigned row[3][PERF_NEAR_NAME + 1];
    size_t la = strnlen(a, PERF_NEAR_NAME - 1), lb = strnlen(b, PERF_NEAR_NAME - 1);

    for (size_t j = 0; j <= lb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *now = row[i % 3], *was = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(was[j], now[j - 1]) + 1, was[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[la % 3][lb];
}

void perf_near_offer(struct perf_near *p, const char *name)
{
    size_t len = strlen(p->want), at;
    unsigned limit = 2 + (unsigned)len / 6, d;

    if (strlen(name) >= PERF_NEAR_NAME)
        return;
    d = distance(p->want, name);
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
