/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See discover.h.  The process at the other end of a connection is not always the server: systemd
 * may own the socket on the server's behalf, or a proxy may forward the traffic.  Such a process is
 * reported and not measured.
 */
#include "telemetry/discover.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "telemetry/proc.h"
#include "telemetry/proc_net.h"

enum { LATEST = 4, DEEPEST = 64 /* of ancestors */, PID_HIGHEST = 4194304 /* PID_MAX_LIMIT */ };

/* One server endpoint: the listener of a unix socket, or a TCP address with its latest clients. */
struct endpoint {
    bool is_unix;
    pid_t pid;
    dur_ns noted; /* clock_boot() at the last connection: the process was there already */
    struct net_addr server, client[LATEST];
    size_t clients; /* noted so far; client[clients % LATEST] is replaced next */
};

struct discover {
    char *proc_root;
    pthread_mutex_t lock;
    struct endpoint *seen;
    size_t n, cap;
};

struct discover *discover_new(const char *proc_root)
{
    struct discover *d = mem_alloc(sizeof *d);

    d->proc_root = mem_strdup(proc_root);
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

void discover_free(struct discover *d)
{
    if (!d)
        return;
    pthread_mutex_destroy(&d->lock);
    free(d->proc_root);
    free(d->seen);
    free(d);
}

static struct endpoint *find_or_add(struct discover *d, const struct endpoint *e)
{
    for (size_t i = 0; i < d->n; i++) {
        struct endpoint *s = &d->seen[i];
        if (s->is_unix == e->is_unix &&
            (e->is_unix ? s->pid == e->pid : net_addr_equal(&s->server, &e->server)))
            return s;
    }
    if (d->n == d->cap) {
        d->cap = d->cap ? d->cap * 2 : 4;
        d->seen = mem_grow(d->seen, d->cap, sizeof d->seen[0]);
    }
    d->seen[d->n] = *e;
    return &d->seen[d->n++];
}

void discover_note_fd(struct discover *d, int fd)
{
    struct sockaddr_storage peer, own;
    socklen_t len = sizeof peer;
    struct endpoint e = {0}, *s;
    struct net_addr client = {0};

    if (getpeername(fd, (struct sockaddr *)&peer, &len) != 0)
        return;
    if (peer.ss_family == AF_UNIX) {
        struct ucred cred;
        len = sizeof cred;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
            return;
        e.is_unix = true;
        e.pid = cred.pid;
    } else {
        len = sizeof own;
        if (!net_addr_from(&e.server, &peer) ||
            getsockname(fd, (struct sockaddr *)&own, &len) != 0 || !net_addr_from(&client, &own))
            return;
    }
    pthread_mutex_lock(&d->lock);
    s = find_or_add(d, &e);
    s->noted = clock_boot();
    s->client[s->clients++ % LATEST] = client;
    pthread_mutex_unlock(&d->lock);
}

static bool is_one_of(const char *comm, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(comm, *names) == 0)
            return true;
    return false;
}

static bool is_postgres(const char *comm)
{
    static const char *const names[] = {"postgres", "postmaster", "edb-postgres", NULL};

    return is_one_of(comm, names);
}

static bool is_database(const char *comm)
{
    static const char *const names[] = {"mariadbd", "mysqld", NULL};

    return is_one_of(comm, names) || is_postgres(comm);
}

static bool is_same_program(const char *comm, const char *other)
{
    return strcmp(comm, other) == 0 || (is_postgres(comm) && is_postgres(other));
}

/* Do we descend from it, or are it? */
static bool is_above_us(int root_fd, pid_t pid)
{
    struct proc_stat st = {.ppid = getpid()};

    for (int depth = 0; depth < DEEPEST && st.ppid != pid; depth++)
        if (st.ppid <= 0 || proc_stat_read(root_fd, st.ppid, &st) != 0)
            return false;
    return st.ppid == pid;
}

/* From the process of one connection (a backend of PostgreSQL, a child of pgpool) to the server's
 * first: its topmost ancestor that runs the same program. */
static pid_t top_of_server(int root_fd, pid_t pid)
{
    struct proc_stat st, parent;

    for (int depth = 0; depth < DEEPEST; depth++) {
        if (proc_stat_read(root_fd, pid, &st) != 0 || st.ppid <= 0 ||
            proc_stat_read(root_fd, st.ppid, &parent) != 0 ||
            !is_same_program(st.comm, parent.comm) || is_above_us(root_fd, st.ppid))
            break;
        pid = st.ppid;
    }
    return pid;
}

