/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http_socket.h.
 */
#include "report/http_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum { BACKLOG = 128 };

struct address {
    char *host, *port;
};

static int bad_address(const char *address, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --metrics-listen: '%s' (%s)", address, why);
}

static bool is_number(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0';
}

/* "[::1]:80", "::1", "host:80", "host", "80", ":80" */
static int read_address(struct address *a, const char *text, const char *default_port,
                        struct err *e)
{
    const char *colon = strrchr(text, ':'), *host = text, *end = NULL, *port = NULL;

    if (*text == '[') {
        host = text + 1;
        end = strchr(host, ']');
        if (!end || (end[1] && end[1] != ':'))
            return bad_address(text, "an address in brackets goes on with :PORT or ends", e);
        port = end[1] ? end + 2 : NULL;
    } else if (is_number(text)) {
        end = host;
        port = text;
    } else if (colon && strchr(text, ':') == colon) {
        end = colon;
        port = colon + 1;
    } else {
        end = text + strlen(text);
    }
    if (port && (!is_number(port) || strlen(port) > 5 || atol(port) > 65535))
        return bad_address(text, "HOST:PORT, HOST or PORT, with a port from 0 to 65535", e);
    a->host = end > host ? mem_strndup(host, (size_t)(end - host)) : mem_strdup("127.0.0.1");
    a->port = mem_strdup(port ? port : default_port);
    return 0;
}

/* A listening socket at the first of the name's addresses that works; -1 with errno. */
static int listen_at(const struct addrinfo *list)
{
    int one = 1, why = EADDRNOTAVAIL;

    for (const struct addrinfo *i = list; i; i = i->ai_next) {
        int fd =
            socket(i->ai_family, i->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, i->ai_protocol);
        if (fd < 0) {
            why = errno;
            continue;
        }
        /* connections of the run before may linger */
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (i->ai_family == AF_INET6)
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
        if (bind(fd, i->ai_addr, i->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
            return fd;
        why = errno;
        close(fd);
    }
    errno = why;
    return -1;
}

static int open_socket(int *fd, const char *text, const struct address *a, struct err *e)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list;
    int rc = getaddrinfo(a->host, a->port, &hints, &list);

    if (rc)
        return err_set(e, ERR_FAILED, "--metrics-listen=%s: cannot resolve '%s': %s", text, a->host,
                       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
    *fd = listen_at(list);
    rc = errno;
    freeaddrinfo(list);
    if (*fd < 0)
        return err_sys(e, rc, "--metrics-listen=%s: cannot listen on %s port %s", text, a->host,
                       a->port);
    return 0;
}

/* Names as a Host has them, after commas. */
static bool are_names(const char *s)
{
    while (*s == ',') {
        size_t n = strspn(++s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
        if (n == 0)
            return false;
        s += n;
    }
    return *s == '\0';
}

int http_socket_open(int *fd, char **names, const char *address, const char *default_port,
                     struct err *e)
{
    struct address a = {NULL, NULL};
    size_t n = strcspn(address, ",");
    char *at = mem_strndup(address, n), own[HOST_NAME_MAX + 1] = "";
    int rc = -1;

    if (!are_names(address + n))
        bad_address(address, "host names follow the address after commas", e);
    else if (!read_address(&a, at, default_port, e) && !open_socket(fd, at, &a, e))
        rc = 0;
    if (rc == 0) {
        gethostname(own, HOST_NAME_MAX);
        *names = mem_printf("localhost,%s,%s%s", own, a.host, address + n);
    }
    free(at);
    free(a.host);
    free(a.port);
    return rc;
}

char *http_socket_url(int fd)
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

    if (getsockname(fd, (struct sockaddr *)&at, &n) == 0)
        getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    return mem_printf(strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host, port);
}

bool http_socket_is_loopback(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at = {0};
    socklen_t n = sizeof at;

    if (getsockname(fd, &at.any, &n))
        return false;
    if (at.any.sa_family == AF_INET)
        return ntohl(at.v4.sin_addr.s_addr) >> 24 == 127;
    return at.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&at.v6.sin6_addr);
}
