/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See watched.h.
 */
#include "profile/watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/tree.h"
#include "telemetry/proc.h"

static struct watched_process *add_process(struct watched *w, pid_t pid)
{
    struct watched_process *p = mem_alloc(sizeof *p);

    p->pid = pid;
    map64_set(&w->process, (uint64_t)pid, p);
    return p;
}

static void free_process(struct watched_process *p)
{
    if (p)
        free(p->space.map);
    free(p);
}

void watched_free(struct watched *w)
{
    for (size_t i = 0; i < w->process.cap; i++)
        free_process(w->process.slot[i].value);
    for (size_t i = 0; i < w->thread.cap; i++)
        free(w->thread.slot[i].value);
    map64_free(&w->process);
    map64_free(&w->thread);
    objects_free(&w->objects);
    for (size_t i = 0; i < w->names; i++)
        free(w->name[i]);
    free(w->name);
}

void watched_begin(struct watched *w, const pid_t *pids, size_t n, bool tree, mono_ns now)
{
    struct pid_list all = {0};
    struct proc_tree t = {0};

    w->tree = tree;
    proc_tree_list(&t, pids, n, tree, &all);
    for (size_t i = 0; i < all.n; i++) /* of a server that has ended since, nothing will come */
        if (space_read(&add_process(w, all.ids[i])->space, all.ids[i], &w->objects, now))
            w->blind = true;
    pid_list_free(&all);
    proc_tree_free(&t);
}

struct watched_process *watched_process(const struct watched *w, pid_t pid)
{
    return pid > 0 ? map64_get(&w->process, (uint64_t)pid) : NULL;
}

static uint64_t name_frame(struct watched *w, const char *name)
{
    size_t i = 0;

    while (i < w->names && strcmp(w->name[i], name) != 0)
        i++;
    if (i == w->names) {
        w->name = mem_append(w->name, w->names, sizeof(*w->name));
        w->name[w->names++] = mem_strdup(name);
    }
    return FRAME_MAKE(FRAME_THREAD, i);
}

static struct watched_thread *add_thread(struct watched *w, pid_t pid, pid_t tid, uint64_t name)
{
    struct watched_thread *t = mem_alloc(sizeof *t);

    t->pid = pid;
    t->tid = tid;
    t->name = name;
    w->threads++;
    map64_set(&w->thread, (uint64_t)tid, t);
    return t;
}

struct watched_thread *watched_thread(struct watched *w, pid_t pid, pid_t tid)
{
    struct watched_thread *t = map64_get(&w->thread, (uint64_t)tid);
    char path[80], name[32];

    if (t)
        return t;
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
    if (!proc_word(-1, path, name, sizeof name))
        snprintf(name, sizeof name, "thread");
    return add_thread(w, pid, tid, name_frame(w, name));
}

void watched_record(struct watched *w, const struct record *r)
{
    struct watched_process *p = watched_process(w, r->pid);

    if (r->kind == RECORD_FORK) {
        struct watched_process *parent = watched_process(w, r->parent_pid);
        if (!parent || (r->pid != r->parent_pid && (!w->tree || p)))
            return;
        if (r->pid != r->parent_pid) { /* it begins with the mappings of its parent */
            p = add_process(w, r->pid);
            for (size_t i = 0; i < parent->space.n; i++)
                space_add(&p->space, parent->space.map[i]);
            p->space.read_at = parent->space.read_at;
        }
        if (!map64_get(&w->thread, (uint64_t)r->tid))
            add_thread(w, r->pid, r->tid, watched_thread(w, r->parent_pid, r->parent_tid)->name);
    } else if (p && r->kind == RECORD_MMAP) {
        const char *path = strcmp(r->text, "//anon") == 0 ? "[anon]" : r->text;
        space_add(&p->space, (struct mapping){.start = r->addr,
                                              .end = r->addr + r->len,
                                              .offset = r->offset,
                                              .object = objects_find(&w->objects, path)});
    } else if (p && r->kind == RECORD_EXIT) {
        free(map64_take(&w->thread, (uint64_t)r->tid));
        if (w->tree && r->pid == r->tid) /* processes that come and go have one thread */
            free_process(map64_take(&w->process, (uint64_t)r->pid));
    } else if (p && r->kind == RECORD_COMM) {
        watched_thread(w, r->pid, r->tid)->name = name_frame(w, r->text);
        if (r->exec) { /* the mappings follow */
            p->space.n = 0;
            p->space.read_at = 0;
        }
    }
}

void watched_refresh(struct watched *w, struct watched_process *p, mono_ns now)
{
    if (now - p->space.read_at >= NS_PER_SEC)
        space_read(&p->space, p->pid, &w->objects, now);
}