/* Does the server use several processes, usually one for each connection? */
static bool uses_children(int root_fd, pid_t pid)
{
    struct proc_tree t = {0};
    struct proc_stat st, child;
    bool found = false;

    if (proc_stat_read(root_fd, pid, &st) != 0)
        return false;
    if (proc_tree_find(&t, root_fd, pid) != 0)
        t.found.n = 0;
    for (size_t i = 0; i < t.found.n && !found; i++)
        found = proc_stat_read(root_fd, t.found.ids[i], &child) == 0 && child.ppid == pid &&
                is_same_program(st.comm, child.comm);
    proc_tree_free(&t);
    return found || is_postgres(st.comm);
}

/* The answer being built. */
struct answer {
    pid_t *pids;
    size_t n, max;
    bool tree;
};

static int add_pid(struct answer *a, pid_t pid, struct err *e)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->pids[i] == pid)
            return 0;
    if (a->n == a->max)
        return err_set(e, ERR_FAILED, "more than %zu server processes", a->max);
    a->pids[a->n++] = pid;
    return 0;
}

/* Checks that process pid, which is at the other end of `where`, is the server itself. */
static int add_answerer(int root_fd, const char *where, pid_t pid, struct answer *a, struct err *e)
{
    static const char *const starters[] = {"systemd", "init", "inetd", "xinetd", NULL};
    static const char *const forwarders[] = {
        "docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta",
        "pasta.avx2",   "ssh",          "sshd",        "socat",       NULL};
    struct proc_stat st;

    if (proc_stat_read(root_fd, pid, &st) != 0 || proc_stat_ended(&st))
        return err_set(e, ERR_FAILED,
                       "process %d, which opened %s, cannot be seen or has ended; name the server "
                       "with --server=PID",
                       (int)pid, where);
    if (is_one_of(st.comm, starters))
        return err_set(e, ERR_FAILED,
                       "%s was opened by %s (pid %d) for the server; name the server with "
                       "--server=PID",
                       where, st.comm, (int)pid);
    if (is_one_of(st.comm, forwarders))
        return err_set(
            e, ERR_FAILED,
            "%s is answered by %s (pid %d), which only forwards connections; name the server with "
            "--server=PID if it runs on this host",
            where, st.comm, (int)pid);
    pid = top_of_server(root_fd, pid);
    a->tree = a->tree || uses_children(root_fd, pid);
    return add_pid(a, pid, e);
}

static int resolve_unix(int root_fd, const struct endpoint *s, struct answer *a, struct err *e)
{
    if (s->pid <= 0)
        return err_set(
            e, ERR_FAILED,
            "the server behind the unix socket runs in another pid namespace (a container), "
            "its processes cannot be seen from here");
    return add_answerer(root_fd, "the unix socket", s->pid, a, e);
}

/* "uid 107 (mysql)" */
static void user_text(uid_t uid, char *text, size_t size)
{
    char buf[2048];
    struct passwd pw, *hit = NULL;

    if (getpwuid_r(uid, &pw, buf, sizeof buf, &hit) == 0 && hit)
        snprintf(text, size, "uid %u (%s)", (unsigned)uid, hit->pw_name);
    else
        snprintf(text, size, "uid %u", (unsigned)uid);
}

/* The user's process with the name of a database server; 0 if there are none or several. */
static pid_t likely_server(int root_fd, uid_t uid, char comm[PROC_COMM_MAX])
{
    struct pid_list pids = {0};
    pid_t hit = 0;

    if (proc_list_tasks(root_fd, 0, &pids) != 0)
        pids.n = 0;
    for (size_t i = 0; i < pids.n; i++) {
        char dir[16];
        struct stat owner;
        struct proc_stat st;
        pid_t pid = pids.ids[i];
        snprintf(dir, sizeof dir, "%d", (int)pid);
        if (proc_stat_read(root_fd, pid, &st) != 0 || !is_database(st.comm) ||
            fstatat(root_fd, dir, &owner, 0) != 0 || owner.st_uid != uid)
            continue;
        pid = top_of_server(root_fd, pid);
        if (hit && hit != pid) {
            hit = 0;
            break;
        }
        hit = pid;
        memcpy(comm, st.comm, PROC_COMM_MAX);
    }
    pid_list_free(&pids);
    return hit;
}

