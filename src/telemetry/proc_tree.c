/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc_tree.h.  The search is breadth-first; the result itself is the queue.
 */
#include "telemetry/proc_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "telemetry/proc_file.h"

static int add_children(struct proc_tree *t, int root_fd, pid_t pid)
{
    int rc = proc_list_tasks(root_fd, pid, &t->tids);

    if (rc)
        return rc;
    for (size_t i = 0; i < t->tids.n; i++) {
        rc = proc_list_children(root_fd, pid, t->tids.ids[i], &t->scratch, &t->found);
        if (rc && !proc_is_gone(rc))
            return rc;
        if (rc && t->tids.ids[i] == pid) /* the main thread is there as long as the process is */
            return rc;
    }
    return 0;
}

/* Every process of the system with its parent, into t->all and t->parent. */
static int list_parents(struct proc_tree *t, int root_fd)
{
    struct proc_stat st;
    size_t n = 0;
    int rc = proc_list_tasks(root_fd, 0, &t->all);

    if (rc)
        return rc;
    if (t->all.n > t->parent_cap) {
        t->parent = mem_grow(t->parent, t->all.n, sizeof t->parent[0]);
        t->parent_cap = t->all.n;
    }
    for (size_t i = 0; i < t->all.n; i++) {
        if (proc_stat_read(root_fd, t->all.ids[i], &st) != 0)
            continue; /* ended meanwhile */
        t->parent[n] = st.ppid;
        t->all.ids[n++] = t->all.ids[i];
    }
    t->all.n = n;
    return 0;
}

static void add_by_parent(struct proc_tree *t, pid_t pid)
{
    for (size_t i = 0; i < t->all.n; i++)
        if (t->parent[i] == pid && t->all.ids[i] != pid)
            pid_list_add(&t->found, t->all.ids[i]);
}

static int find_by_parent(struct proc_tree *t, int root_fd, pid_t root)
{
    int rc = list_parents(t, root_fd);

    if (rc)
        return rc;
    t->found.n = 0;
    add_by_parent(t, root);
    /* parents in a captured tree may form a cycle: stop at the number of processes */
    for (size_t i = 0; i < t->found.n && t->found.n <= t->all.n; i++)
        if (t->found.n <= PROC_TREE_DEEP)
            add_by_parent(t, t->found.ids[i]);
    return 0;
}

int proc_tree_find(struct proc_tree *t, int root_fd, pid_t root)
{
    struct proc_stat st;
    int rc;

    t->found.n = 0;
    if (t->no_children_files)
        return find_by_parent(t, root_fd, root);
    rc = add_children(t, root_fd, root);
    if (rc == ENOENT && proc_stat_read(root_fd, root, &st) == 0) {
        t->no_children_files = true;
        return find_by_parent(t, root_fd, root);
    }
    if (rc)
        return rc;
    for (size_t i = 0; i < t->found.n && t->found.n <= PROC_TREE_DEEP; i++)
        add_children(t, root_fd, t->found.ids[i]); /* one that ended meanwhile has none */
    return 0;
}

void proc_tree_free(struct proc_tree *t)
{
    pid_list_free(&t->found);
    pid_list_free(&t->tids);
    pid_list_free(&t->all);
    free(t->parent);
    str_free(&t->scratch);
    *t = (struct proc_tree){0};
}
