/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See tree.h.
 */
#include "profile/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_NODES = 4 * 1024 * 1024, DEEPEST = 2048 }; /* 96 MiB: more stacks than any server has */

void tree_init(struct tree *t)
{
    *t = (struct tree){.cap = 1024, .hash_cap = 4096};
    t->node = mem_array(t->cap, sizeof *t->node);
    t->hash = mem_array(t->hash_cap, sizeof *t->hash);
    t->n = 1;
}

void tree_free(struct tree *t)
{
    free(t->node);
    free(t->hash);
    *t = (struct tree){0};
}

static size_t slot_of(const struct tree *t, uint32_t parent, uint64_t frame)
{
    uint64_t h = (frame ^ (uint64_t)parent << 40 ^ parent) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 24) & (t->hash_cap - 1);

    while (t->hash[i] &&
           (t->node[t->hash[i]].parent != parent || t->node[t->hash[i]].frame != frame))
        i = (i + 1) & (t->hash_cap - 1);
    return i;
}

uint32_t tree_child(struct tree *t, uint32_t parent, uint64_t frame)
{
    size_t at = slot_of(t, parent, frame);

    if (t->hash[at])
        return t->hash[at];
    if (t->n == MOST_NODES) {
        t->full++;
        return parent;
    }
    if (t->n == t->cap) {
        t->cap *= 2;
        t->node = mem_grow(t->node, t->cap, sizeof *t->node);
        free(t->hash);
        t->hash_cap = 4 * t->cap;
        t->hash = mem_array(t->hash_cap, sizeof *t->hash);
        for (uint32_t i = 1; i < t->n; i++)
            t->hash[slot_of(t, t->node[i].parent, t->node[i].frame)] = i;
        at = slot_of(t, parent, frame);
    }
    t->node[t->n] = (struct tree_node){.frame = frame, .parent = parent};
    t->hash[at] = (uint32_t)t->n;
    return (uint32_t)t->n++;
}

void tree_add(struct tree *t, uint32_t node, double weight)
{
    t->node[node].weight += weight;
    t->node[node].times++;
}

struct folding {
    struct map64 names; /* frame -> name */
    void (*name)(void *arg, uint64_t frame, struct str *s);
    void *arg;
};

static const char *name_of(struct folding *f, uint64_t frame)
{
    struct str s = STR_INIT;
    char *name = map64_get(&f->names, frame);

    if (name)
        return name;
    f->name(f->arg, frame, &s);
    for (size_t i = 0; i < s.len; i++)
        if (s.s[i] == ';' || s.s[i] == '\n')
            s.s[i] = ':';
    name = mem_strdup(str_cstr(&s));
    str_free(&s);
    map64_set(&f->names, frame, name);
    return name;
}

/* Code without a name is shown as its file, and a row of it as one box. */
static bool same_nameless(const char *a, const char *b)
{
    return a && *a == '[' && strcmp(a, b) == 0;
}

static void fold_node(const struct tree *t, uint32_t at, struct folding *f, struct folded *out)
{
    struct str line = STR_INIT;
    const char *last = NULL;
    uint32_t path[DEEPEST];
    size_t n = 0;

    for (uint32_t i = at; i && n < DEEPEST; i = t->node[i].parent)
        path[n++] = i;
    while (n) {
        const char *name = name_of(f, t->node[path[--n]].frame);
        if (!*name || same_nameless(last, name))
            continue;
        str_printf(&line, "%s%s", line.len ? ";" : "", name);
        last = name;
    }
    if (line.len)
        folded_add(out, line.s, line.len, (uint64_t)(t->node[at].weight + 0.5), t->node[at].times);
    str_free(&line);
}

void tree_fold(const struct tree *t, struct folded *out,
               void (*name)(void *arg, uint64_t frame, struct str *s), void *arg)
{
    struct folding f = {.name = name, .arg = arg};

    for (uint32_t i = 1; i < t->n; i++)
        if (t->node[i].weight > 0)
            fold_node(t, i, &f, out);
    folded_finish(out);
    for (size_t i = 0; i < f.names.cap; i++)
        free(f.names.slot[i].value);
    map64_free(&f.names);
}

size_t tree_stacks(const struct tree *t)
{
    size_t n = 0;

    for (size_t i = 1; i < t->n; i++)
        n += t->node[i].weight > 0;
    return n;
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

static void map_grow(struct map64 *m)
{
    struct map64 old = *m;

    m->cap = old.cap ? 2 * old.cap : 64;
    m->slot = mem_array(m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].value)
            m->slot[map_slot(m, old.slot[i].key)] = old.slot[i];
    free(old.slot);
}

void map64_set(struct map64 *m, uint64_t key, void *value)
{
    size_t i;

    if (2 * (m->n + 1) > m->cap)
        map_grow(m);
    i = map_slot(m, key);
    m->n += m->slot[i].value == NULL;
    m->slot[i] = (struct map64_slot){key, value};
}

void *map64_take(struct map64 *m, uint64_t key)
{
    size_t hole, i;
    void *value;

    if (!m->cap)
        return NULL;
    hole = map_slot(m, key);
    value = m->slot[hole].value;
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
