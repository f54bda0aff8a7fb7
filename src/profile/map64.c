/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See map64.h.  Open addressing; a removal shifts back the entries that follow, so there are no
 * tombstones.
 */
#include "profile/map64.h"

#include <stdlib.h>

#include "base/mem.h"

static size_t home(const struct map64 *m, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->cap - 1);
}

static size_t slot_of(const struct map64 *m, uint64_t key)
{
    size_t i = home(m, key);

    while (m->slot[i].value && m->slot[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *map64_get(const struct map64 *m, uint64_t key)
{
    return m->cap ? m->slot[slot_of(m, key)].value : NULL;
}

static void grow(struct map64 *m)
{
    struct map64 old = *m;

    m->cap = old.cap ? 2 * old.cap : 64;
    m->slot = mem_array(m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].value)
            m->slot[slot_of(m, old.slot[i].key)] = old.slot[i];
    free(old.slot);
}

void map64_set(struct map64 *m, uint64_t key, void *value)
{
    size_t i;

    if (2 * (m->n + 1) > m->cap)
        grow(m);
    i = slot_of(m, key);
    m->n += m->slot[i].value == NULL;
    m->slot[i] = (struct map64_slot){key, value};
}

void *map64_take(struct map64 *m, uint64_t key)
{
    size_t hole, i;
    void *value;

    if (!m->cap)
        return NULL;
    hole = slot_of(m, key);
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
