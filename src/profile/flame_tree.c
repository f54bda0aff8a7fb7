/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See flame_tree.h.  The rows are ordered frame by frame (folded_finish), so the open boxes are
 * those that the present row shares with the one before it; a row's weight is added to all that are
 * open.
 */
#include "profile/flame_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct open_boxes {
    size_t *index; /* into tree->box, by depth */
    size_t n, cap;
};

static size_t add_box(struct flame_tree *t, struct flame_box box)
{
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 256;
        t->box = mem_grow(t->box, t->cap, sizeof *t->box);
    }
    t->box[t->n] = box;
    return t->n++;
}

static void open_box(struct open_boxes *o, size_t box)
{
    if (o->n == o->cap) {
        o->cap = o->cap ? 2 * o->cap : 64;
        o->index = mem_grow(o->index, o->cap, sizeof *o->index);
    }
    o->index[o->n++] = box;
}

/* Keeps the boxes open that the row is in, opens the others. */
static void enter(struct flame_tree *t, struct open_boxes *o, const struct folded_row *r,
                  uint64_t at)
{
    const char *frame = r->stack;
    size_t depth = 1;

    for (;; depth++) {
        size_t len = strcspn(frame, ";");
        const struct flame_box *b = depth < o->n ? &t->box[o->index[depth]] : NULL;
        if (!b || b->len != len || memcmp(b->name, frame, len) != 0) {
            if (depth < o->n)
                o->n = depth;
            open_box(o, add_box(t, (struct flame_box){
                                       .name = frame, .len = len, .depth = (int)depth, .at = at}));
        }
        if (!frame[len])
            break;
        frame += len + 1;
    }
    o->n = depth + 1;
}

static void add_row(struct flame_box *b, const struct folded_row *r)
{
    b->weight += r->weight;
    b->before += r->before;
    if (r->idle) {
        b->idle += r->weight;
        b->idle_before += r->before;
    }
}

void flame_tree_build(struct flame_tree *t, const struct folded *f)
{
    struct open_boxes o = {0};
    uint64_t at = 0;

    *t = (struct flame_tree){0};
    open_box(&o, add_box(t, (struct flame_box){.name = "", .len = 0}));
    for (size_t i = 0; i < f->n; i++) {
        enter(t, &o, &f->row[i], at);
        for (size_t k = 0; k < o.n; k++)
            add_row(&t->box[o.index[k]], &f->row[i]);
        at += f->row[i].weight;
    }
    free(o.index);
}

void flame_tree_free(struct flame_tree *t)
{
    free(t->box);
    *t = (struct flame_tree){0};
}
