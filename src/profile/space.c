/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See space.h.
 */
#include "profile/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct space *space_new(void)
{
    struct space *s = mem_alloc(sizeof *s);

    s->users = 1;
    return s;
}

struct space *space_share(struct space *s)
{
    s->users++;
    return s;
}

void space_drop(struct space *s)
{
    if (!s || --s->users > 0)
        return;
    free(s->map);
    free(s);
}

struct space *space_own(struct space *s)
{
    struct space *own;

    if (s->users == 1)
        return s;
    own = space_new();
    own->n = own->cap = s->n;
    own->map = mem_array(s->n + 1, sizeof *s->map);
    if (s->n)
        memcpy(own->map, s->map, s->n * sizeof *s->map);
    own->read_at = s->read_at;
    space_drop(s);
    return own;
}

static void insert(struct space *s, size_t at, struct mapping m)
{
    if (s->n >= s->cap) {
        s->cap = s->cap ? 2 * s->cap : 32;
        s->map = mem_grow(s->map, s->cap, sizeof *s->map);
    }
    memmove(&s->map[at + 1], &s->map[at], (s->n - at) * sizeof *s->map);
    s->map[at] = m;
    s->n++;
}

void space_add(struct space *s, struct mapping m)
{
    size_t at = 0, end;

    while (at < s->n && s->map[at].end <= m.start)
        at++;
    for (end = at; end < s->n && s->map[end].start < m.end; end++)
        ; /* mappings that overlap the new one are removed whole */
    if (end > at)
        memmove(&s->map[at], &s->map[end], (s->n - end) * sizeof *s->map);
    s->n -= end - at;
    insert(s, at, m);
}

int space_read(struct space *s, pid_t pid, struct objects *objects, mono_ns now)
{
    char path[64], *line = NULL;
    size_t cap = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    s->read_at = now;
    if (!f)
        return -1;
    s->n = 0;
    while (getline(&line, &cap, f) > 0) {
        unsigned long long start, end, offset;
        char mode[8];
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &start, &end, mode, &offset, &at) < 4 ||
            at == 0 || !strchr(mode, 'x') || strcmp(line + at, "[vsyscall]") == 0)
            continue;
        insert(s, s->n,
               (struct mapping){start, end, offset,
                                objects_find(objects, line[at] ? line + at : "[anon]")});
    }
    free(line);
    fclose(f);
    return 0;
}

const struct mapping *space_find(const struct space *s, uint64_t addr)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->map[mid].end <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n && s->map[low].start <= addr ? &s->map[low] : NULL;
}
