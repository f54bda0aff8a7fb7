/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See tree.h.
 */
#include "profile/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_NODES = 4 * 1024 * 1024, DEEPEST = 2048 }; /* more stacks than any server has */

void tree_init(struct tree *t)
{
    *t = (struct tree){.node = mem_array(1, sizeof *t->node), .n = 1};
}

void tree_free(struct tree *t)
{
    free(t->node);
    map64_free(&t->frame);
    map64_free(&t->children);
}

uint32_t tree_child(struct tree *t, uint32_t parent, uint64_t frame)
{
    uintptr_t number = (uintptr_t)map64_get(&t->frame, frame), node;

    if (number == 0)
        map64_set(&t->frame, frame, (void *)(number = t->frame.n + 1));
    uint64_t key = (uint64_t)parent << 32 | number;
    node = (uintptr_t)map64_get(&t->children, key);
    if (node)
        return (uint32_t)node;
    if (t->n == MOST_NODES) {
        t->full++;
        return parent;
    }
    map64_set(&t->children, key, (void *)t->n);
    t->node = mem_append(t->node, t->n, sizeof *t->node);
    t->node[t->n] = (struct tree_node){.frame = frame, .parent = parent};
    return (uint32_t)t->n++;
}

void tree_add(struct tree *t, uint32_t node, double weight)
{
    t->node[node].weight += weight;
    t->node[node].times++;
}

void tree_fold(const struct tree *t, struct folded *out,
               void (*name)(void *arg, uint64_t frame, struct str *s), void *arg)
{
    struct map64 names = {0}; /* frame -> name */
    struct str s = STR_INIT, line = STR_INIT;
    uint32_t path[DEEPEST];

    for (uint32_t node = 1; node < t->n; node++) {
        const char *last = NULL;
        size_t n = 0;
        if (!(t->node[node].weight > 0))
            continue;
        for (uint32_t i = node; i && n < DEEPEST; i = t->node[i].parent)
            path[n++] = i;
        str_reset(&line);
        while (n) {
            uint64_t frame = t->node[path[--n]].frame;
            char *text = map64_get(&names, frame);
            if (!text) {
                str_reset(&s);
                name(arg, frame, &s);
                text = mem_strdup(str_cstr(&s));
                for (char *at = text; (at = strpbrk(at, ";\n"));)
                    *at = ':';
                map64_set(&names, frame, text);
            }
            /* code without a name is shown as its file, and a row of it as one box */
            if (!*text || (last && *last == '[' && strcmp(last, text) == 0))
                continue;
            str_printf(&line, "%s%s", line.len ? ";" : "", text);
            last = text;
        }
        if (line.len)
            folded_add(out, line.s, line.len, (uint64_t)(t->node[node].weight + 0.5),
                       t->node[node].times);
    }
    folded_finish(out);
    for (size_t i = 0; i < names.cap; i++)
        free(names.slot[i].value);
    map64_free(&names);
    str_free(&s);
    str_free(&line);
}

/* --- numbers to pointers --------------------------------------------------------------------- */

/*
 * Open addressing; a removal shifts back the entries that follow, so there are no
 * tombstones.
 */

static size_t home(const struct map64 *m, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->cap - 1);
}

static size_t map_slot(const struct map64 *m, uint64_t key)
{
    size_t i = home(m, key);

    while (m->slot[i].value && m->slot[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *map64_get(const struct map64 *m, uint64_t key)
{
    return m->cap ? m->slot[map_slot(m, key)].value : NULL;
}

void map64_set(struct map64 *m, uint64_t key, void *value)
{
    size_t i;

    if (2 * (m->n + 1) > m->cap) {
        struct map64 old = *m;
        m->cap = old.cap ? 2 * old.cap : 64;
        m->slot = mem_array(m->cap, sizeof *m->slot);
        for (i = 0; i < old.cap; i++)
            if (old.slot[i].value)
                m->slot[map_slot(m, old.slot[i].key)] = old.slot[i];
        free(old.slot);
    }
    i = map_slot(m, key);
    m->n += m->slot[i].value == NULL;
    m->slot[i] = (struct map64_slot){key, value};
}

void *map64_take(struct map64 *m, uint64_t key)
{
    size_t hole, i;

    if (!m->cap)
        return NULL;
    hole = map_slot(m, key);
    void *value = m->slot[hole].value;
    if (!value)
        return NULL;
    m->slot[hole].value = NULL;
    m->n--;
    for (i = (hole + 1) & (m->cap - 1); m->slot[i].value; i = (i + 1) & (m->cap - 1)) {
        size_t h = home(m, m->slot[i].key);
        if (((i - h) & (m->cap - 1)) < ((i - hole) & (m->cap - 1)))
            continue; /* it is between its home and the hole's far side */
        m->slot[hole] = m->slot[i];
        m->slot[i].value = NULL;
        hole = i;
    }
    return value;
}

void map64_free(struct map64 *m)
{
    free(m->slot);
    *m = (struct map64){0};
}
