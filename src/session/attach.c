/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See attach.h.
 */
#include "session/attach.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "session/run_remote.h"

const char *attach_option(const struct server_options *o, bool needed, bool tx_rate)
{
    if (*o->server)
        return o->server;
    return needed || tx_rate || (o->events && !o->system) || server_options_syscalls(o) ||
                   *o->remote
               ? "auto"
               : "off";
}

/* keep: descriptors that the clients will open. */
static void attach_probe(struct attach *a, bool tree, size_t keep)
{
    const struct perf_whom whom = {.pids = a->pids,
                                   .n = a->npids,
                                   .tree = tree,
                                   .exact = server_exact(a->server),
                                   .keep = keep};

    if (a->probe)
        probe_attach(a->probe, &whom);
}

/* --- after a restart -------------------------------------------------------------- */

static size_t find_again(void *arg, pid_t *pids, size_t max, bool *tree)
{
    struct attach *a = arg;

    return discover_again(a->discover, pids, max, tree);
}

static void found_again(void *arg, const pid_t *pids, size_t n, bool tree)
{
    struct attach *a = arg;

    a->npids = n < ATTACH_MAX_PIDS ? n : ATTACH_MAX_PIDS;
    memcpy(a->pids, pids, a->npids * sizeof *pids);
    attach_probe(a, tree, 0);
    if (a->on_change)
        a->on_change(a->arg, a->pids, a->npids);
}

static void follow(struct attach *a)
{
    server_follow(a->server,
                  &(struct server_finder){.arg = a, .find = find_again, .found = found_again});
}

/* Named processes are followed if they are those that the clients' connections lead to. */
static void follow_named(struct attach *a)
{
    pid_t pids[ATTACH_MAX_PIDS];
    struct err ignored = {0};
    bool tree;
    int n = discover_resolve(a->discover, pids, ATTACH_MAX_PIDS, &tree, &ignored);

    for (int i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < a->npids; k++)
            known = known || a->pids[k] == pids[i];
        if (!known)
            return;
    }
    if (n > 0 && (size_t)n == a->npids)
        follow(a);
}

/* ---------------------------------------------------------------------------------- */

static int open_named(struct attach *a, const struct opts *o, size_t keep, struct err *e)
{
    int n = discover_parse(a->option, a->pids, ATTACH_MAX_PIDS, e);
    bool tree;

    a->npids = n > 0 ? (size_t)n : 0;
    tree = discover_is_tree("/proc", a->pids, a->npids);
    if (n < 0 || server_open(&a->server, "/proc", a->pids, a->npids, tree, e)) {
        err_add(e, "Invalid value for --server: '%s'", a->option);
        return opt_explain(o, "server", e);
    }
    attach_probe(a, tree, keep);
    a->named = true;
    a->discover = discover_new("/proc");
    return 0;
}

int attach_open(struct attach *a, const struct opts *o, struct probe *probe, struct remote *remote,
                size_t keep, struct err *e)
{
    a->probe = probe;
    a->remote = remote;
    if (strcmp(a->option, "off") == 0)
        return 0;
    if (strcmp(a->option, "auto") == 0) {
        a->discover = discover_new("/proc");
        return 0;
    }
    return remote ? 0 : open_named(a, o, keep, e);
}

struct server *attach_find(struct attach *a, bool uses_sql)
{
    struct err e = {0};
    bool tree = false;
    int n;

    if (a->remote) {
        run_remote_target(a->remote, a->option, a->discover);
        return a->server = server_of_remote(a->remote);
    }
    if (a->named && uses_sql)
        follow_named(a);
    if (a->named || !a->discover)
        return a->server;
    if (!uses_sql) {
        snprintf(a->why, sizeof a->why, "the test uses no database");
        return NULL;
    }
    n = discover_resolve(a->discover, a->pids, ATTACH_MAX_PIDS, &tree, &e);
    if (n < 0 || server_open(&a->server, "/proc", a->pids, (size_t)n, tree, &e)) {
        log_notice("Server: n/a (%s)\n", e.msg);
        snprintf(a->why, sizeof a->why, "%s", e.msg);
        return NULL;
    }
    a->npids = (size_t)n;
    attach_probe(a, tree, 0);
    follow(a);
    return a->server;
}

void attach_close(struct attach *a)
{
    server_close(a->server);
    discover_free(a->discover);
    a->server = NULL;
    a->discover = NULL;
}
