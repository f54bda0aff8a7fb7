/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See discover.h.  The process at the other end of a connection is not always the server: systemd
 * may own the socket on the server's behalf, or a proxy may forward the traffic.  Such a process is
 * reported and not measured.
 *
 * /proc/net/tcp and tcp6 map a connection's two addresses to the inode of a socket; /proc/PID/fd
 * shows which process has that socket open.  Both are full scans (a few ms), so several connections
 * are looked up at once.  The kernel prints an address as 32-bit words in hexadecimal, each word as
 * the machine reads the network-order bytes.
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
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "telemetry/proc.h"

enum { LATEST = 4, DEEPEST = 64 /* of ancestors */, PID_HIGHEST = 4194304 /* PID_MAX_LIMIT */ };

/* --- addresses and sockets ------------------------------------------------------------------- */

/* All addresses are IPv6, with IPv4 mapped: tcp6 lists the IPv4 clients of a server that listens on
 * ::. */
struct net_addr {
    unsigned char ip[16]; /* network order, ::ffff:a.b.c.d for IPv4 */
    uint16_t port;
};

enum { NET_ADDR_TEXT = 64 };

/* A connection as its server sees it, and the results of the search. */
struct lookup {
    struct net_addr local, peer;
    bool listener_will_do; /* `local` is certainly on this host: the socket that listens there
                              suffices */
    uint64_t inode;        /* 0: no such socket on this machine */
    uid_t uid;             /* its owner */
    pid_t pid;             /* 0: no process found that holds it */
};

struct search {
    struct lookup *l;
    size_t n;
};

static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

/* False: neither IPv4 nor IPv6. */
static bool addr_from(struct net_addr *a, const struct sockaddr_storage *from)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)from;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

    if (from->ss_family == AF_INET) {
        memcpy(a->ip, mapped, sizeof mapped);
        memcpy(a->ip + sizeof mapped, &in->sin_addr, 4);
        a->port = ntohs(in->sin_port);
    } else if (from->ss_family == AF_INET6) {
        memcpy(a->ip, &in6->sin6_addr, 16);
        a->port = ntohs(in6->sin6_port);
    }
    return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