static int not_visible(int root_fd, const char *where, uid_t uid, bool denied, struct err *e)
{
    char user[128], comm[PROC_COMM_MAX], hint[PROC_COMM_MAX + 64] = "";
    pid_t likely = likely_server(root_fd, uid, comm);

    user_text(uid, user, sizeof user);
    if (likely)
        snprintf(hint, sizeof hint, " (%s, pid %d, may be the one)", comm, (int)likely);
    if (denied)
        return err_set(
            e, ERR_FAILED,
            "the server at %s belongs to %s, and this user may not see which process it is; run "
            "as root or as that user, or name it with --server=PID%s",
            where, user, hint);
    return err_set(
        e, ERR_FAILED,
        "no process that can be seen from here holds the server's socket at %s, which belongs to "
        "%s; name the server with --server=PID%s",
        where, user, hint);
}

/* Looks up all remembered connections of the endpoint: one that is still open is enough. */
static int resolve_tcp(int root_fd, const struct endpoint *s, struct answer *a, struct err *e)
{
    struct net_lookup l[LATEST] = {0};
    size_t n = s->clients < LATEST ? s->clients : LATEST, socket = LATEST;
    char where[NET_ADDR_TEXT];
    bool denied = false;
    int rc;

    net_addr_text(&s->server, where);
    for (size_t i = 0; i < n; i++) {
        l[i].local = s->server;
        l[i].peer = s->client[i];
        l[i].listener_will_do =
            net_addr_is_loopback(&s->server) || net_addr_same_host(&s->server, &s->client[i]);
    }
    rc = net_find_sockets(root_fd, l, n);
    if (!rc)
        rc = net_find_owners(root_fd, l, n, &denied);
    if (rc)
        return err_sys(e, rc, "cannot look for the server at %s", where);
    for (size_t i = 0; i < n; i++) {
        if (l[i].pid)
            return add_answerer(root_fd, where, l[i].pid, a, e);
        if (l[i].inode)
            socket = i;
    }
    if (socket < LATEST)
        return not_visible(root_fd, where, l[socket].uid, denied, e);
    if (n && l[0].listener_will_do)
        return err_set(e, ERR_FAILED,
                       "the server at %s runs outside this network namespace (a container?), its "
                       "processes cannot be found from here; name it with --server=PID",
                       where);
    return err_set(
        e, ERR_FAILED,
        "the server at %s runs on another host (or in a container with an address of its own); its "
        "CPU and memory cannot be read from here",
        where);
}

/* The search takes milliseconds, and the clients must not wait for it. */
static struct endpoint *copy_seen(struct discover *d, size_t *n)
{
    struct endpoint *copy;

    pthread_mutex_lock(&d->lock);
    *n = d->n;
    copy = mem_array(d->n, sizeof copy[0]);
    if (d->n)
        memcpy(copy, d->seen, d->n * sizeof copy[0]);
    pthread_mutex_unlock(&d->lock);
    return copy;
}

