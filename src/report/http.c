/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http.h.  This file creates the socket, not the library, because only so it can distinguish a
 * port in use, a wrong name and an address of another host before the run starts.  The published
 * text is one response object of the library, which counts its users: replacing it while it is
 * being sent is safe, and a scrape copies nothing.
 */
#include "report/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/http_accept.h"

#if MHD_VERSION >= 0x00097002
typedef enum MHD_Result mhd_result;
#else
typedef int mhd_result;
#endif

/* Enough for any number of scrapers, too few to take a client's descriptors away. */
enum { CONNECTIONS = 32, IDLE_S = 60 };

struct http {
    char *url;
    int fd;                    /* the daemon's once it runs */
    struct MHD_Daemon *daemon; /* NULL: not started */
    struct MHD_Response *not_found, *not_allowed;
    pthread_mutex_t lock;
    struct MHD_Response *prometheus, *openmetrics; /* under lock; NULL: nothing published */
};

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
static int read_address(struct address *a, const char *text, struct err *e)
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
    a->port = mem_strdup(port ? port : HTTP_DEFAULT_PORT);
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
        if (bind(fd, i->ai_addr, i->ai_addrlen) == 0 && listen(fd, CONNECTIONS) == 0)
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

static char *make_url(int fd)
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

    if (getsockname(fd, (struct sockaddr *)&at, &n) == 0)
        getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    return mem_printf(strchr(host, ':') ? "http://[%s]:%s/metrics" : "http://%s:%s/metrics", host,
                      port);
}

/* A constant answer. */
static struct MHD_Response *constant(const char *text)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                             MHD_RESPMEM_PERSISTENT);

    if (r)
        MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
    return r;
}

int http_listen(struct http **out, const char *address, struct err *e)
{
    struct address a = {NULL, NULL};
    struct http *h;
    int fd = -1;
    int rc = read_address(&a, address, e) || open_socket(&fd, address, &a, e) ? -1 : 0;

    *out = NULL;
    free(a.host);
    free(a.port);
    if (rc)
        return -1;
    h = mem_alloc(sizeof *h);
    h->fd = fd;
    h->url = make_url(fd);
    pthread_mutex_init(&h->lock, NULL);
    h->not_found = constant("The figures are at /metrics\n");
    h->not_allowed = constant("GET and HEAD only\n");
    if (h->not_allowed)
        MHD_add_response_header(h->not_allowed, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    *out = h;
    return 0;
}

const char *http_url(const struct http *h)
{
    return h->url;
}

static struct MHD_Response *response(const struct str *text, const char *type)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        text->len, (void *)(uintptr_t)str_cstr(text), MHD_RESPMEM_MUST_COPY);

    if (!r)
        return NULL;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
    return r;
}

/* Replaces `old` by `new`; when `new` is NULL, because memory ran out, the previous report
 * stays. */
static struct MHD_Response *replace(struct MHD_Response **where, struct MHD_Response *new)
{
    struct MHD_Response *old = *where;

    if (!new)
        return NULL;
    *where = new;
    return old;
}

void http_publish(struct http *h, const struct str *prometheus, const struct str *openmetrics)
{
    struct MHD_Response *a = response(prometheus, "text/plain; version=0.0.4; charset=utf-8");
    struct MHD_Response *b =
        response(openmetrics, "application/openmetrics-text; version=1.0.0; charset=utf-8");

    pthread_mutex_lock(&h->lock);
    a = replace(&h->prometheus, a);
    b = replace(&h->openmetrics, b);
    pthread_mutex_unlock(&h->lock);
    if (a)
        MHD_destroy_response(a);
    if (b)
        MHD_destroy_response(b);
}

static mhd_result answer_metrics(struct http *h, struct MHD_Connection *c)
{
    const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    bool wanted = http_wants_openmetrics(accept);
    struct MHD_Response *r;
    mhd_result rc = MHD_NO;

    pthread_mutex_lock(&h->lock);
    r = wanted ? h->openmetrics : h->prometheus;
    if (r)
        rc = MHD_queue_response(c, MHD_HTTP_OK, r);
    pthread_mutex_unlock(&h->lock);
    return rc;
}

static mhd_result answer(void *arg, struct MHD_Connection *c, const char *path, const char *method,
                         const char *version, const char *body, size_t *body_size, void **own)
{
    struct http *h = arg;

    (void)version, (void)body, (void)body_size;
    /* the head only; an answer that comes before the whole request ends the connection */
    if (!*own) {
        *own = h;
        return MHD_YES;
    }
    if (*body_size) { /* the body is ignored */
        *body_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return h->not_allowed ? MHD_queue_response(c, MHD_HTTP_METHOD_NOT_ALLOWED, h->not_allowed)
                              : MHD_NO;
    if (strcmp(path, "/metrics") != 0)
        return h->not_found ? MHD_queue_response(c, MHD_HTTP_NOT_FOUND, h->not_found) : MHD_NO;
    return answer_metrics(h, c);
}

int http_start(struct http *h, struct err *e)
{
    const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC;
    sigset_t all, before;

    sigfillset(&all); /* the library's thread handles no signal */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    errno = 0;
    h->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, h, MHD_OPTION_LISTEN_SOCKET, h->fd,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!h->daemon)
        return err_sys(e, errno ? errno : ENOMEM, "--metrics-listen: libmicrohttpd cannot serve %s",
                       h->url);
    h->fd = -1;
    return 0;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    if (h->fd >= 0)
        close(h->fd);
    if (h->prometheus)
        MHD_destroy_response(h->prometheus);
    if (h->openmetrics)
        MHD_destroy_response(h->openmetrics);
    if (h->not_found)
        MHD_destroy_response(h->not_found);
    if (h->not_allowed)
        MHD_destroy_response(h->not_allowed);
    pthread_mutex_destroy(&h->lock);
    free(h->url);
    free(h);
}

const char *http_library(void)
{
    return MHD_get_version();
}