static bool is_same_host(const struct net_addr *a, const struct net_addr *b)
{
    return memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

static bool is_same(const struct net_addr *a, const struct net_addr *b)
{
    return a->port == b->port && is_same_host(a, b);
}

static bool is_mapped(const struct net_addr *a)
{
    return memcmp(a->ip, mapped, sizeof mapped) == 0;
}

/* "10.0.0.5:3306", "[::1]:3306" */
static const char *addr_text(const struct net_addr *a, char text[NET_ADDR_TEXT])
{
    bool v4 = is_mapped(a);
    char ip[INET6_ADDRSTRLEN] = "?";

    inet_ntop(v4 ? AF_INET : AF_INET6, a->ip + (v4 ? sizeof mapped : 0), ip, sizeof ip);
    snprintf(text, NET_ADDR_TEXT, v4 ? "%s:%u" : "[%s]:%u", ip, a->port);
    return text;
}

/* "0100007F" or 32 digits, then ":0CEA". */
static bool parse_hex(const char *hex, unsigned port, struct net_addr *a)
{
    size_t words = strlen(hex) / 8;
    unsigned char *out = a->ip;

    if (strlen(hex) % 8 || (words != 1 && words != 4) || port > UINT16_MAX)
        return false;
    if (words == 1) {
        memcpy(a->ip, mapped, sizeof mapped);
        out += sizeof mapped;
    }
    for (size_t i = 0; i < words; i++) {
        char word[9] = {0};
        memcpy(word, hex + 8 * i, 8);
        uint32_t v = (uint32_t)strtoul(word, NULL, 16);
        memcpy(out + 4 * i, &v, 4);
    }
    a->port = (uint16_t)port;
    return true;
}

static bool take_socket(char *line, void *arg)
{
    enum { STATE_LISTEN = 0x0a };
    static const unsigned char zero[16];
    char local_hex[33], peer_hex[33];
    unsigned local_port, peer_port, state, uid;
    struct net_addr local, peer;
    struct search *s = arg;
    unsigned long long inode;
    bool wildcard; /* :: or 0.0.0.0 */

    if (sscanf(line, " %*u: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*x:%*x %*x:%*x %*x %u %*u %llu",
               local_hex, &local_port, peer_hex, &peer_port, &state, &uid, &inode) != 7)
        return true; /* the heading */
    if (inode == 0 || !parse_hex(local_hex, local_port, &local) ||
        !parse_hex(peer_hex, peer_port, &peer))
        return true; /* no inode: closed already, only waiting */
    wildcard = memcmp(local.ip, zero, sizeof zero) == 0 ||
               (is_mapped(&local) && memcmp(local.ip + sizeof mapped, zero, 4) == 0);
    for (struct lookup *l = s->l; l < s->l + s->n; l++) {
        bool listens = l->listener_will_do && state == STATE_LISTEN &&
                       l->local.port == local.port && (wildcard || is_same_host(&l->local, &local));
        if ((is_same(&l->local, &local) && is_same(&l->peer, &peer)) || (listens && !l->inode)) {
            l->inode = inode;
            l->uid = (uid_t)uid;
        }
    }
    return true;
}

/*
 * Fills inode, uid and pid of each; *denied: some process could not be looked into.  0, or an errno
 * value when the tables cannot be read.
 */
static int find_sockets(int root_fd, struct lookup *l, size_t n, bool *denied)
{
    struct search s = {l, n};
    struct pid_list pids = {0};
    size_t missing = 0;
    int rc = proc_each_line(root_fd, "net/tcp", take_socket, &s);
    int rc6 = proc_each_line(root_fd, "net/tcp6", take_socket, &s);

    if (rc && rc6) /* a machine may be without either */
        return rc;
    for (size_t i = 0; i < n; i++)
        missing += l[i].inode != 0;
    rc = proc_list_tasks(root_fd, 0, &pids);
    for (size_t k = 0; !rc && k < pids.n && missing; k++) {
        char path[32], text[64];
        struct dirent *entry;
        snprintf(path, sizeof path, "%d/fd", (int)pids.ids[k]);
        DIR *dir = proc_open_dir(root_fd, path);
        *denied |= !dir && !proc_is_gone(errno);
        while (dir && (entry = readdir(dir))) { /* "socket:[123]" */
            ssize_t len = readlinkat(dirfd(dir), entry->d_name, text, sizeof text - 1);
            const char *p = text + 8;
            uint64_t inode;
            text[len > 0 ? len : 0] = '\0';
            if (strncmp(text, "socket:[", 8) != 0 || !proc_whole_number(&p, &inode) || *p != ']')
                continue;
            for (size_t i = 0; inode && i < n; i++)
                if (l[i].inode == inode && l[i].pid == 0) {
                    l[i].pid = pids.ids[k];
                    missing--;
                }
        }
        if (dir)
            closedir(dir);
    }
    pid_list_free(&pids);
    return rc;
}

/* --- what was seen --------------------------------------------------------------------------- */

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
    size_t n;
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

void discover_note_fd(struct discover *d, int fd)
{
    struct sockaddr_storage peer, own;
    socklen_t len = sizeof peer;
    struct endpoint e = {0}, *s;
    struct net_addr client = {0};
    struct ucred cred;
    size_t i = 0;

    if (getpeername(fd, (struct sockaddr *)&peer, &len) != 0)
        return;
    if (peer.ss_family == AF_UNIX) {
        len = sizeof cred;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
            return;
        e.is_unix = true;
        e.pid = cred.pid;
    } else {
        len = sizeof own;
        if (!addr_from(&e.server, &peer) || getsockname(fd, (struct sockaddr *)&own, &len) != 0 ||
            !addr_from(&client, &own))
            return;
    }
    pthread_mutex_lock(&d->lock);
    for (s = d->seen; i < d->n; i++, s++)
        if (s->is_unix == e.is_unix &&
            (e.is_unix ? s->pid == e.pid : is_same(&s->server, &e.server)))
            break;
    if (i == d->n) {
        d->seen = mem_append(d->seen, d->n, sizeof *d->seen);
        s = &d->seen[d->n++];
        *s = e;
    }
    s->noted = clock_boot();
    s->client[s->clients++ % LATEST] = client;
    pthread_mutex_unlock(&d->lock);
}

/* The search takes milliseconds, and the clients must not wait for it. */
static struct endpoint *copy_seen(struct discover *d, size_t *n)
{
    pthread_mutex_lock(&d->lock);
    *n = d->n;
    struct endpoint *copy = mem_array(d->n, sizeof copy[0]);
    if (d->n)
        memcpy(copy, d->seen, d->n * sizeof copy[0]);
    pthread_mutex_unlock(&d->lock);
    return copy;
}

/* --- processes ------------------------------------------------------------------------------- */

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
    if (pid_is_one_of(pid, a->pids, a->n))
        return 0;
    if (a->n == a->max)
        return err_set(e, ERR_FAILED, "more than %zu server processes", a->max);
    a->pids[a->n++] = pid;
    return 0;
}

