/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc_net.h.  The kernel prints an address as 32-bit words in hexadecimal, each word as the
 * machine reads the network-order bytes.
 */
#include "telemetry/proc_net.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "telemetry/proc.h"

static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

enum { STATE_LISTEN = 0x0a };

bool net_addr_from(struct net_addr *a, const struct sockaddr_storage *from)
{
    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)from;
        memcpy(a->ip, mapped, sizeof mapped);
        memcpy(a->ip + sizeof mapped, &in->sin_addr, 4);
        a->port = ntohs(in->sin_port);
        return true;
    }
    if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)from;
        memcpy(a->ip, &in->sin6_addr, 16);
        a->port = ntohs(in->sin6_port);
        return true;
    }
    return false;
}

bool net_addr_same_host(const struct net_addr *a, const struct net_addr *b)
{
    return memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

bool net_addr_equal(const struct net_addr *a, const struct net_addr *b)
{
    return a->port == b->port && net_addr_same_host(a, b);
}

static bool is_mapped(const struct net_addr *a)
{
    return memcmp(a->ip, mapped, sizeof mapped) == 0;
}

bool net_addr_is_loopback(const struct net_addr *a)
{
    static const unsigned char one[16] = {[15] = 1};

    return is_mapped(a) ? a->ip[12] == 127 : memcmp(a->ip, one, sizeof one) == 0;
}

/* :: or 0.0.0.0 */
static bool is_wildcard(const struct net_addr *a)
{
    static const unsigned char zero[16];

    return memcmp(a->ip, zero, sizeof zero) == 0 ||
           (is_mapped(a) && memcmp(a->ip + sizeof mapped, zero, 4) == 0);
}

const char *net_addr_text(const struct net_addr *a, char text[NET_ADDR_TEXT])
{
    char ip[INET6_ADDRSTRLEN] = "?";

    if (is_mapped(a)) {
        inet_ntop(AF_INET, a->ip + sizeof mapped, ip, sizeof ip);
        snprintf(text, NET_ADDR_TEXT, "%s:%u", ip, a->port);
    } else {
        inet_ntop(AF_INET6, a->ip, ip, sizeof ip);
        snprintf(text, NET_ADDR_TEXT, "[%s]:%u", ip, a->port);
    }
    return text;
}

/* "0100007F" or 32 digits, then ":0CEA". */
static bool parse_addr(const char *hex, unsigned port, struct net_addr *a)
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
        uint32_t v;
        memcpy(word, hex + 8 * i, 8);
        v = (uint32_t)strtoul(word, NULL, 16);
        memcpy(out + 4 * i, &v, 4);
    }
    a->port = (uint16_t)port;
    return true;
}

struct search {
    struct net_lookup *l;
    size_t n;
};

static void match_socket(struct net_lookup *l, const struct net_addr *local,
                         const struct net_addr *peer, unsigned state, uid_t uid, uint64_t inode)
{
    bool exact = net_addr_equal(&l->local, local) && net_addr_equal(&l->peer, peer);
    bool listens = l->listener_will_do && state == STATE_LISTEN && l->local.port == local->port &&
                   (is_wildcard(local) || net_addr_same_host(&l->local, local));

    if (!exact && (!listens || l->inode))
        return;
    l->inode = inode;
    l->uid = uid;
    l->is_listener = !exact;
}

static bool take_socket(char *line, void *arg)
{
    char local_hex[33], peer_hex[33];
    unsigned local_port, peer_port, state, uid;
    struct net_addr local, peer;
    struct search *s = arg;
    unsigned long long inode;

    if (sscanf(line, " %*u: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*x:%*x %*x:%*x %*x %u %*u %llu",
               local_hex, &local_port, peer_hex, &peer_port, &state, &uid, &inode) != 7)
        return true; /* the heading */
    if (inode == 0 || !parse_addr(local_hex, local_port, &local) ||
        !parse_addr(peer_hex, peer_port, &peer))
        return true; /* no inode: closed already, only waiting */
    for (size_t i = 0; i < s->n; i++)
        match_socket(&s->l[i], &local, &peer, state, (uid_t)uid, inode);
    return true;
}

int net_find_sockets(int root_fd, struct net_lookup *l, size_t n)
{
    struct search s = {l, n};
    int rc, rc6;

    for (size_t i = 0; i < n; i++)
        l[i].inode = 0;
    rc = proc_each_line(root_fd, "net/tcp", take_socket, &s);
    rc6 = proc_each_line(root_fd, "net/tcp6", take_socket, &s);
    return rc && rc6 ? rc : 0; /* a machine may be without either */
}

/* The inode of "socket:[123]", 0 for other links. */
static uint64_t socket_inode(int dir_fd, const char *name)
{
    char text[64];
    const char *p = text + 8;
    uint64_t inode;
    ssize_t n = readlinkat(dir_fd, name, text, sizeof text - 1);

    if (n < 9)
        return 0;
    text[n] = '\0';
    return memcmp(text, "socket:[", 8) == 0 && proc_whole_number(&p, &inode) && *p == ']' ? inode
                                                                                          : 0;
}

/* Searches the sockets of one process.  0 or an errno value. */
static int search_process(int root_fd, pid_t pid, struct net_lookup *l, size_t n)
{
    char path[32];
    struct dirent *entry;
    DIR *dir;
    int fd;

    snprintf(path, sizeof path, "%d/fd", (int)pid);
    fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    dir = fdopendir(fd);
    if (!dir) {
        int rc = errno;
        close(fd);
        return rc;
    }
    while ((entry = readdir(dir))) {
        uint64_t inode = socket_inode(dirfd(dir), entry->d_name);
        for (size_t i = 0; inode && i < n; i++)
            if (l[i].inode == inode && l[i].pid == 0)
                l[i].pid = pid;
    }
    closedir(dir);
    return 0;
}

static bool all_found(const struct net_lookup *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (l[i].inode && !l[i].pid)
            return false;
    return true;
}

int net_find_owners(int root_fd, struct net_lookup *l, size_t n, bool *denied)
{
    struct pid_list pids = {0};
    int rc = proc_list_tasks(root_fd, 0, &pids);

    *denied = false;
    for (size_t i = 0; i < n; i++)
        l[i].pid = 0;
    for (size_t i = 0; !rc && i < pids.n && !all_found(l, n); i++) {
        int why = search_process(root_fd, pids.ids[i], l, n);
        if (why && !proc_is_gone(why))
            *denied = true;
    }
    pid_list_free(&pids);
    return rc;
}
