/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See watched.h.
 */
#include "profile/watched.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/tree.h"
#include "telemetry/proc.h"

void watched_free(struct watched *w)
{
    for (size_t i = 0; i < w->process.cap; i++) {
        struct watched_process *p = w->process.slot[i].value;
        if (p)
            space_drop(p->space);
        free(p);
    }
    for (size_t i = 0; i < w->thread.cap; i++)
        free(w->thread.slot[i].value);
    map64_free(&w->process);
    map64_free(&w->thread);
    objects_free(&w->objects);
    for (size_t i = 0; i < w->names; i++)
        free(w->name[i]);
    free(w->name);
}

static struct watched_process *add_process(struct watched *w, pid_t pid, struct space *space)
{
    struct watched_process *p = mem_alloc(sizeof *p);

    *p = (struct watched_process){.pid = pid, .space = space};
    map64_set(&w->process, (uint64_t)pid, p);
    return p;
}

static void add_running(struct watched *w, pid_t pid, mono_ns now)
{
    struct space *s;

    if (map64_get(&w->process, (uint64_t)pid))
        return;
    s = space_new();
    if (space_read(s, pid, &w->objects, now))
        w->blind = true;
    add_process(w, pid, s);
}

void watched_begin(struct watched *w, const pid_t *pids, size_t n, bool tree, mono_ns now)
{
    w->tree = tree;
    for (size_t i = 0; i < n; i++) {
        struct proc_tree t = {0};
        int root = tree ? open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        add_running(w, pids[i], now); /* of a server that has ended since, nothing will come */
        if (root >= 0 && proc_tree_find(&t, root, pids[i]) == 0)
            for (size_t k = 0; k < t.found.n; k++)
                add_running(w, t.found.ids[k], now);
        proc_tree_free(&t);
        if (root >= 0)
            close(root);
    }
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
        if (w->names == w->names_cap) {
            w->names_cap = w->names_cap ? 2 * w->names_cap : 32;
            w->name = mem_grow(w->name, w->names_cap, sizeof(*w->name));
        }
        w->name[w->names++] = mem_strdup(name);
    }
    return FRAME_MAKE(FRAME_THREAD, i);
}

static void read_name(pid_t pid, pid_t tid, char *buf, size_t n)
{
    char path[80];
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
    f = fopen(path, "re");
    if (!f || !fgets(buf, (int)n, f))
        snprintf(buf, n, "thread");
    buf[strcspn(buf, "\n")] = '\0';
    if (f)
        fclose(f);
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
    char name[32];

    if (t)
        return t;
    read_name(pid, tid, name, sizeof name);
    return add_thread(w, pid, tid, name_frame(w, name));
}

static void thread_created(struct watched *w, const struct record *r)
{
    struct watched_process *parent = watched_process(w, r->parent_pid);
    const struct watched_thread *t;

    if (!parent)
        return;
    if (r->pid != r->parent_pid) {
        if (!w->tree || watched_process(w, r->pid))
            return;
        add_process(w, r->pid, space_share(parent->space));
    }
    if (map64_get(&w->thread, (uint64_t)r->tid))
        return;
    t = watched_thread(w, r->parent_pid, r->parent_tid);
    add_thread(w, r->pid, r->tid, t->name);
}

static void died(struct watched *w, const struct record *r)
{
    free(map64_take(&w->thread, (uint64_t)r->tid));
    if (w->tree && r->pid == r->tid) { /* processes that come and go have one thread */
        struct watched_process *p = map64_take(&w->process, (uint64_t)r->pid);
        space_drop(p ? p->space : NULL);
        free(p);
    }
}

static void mapped(struct watched *w, struct watched_process *p, const struct record *r)
{
    const char *path = strcmp(r->text, "//anon") == 0 ? "[anon]" : r->text;

    p->space = space_own(p->space);
    space_add(p->space, (struct mapping){.start = r->addr,
                                         .end = r->addr + r->len,
                                         .offset = r->offset,
                                         .object = objects_find(&w->objects, path)});
}

void watched_record(struct watched *w, const struct record *r)
{
    struct watched_process *p = watched_process(w, r->pid);

    if (r->kind == RECORD_FORK) {
        thread_created(w, r);
    } else if (p && r->kind == RECORD_MMAP) {
        mapped(w, p, r);
    } else if (p && r->kind == RECORD_EXIT) {
        died(w, r);
    } else if (p && r->kind == RECORD_COMM) {
        watched_thread(w, r->pid, r->tid)->name = name_frame(w, r->text);
        if (r->exec) { /* the mappings follow */
            space_drop(p->space);
            p->space = space_new();
        }
    }
}

void watched_refresh(struct watched *w, struct watched_process *p, mono_ns now)
{
    if (now - p->space->read_at < NS_PER_SEC)
        return;
    p->space = space_own(p->space);
    space_read(p->space, p->pid, &w->objects, now);
}