/* Checks that process pid, which is at the other end of `where`, is the server itself. */
static int add_answerer(int root_fd, const char *where, pid_t pid, struct answer *a, struct err *e)
{
    /* that open the socket for the server, or forward connections to it */
    static const char *const others[] = {
        "systemd",      "init",        "inetd",       "xinetd", "docker-proxy",
        "rootlessport", "rootlesskit", "slirp4netns", "pasta",  "pasta.avx2",
        "ssh",          "sshd",        "socat",       NULL};
    static const char *const proxies[] = {"haproxy",  "mysqlrouter", "pgbouncer", "pgpool",
                                          "proxysql", "maxscale",    "odyssey",   "pgcat",
                                          "envoy",    "nginx",       "traefik",   NULL};
    struct proc_stat st, parent;

    if (proc_stat_read(root_fd, pid, &st) != 0 || proc_stat_ended(&st))
        return err_set(e, ERR_FAILED,
                       "process %d, which opened %s, cannot be seen or has ended; name the server "
                       "with --server=PID",
                       (int)pid, where);
    bool proxy = is_one_of(st.comm, proxies);
    if (!proxy && is_one_of(st.comm, others))
        return err_set(e, ERR_FAILED,
                       "%s is answered by %s (pid %d), which is not the server itself; name the "
                       "server with --server=PID if it runs on this host",
                       where, st.comm, (int)pid);
    /* from the process of one connection (a backend of PostgreSQL, a child of pgpool) to the
     * program's first: its topmost ancestor that runs the same program */
    for (int depth = 0; depth < DEEPEST; depth++, pid = st.ppid)
        if (proc_stat_read(root_fd, pid, &st) != 0 || st.ppid <= 0 ||
            proc_stat_read(root_fd, st.ppid, &parent) != 0 ||
            !is_same_program(st.comm, parent.comm) || is_above_us(root_fd, st.ppid))
            break;
    if (proxy)
        return err_set(e, ERR_FAILED,
                       "%s is answered by %s (pid %d), which is a proxy; name the server with "
                       "--server=PID if it runs on this host",
                       where, st.comm, (int)pid);
    a->tree = a->tree || uses_children(root_fd, pid);
    return add_pid(a, pid, e);
}

static int not_visible(const char *where, uid_t uid, bool denied, struct err *e)
{
    struct passwd pw, *hit = NULL;
    char user[128], buf[2048];

    /* "uid 107 (mysql)" */
    if (getpwuid_r(uid, &pw, buf, sizeof buf, &hit) == 0 && hit)
        snprintf(user, sizeof user, "uid %u (%s)", (unsigned)uid, hit->pw_name);
    else
        snprintf(user, sizeof user, "uid %u", (unsigned)uid);
    if (denied)
        return err_set(
            e, ERR_FAILED,
            "the server at %s belongs to %s, and this user may not see which process it is; run "
            "as root or as that user, or name it with --server=PID",
            where, user);
    return err_set(
        e, ERR_FAILED,
        "no process that can be seen from here holds the server's socket at %s, which belongs to "
        "%s; name the server with --server=PID",
        where, user);
}