int discover_resolve(struct discover *d, pid_t *pids, size_t max, bool *tree, struct err *e)
{
    struct answer a = {.pids = pids, .max = max};
    int rc = 0, root_fd = open(d->proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct endpoint *seen;
    size_t n;

    assert(max > 0);
    if (root_fd < 0)
        return err_sys(e, errno, "cannot open %s", d->proc_root);
    seen = copy_seen(d, &n);
    if (n == 0)
        rc = err_set(e, ERR_FAILED, "no connection to the server has been seen");
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = seen[i].is_unix ? resolve_unix(root_fd, &seen[i], &a, e)
                             : resolve_tcp(root_fd, &seen[i], &a, e);
    free(seen);
    close(root_fd);
    *tree = a.tree;
    return rc ? -1 : (int)a.n;
}

/* True when the process behind a unix socket began after the last connection to it: it has only the
 * number of the one that answered. */
static bool is_reused(int root_fd, const struct endpoint *s)
{
    struct proc_stat st;

    return s->is_unix && proc_stat_read(root_fd, s->pid, &st) == 0 &&
           (dur_ns)st.start_ticks * (NS_PER_SEC / sysconf(_SC_CLK_TCK)) > s->noted;
}

size_t discover_again(struct discover *d, pid_t *pids, size_t max, bool *tree)
{
    struct answer a = {.pids = pids, .max = max};
    int root_fd = open(d->proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct endpoint *seen;
    size_t n;

    if (root_fd < 0)
        return 0;
    seen = copy_seen(d, &n);
    for (size_t i = 0; i < n; i++) {
        struct err ignored = {0};
        if (is_reused(root_fd, &seen[i]))
            continue;
        if (seen[i].is_unix)
            resolve_unix(root_fd, &seen[i], &a, &ignored);
        else
            resolve_tcp(root_fd, &seen[i], &a, &ignored);
    }
    free(seen);
    close(root_fd);
    *tree = a.tree;
    return a.n;
}

int discover_parse(const char *list, pid_t *pids, size_t max, struct err *e)
{
    struct answer a = {.pids = pids, .max = max};
    const char *p = list;

    for (;;) {
        size_t n = strcspn(p, ",");
        const char *end = p;
        uint64_t pid;
        if (n == 0 || *p < '0' || *p > '9' || !proc_number(&end, &pid) || end != p + n ||
            pid == 0 || pid > PID_HIGHEST)
            return err_set(e, ERR_USAGE, "\"%.*s\" is not a process id (a number from 1 to %d)",
                           n > 64 ? 64 : (int)n, p, PID_HIGHEST);
        if (add_pid(&a, (pid_t)pid, e))
            return -1;
        if (p[n] == '\0')
            return (int)a.n;
        p += n + 1;
    }
}

bool discover_is_tree(const char *proc_root, const pid_t *pids, size_t n)
{
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool tree = false;

    for (size_t i = 0; root_fd >= 0 && i < n && !tree; i++)
        tree = uses_children(root_fd, pids[i]);
    if (root_fd >= 0)
        close(root_fd);
    return tree;
}

size_t discover_addresses(struct discover *d, const char *prefix, struct str *out)
{
    size_t n, found = 0;
    struct endpoint *seen = copy_seen(d, &n);
    char text[NET_ADDR_TEXT];

    for (size_t i = 0; i < n; i++) {
        if (seen[i].is_unix)
            continue;
        str_printf(out, "%s%s%s", found ? " " : "", prefix, net_addr_text(&seen[i].server, text));
        found++;
    }
    free(seen);
    return found;
}

/* "10.0.0.5:3306", "[fe80::1]:3306" */
static bool parse_address(const char *text, struct net_addr *a)
{
    const char *colon = strrchr(text, ':'), *p = colon ? colon + 1 : "";
    struct sockaddr_storage sa = {0};
    char ip[NET_ADDR_TEXT];
    size_t n = colon ? (size_t)(colon - text) : 0;
    uint64_t port;

    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    if (!proc_number(&p, &port) || *p || port == 0 || port > UINT16_MAX || n >= sizeof ip)
        return false;
    memcpy(ip, text, n);
    ip[n] = '\0';
    if (inet_pton(AF_INET, ip, &((struct sockaddr_in *)&sa)->sin_addr) == 1)
        sa.ss_family = AF_INET;
    else if (inet_pton(AF_INET6, ip, &((struct sockaddr_in6 *)&sa)->sin6_addr) == 1)
        sa.ss_family = AF_INET6;
    if (!net_addr_from(a, &sa))
        return false;
    a->port = (uint16_t)port;
    return true;
}

/* The address itself first, then the port on loopback: forwarders and translators change
 * addresses. */
static int find_listener(int root_fd, const char *address, struct net_lookup *l, size_t n,
                         struct err *e)
{
    bool denied = false;
    char text[40];
    int rc;

    if (!parse_address(address, &l[0].local))
        return err_set(e, ERR_USAGE, "\"%s\" is not an address and a port", address);
    for (size_t i = 1; i < n; i++) {
        snprintf(text, sizeof text, "%s:%u", i == 1 ? "127.0.0.1" : "[::1]", l[0].local.port);
        parse_address(text, &l[i].local);
    }
    for (size_t i = 0; i < n; i++)
        l[i].listener_will_do = true;
    rc = net_find_sockets(root_fd, l, n);
    if (!rc)
        rc = net_find_owners(root_fd, l, n, &denied);
    if (rc)
        return err_sys(e, rc, "cannot look for the server at %s", address);
    for (size_t i = 0; i < n; i++)
        if (l[i].pid)
            return 0;
    for (size_t i = 0; i < n; i++)
        if (l[i].inode)
            return not_visible(root_fd, address, l[i].uid, denied, e);
    return err_set(e, ERR_FAILED, "no process listens at %s on this host", address);
}

int discover_listener(const char *proc_root, const char *address, pid_t *pid, bool *tree,
                      struct err *e)
{
    enum { TRIES = 3 };
    struct net_lookup l[TRIES] = {0};
    struct answer a = {.pids = pid, .max = 1};
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (root_fd < 0)
        return err_sys(e, errno, "cannot open %s", proc_root);
    rc = find_listener(root_fd, address, l, TRIES, e);
    for (size_t i = 0; rc == 0 && i < TRIES; i++)
        if (l[i].pid) {
            rc = add_answerer(root_fd, address, l[i].pid, &a, e);
            break;
        }
    close(root_fd);
    *tree = a.tree;
    return rc;
}