/* Looks up all remembered connections of the endpoint: one that is still open is enough. */
static int resolve_one(int root_fd, const struct endpoint *s, struct answer *a, struct err *e)
{
    struct lookup l[LATEST] = {0};
    size_t n = s->clients < LATEST ? s->clients : LATEST, socket = LATEST;
    char where[NET_ADDR_TEXT];
    bool denied = false, loopback;

    if (s->is_unix && s->pid <= 0)
        return err_set(
            e, ERR_FAILED,
            "the server behind the unix socket runs in another pid namespace (a container), "
            "its processes cannot be seen from here");
    if (s->is_unix)
        return add_answerer(root_fd, "the unix socket", s->pid, a, e);
    addr_text(&s->server, where);
    loopback = is_mapped(&s->server) ? s->server.ip[12] == 127 : strncmp(where, "[::1]:", 6) == 0;
    for (size_t i = 0; i < n; i++) {
        l[i].local = s->server;
        l[i].peer = s->client[i];
        l[i].listener_will_do = loopback || is_same_host(&s->server, &s->client[i]);
    }
    int rc = find_sockets(root_fd, l, n, &denied);
    if (rc)
        return err_sys(e, rc, "cannot look for the server at %s", where);
    for (size_t i = 0; i < n; i++) {
        if (l[i].pid)
            return add_answerer(root_fd, where, l[i].pid, a, e);
        if (l[i].inode)
            socket = i;
    }
    if (socket < LATEST)
        return not_visible(where, l[socket].uid, denied, e);
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

/* --- questions ------------------------------------------------------------------------------- */

int discover_resolve(struct discover *d, pid_t *pids, size_t max, bool *tree, struct err *e)
{
    struct answer a = {.pids = pids, .max = max};
    int rc = 0, root_fd = open(d->proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    dur_ns tick = NS_PER_SEC / sysconf(_SC_CLK_TCK);
    size_t n;

    assert(max > 0);
    if (root_fd < 0)
        return err_sys(e, errno, "cannot open %s", d->proc_root);
    struct endpoint *seen = copy_seen(d, &n);
    if (n == 0)
        rc = err_set(e, ERR_FAILED, "no connection to the server has been seen");
    for (size_t i = 0; (rc == 0 || !e) && i < n; i++) {
        struct proc_stat st;
        /* a process that began after the last connection to its socket has only the number of the
         * one that answered */
        if (!e && seen[i].is_unix && proc_stat_read(root_fd, seen[i].pid, &st) == 0 &&
            (dur_ns)st.start_ticks * tick > seen[i].noted)
            continue;
        rc = resolve_one(root_fd, &seen[i], &a, e);
    }
    free(seen);
    close(root_fd);
    *tree = a.tree;
    return rc && e ? -1 : (int)a.n;
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
    fd_close(root_fd);
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
        str_printf(out, "%s%s%s", found ? " " : "", prefix, addr_text(&seen[i].server, text));
        found++;
    }
    free(seen);
    return found;
}

/* "10.0.0.5:3306", "[fe80::1]:3306" */
static bool parse_address(const char *text, struct net_addr *a)
{
    const char *colon = strrchr(text, ':'), *p = colon ? colon + 1 : "";
    char ip[NET_ADDR_TEXT];
    size_t n = colon ? (size_t)(colon - text) : 0;
    uint64_t port;

    if (n && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    if (!proc_number(&p, &port) || *p || port == 0 || port > UINT16_MAX || n >= sizeof ip)
        return false;
    memcpy(ip, text, n);
    ip[n] = '\0';
    memcpy(a->ip, mapped, sizeof mapped);
    if (inet_pton(AF_INET, ip, a->ip + sizeof mapped) != 1 && inet_pton(AF_INET6, ip, a->ip) != 1)
        return false;
    a->port = (uint16_t)port;
    return true;
}

int discover_listener(const char *proc_root, const char *address, pid_t *pid, bool *tree,
                      struct err *e)
{
    enum { TRIES = 3 };
    struct lookup l[TRIES] = {0}, *best = NULL; /* the first that a process holds, or of those */
    struct answer a = {.pids = pid, .max = 1};
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    bool denied = false;
    char text[40];

    if (root_fd < 0)
        return err_sys(e, errno, "cannot open %s", proc_root);
    /* The address itself first, then the port on loopback: forwarders and translators change
     * addresses. */
    if (!parse_address(address, &l[0].local))
        rc = err_set(e, ERR_USAGE, "\"%s\" is not an address and a port", address);
    for (size_t i = 0; i < TRIES; i++) {
        l[i].listener_will_do = true;
        snprintf(text, sizeof text, "%s:%u", i == 1 ? "127.0.0.1" : "[::1]", l[0].local.port);
        if (i)
            parse_address(text, &l[i].local);
    }
    if (!rc && (rc = find_sockets(root_fd, l, TRIES, &denied)))
        err_sys(e, rc, "cannot look for the server at %s", address);
    for (size_t i = TRIES; i-- > 0;)
        if (l[i].inode && (l[i].pid || !best || !best->pid))
            best = &l[i];
    if (!rc && !best)
        rc = err_set(e, ERR_FAILED, "no process listens at %s on this host", address);
    else if (!rc)
        rc = best->pid ? add_answerer(root_fd, address, best->pid, &a, e)
                       : not_visible(address, best->uid, denied, e);
    close(root_fd);
    *tree = a.tree;
    return rc ? -1 : 0;
}
