/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http.h.  The published metrics are response objects of the library, which counts their users:
 * replacing one while it is being sent is safe, and a scrape copies nothing.
 */
#include "report/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/library.h"
#include "base/mem.h"
#include "report/http_request.h"
#include "report/live.h"

#if MHD_VERSION >= 0x00097002
typedef enum MHD_Result mhd_result;
#else
typedef int mhd_result;
#endif

/* clang-format off */
#define MHD(X) \
    X(MHD_add_response_header) X(MHD_create_response_from_buffer) X(MHD_destroy_response) \
    X(MHD_get_connection_values) X(MHD_lookup_connection_value) X(MHD_queue_response) \
    X(MHD_set_connection_option) X(MHD_start_daemon) X(MHD_stop_daemon)
/* clang-format on */

static struct {
    MHD(LIBRARY_POINTER)
} mhd;

/*
 * Enough for any number of scrapers and browsers, too few to take a client's descriptors away.
 *
 * crowd_note: a connection that stays silent keeps its place until it times out.  When many are
 * there already, that is soon: no number of half-open ones can keep a scraper out for long.
 */
enum { CONNECTIONS = 64, CROWD = 16, IDLE_S = 30, IDLE_IN_CROWD_S = 1 };
enum { BODY_MAX = 1024 }; /* of a mark */

struct http {
    struct http_place at;
    char *names;    /* of this host, with commas; the library's thread alone once it runs */
    bool full_name; /* was asked for */
    int fd;         /* the daemon's once it runs */
    struct MHD_Daemon *daemon; /* NULL: not started */
    struct live *live;         /* NULL: no page */
    struct MHD_Response *html;
    unsigned connections; /* the library's thread alone */
    pthread_mutex_t lock;
    struct MHD_Response *prometheus, *openmetrics; /* under lock; NULL: nothing published */
};

/* A request that is being received. */
struct request {
    size_t n; /* of the body; above BODY_MAX: it was longer and is not kept */
    char body[BODY_MAX];
};

static struct MHD_Response *response(const char *text, size_t len, const char *type,
                                     enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *r =
        mhd.MHD_create_response_from_buffer(len, (void *)(uintptr_t)text, mode);

    if (!r)
        return NULL;
    mhd.MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    mhd.MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    mhd.MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    return r;
}

/* --- the socket: made here and not by the library, because only so a port in use, a wrong name and
 * an address of another host can be told apart before the run starts --- */

enum { BACKLOG = 128 };

static int bad_address(const char *address, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --metrics-listen: '%s' (%s)", address, why);
}

static bool is_number(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0';
}

/* "[::1]:80", "::1", "host:80", "host", "80", ":80" */
static int read_address(char **host_out, const char **port_out, const char *text, struct err *e)
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
    *host_out = end > host ? mem_strndup(host, (size_t)(end - host)) : mem_strdup("127.0.0.1");
    *port_out = port ? port : *port_out;
    return 0;
}

/* A listening socket at the first of the name's addresses that works. */
static int listen_at(int *fd, const char *text, const char *host, const char *port, struct err *e)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list;
    int rc = getaddrinfo(host, port, &hints, &list), one = 1, why = EADDRNOTAVAIL;

    if (rc)
        return err_set(e, ERR_FAILED, "--metrics-listen=%s: cannot resolve '%s': %s", text, host,
                       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
    *fd = -1;
    for (const struct addrinfo *i = list; i && *fd < 0; i = i->ai_next) {
        *fd = socket(i->ai_family, i->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, i->ai_protocol);
        if (*fd >= 0) {
            /* connections of the run before may linger */
            setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
            if (i->ai_family == AF_INET6)
                setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
            if (bind(*fd, i->ai_addr, i->ai_addrlen) == 0 && listen(*fd, BACKLOG) == 0)
                break;
        }
        why = errno;
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
    }
    freeaddrinfo(list);
    return *fd >= 0 ? 0
                    : err_sys(e, why, "--metrics-listen=%s: cannot listen on %s port %s", text,
                              host, port);
}

/* --- the server --- */

int http_listen(struct http **out, const char *address, struct err *e)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage room;
    } at = {0};
    socklen_t len = sizeof at;
    size_t n = strcspn(address, ",");
    const char *names = address + n, *port = HTTP_DEFAULT_PORT;
    char *text = mem_strndup(address, n), *host = NULL, own[HOST_NAME_MAX + 1] = "";
    char number[NI_MAXHOST] = "?", service[NI_MAXSERV] = "?";
    struct http *h;
    int fd = -1;

    *out = NULL;
    if (library_load("libmicrohttpd.so.12", "--metrics-listen needs", MHD(LIBRARY_NAME), &mhd, e)) {
        free(text);
        return -1;
    }
    while (*names == ',') { /* as a Host has them */
        size_t k =
            strspn(++names, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
        names = k ? names + k : "?";
    }
    if (*names)
        bad_address(address, "host names follow the address after commas", e);
    else if (read_address(&host, &port, text, e) == 0)
        listen_at(&fd, text, host, port, e);
    if (fd >= 0) {
        *out = h = mem_alloc(sizeof *h);
        h->fd = fd;
        gethostname(own, HOST_NAME_MAX);
        h->names = mem_printf("localhost,%s,%s%s", own, host, address + n);
        if (getsockname(fd, &at.any, &len) == 0)
            getnameinfo(&at.any, len, number, sizeof number, service, sizeof service,
                        NI_NUMERICHOST | NI_NUMERICSERV);
        h->at.page =
            mem_printf(strchr(number, ':') ? "http://[%s]:%s/" : "http://%s:%s/", number, service);
        h->at.url = mem_printf("%smetrics", h->at.page);
        h->at.loopback = at.any.sa_family == AF_INET ? ntohl(at.v4.sin_addr.s_addr) >> 24 == 127
                                                     : at.any.sa_family == AF_INET6 &&
                                                           IN6_IS_ADDR_LOOPBACK(&at.v6.sin6_addr);
        pthread_mutex_init(&h->lock, NULL);
    }
    free(text);
    free(host);
    return fd >= 0 ? 0 : -1;
}

const struct http_place *http_place(const struct http *h)
{
    return &h->at;
}

/* --- metrics --- */

void http_publish(void *http, const struct str *prometheus, const struct str *openmetrics)
{
    struct MHD_Response *new[] = {
        response(str_cstr(prometheus), prometheus->len, "text/plain; version=0.0.4; charset=utf-8",
                 MHD_RESPMEM_MUST_COPY),
        response(str_cstr(openmetrics), openmetrics->len,
                 "application/openmetrics-text; version=1.0.0; charset=utf-8",
                 MHD_RESPMEM_MUST_COPY)};

    struct http *h = http;

    for (int i = 0; i < 2; i++) {
        struct MHD_Response **where = i ? &h->openmetrics : &h->prometheus, *old;
        if (!new[i]) /* memory ran out: the previous report stays */
            continue;
        mhd.MHD_add_response_header(new[i], MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
        pthread_mutex_lock(&h->lock);
        old = *where;
        *where = new[i];
        pthread_mutex_unlock(&h->lock);
        if (old)
            mhd.MHD_destroy_response(old);
    }
}

/* --- requests --- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return mhd.MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* A header that says who asks, of all those that the request has. */
static mhd_result take_origin(void *arg, enum MHD_ValueKind kind, const char *name,
                              const char *value)
{
    (void)kind;
    http_origin_add(arg, name, value ? value : "");
    return MHD_YES;
}

/* Queues a response of our own and lets go of it. */
static mhd_result queue(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
    if (!r)
        return MHD_NO;
    mhd_result rc = mhd.MHD_queue_response(c, status, r);
    mhd.MHD_destroy_response(r);
    return rc;
}

/* A sentence; `methods`: the only ones that are allowed, or NULL. */
static mhd_result say(struct MHD_Connection *c, unsigned status, const char *text,
                      const char *methods)
{
    struct str line = STR_INIT;

    str_printf(&line, "%s\n", text);
    struct MHD_Response *r =
        response(str_cstr(&line), line.len, "text/plain; charset=utf-8", MHD_RESPMEM_MUST_COPY);
    str_free(&line);
    if (r && methods)
        mhd.MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, methods);
    return queue(c, status, r);
}

/* The name with its domain is asked for when a request needs it, at most once: DNS may take long.
 * Nobody reaches a loopback address by it. */
static const char *refuse_host(struct http *h, const char *host)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME};
    const char *why = http_refuse_host(host, h->names);
    char own[HOST_NAME_MAX + 1] = "", *known = h->names;
    struct addrinfo *list;

    if (!why || h->at.loopback || h->full_name)
        return why;
    h->full_name = true;
    gethostname(own, HOST_NAME_MAX);
    if (getaddrinfo(own, NULL, &hints, &list) == 0) {
        h->names = mem_printf("%s,%s", known, list->ai_canonname ? list->ai_canonname : own);
        free(known);
        freeaddrinfo(list);
    }
    return http_refuse_host(host, h->names);
}

/* A request that has been received as a whole. */
static mhd_result respond(struct http *h, struct MHD_Connection *c, const char *path,
                          const char *method, const struct request *q)
{
    const bool metrics = strcmp(path, "/metrics") == 0, mark = h->live && !strcmp(path, "/mark"),
               page = h->live && !strcmp(path, "/"), data = h->live && !strcmp(path, "/live.json"),
               get = !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);
    struct http_origin o = {.loopback = h->at.loopback};
    struct str text = STR_INIT;
    mhd_result rc = MHD_NO;
    const char *why, *after;

    mhd.MHD_get_connection_values(c, MHD_HEADER_KIND, take_origin, &o);
    if (o.bad)
        return say(c, MHD_HTTP_BAD_REQUEST, o.bad, NULL);
    if ((why = refuse_host(h, o.host)))
        return say(c, MHD_HTTP_FORBIDDEN, why, NULL);
    if (!metrics && !mark && !page && !data)
        return say(c, MHD_HTTP_NOT_FOUND, "The page is at /, the figures are at /metrics", NULL);
    if (mark && strcmp(method, MHD_HTTP_METHOD_POST) != 0)
        return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "POST only", "POST");
    if (!mark && !get)
        return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, HEAD only", "GET, HEAD");
    if (metrics) {
        bool wanted = http_wants_openmetrics(header(c, MHD_HTTP_HEADER_ACCEPT));
        pthread_mutex_lock(&h->lock);
        struct MHD_Response *r = wanted ? h->openmetrics : h->prometheus;
        if (r)
            rc = mhd.MHD_queue_response(c, MHD_HTTP_OK, r);
        pthread_mutex_unlock(&h->lock);
        return rc;
    }
    if (page)
        return h->html ? mhd.MHD_queue_response(c, MHD_HTTP_OK, h->html) : MHD_NO;
    if (data) {
        after = mhd.MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "after");
        live_json(h->live, after ? strtoull(after, NULL, 10) : 0, &text);
        rc = queue(c, MHD_HTTP_OK,
                   response(str_cstr(&text), text.len, "application/json", MHD_RESPMEM_MUST_COPY));
        str_free(&text);
        return rc;
    }
    if ((why = http_refuse_mark(&o)))
        return say(c, MHD_HTTP_FORBIDDEN, why, NULL);
    if (q->n > BODY_MAX)
        return say(c, 413, "the text of a mark is too long", NULL);
    why = live_mark(h->live, q->body, q->n);
    return say(c, why ? MHD_HTTP_CONFLICT : MHD_HTTP_OK, why ? why : "the mark is set", NULL);
}

/* The library calls it for the head of a request, for each piece of its body, and at the end: an
 * answer before the end would close the connection. */
static mhd_result answer(void *arg, struct MHD_Connection *c, const char *path, const char *method,
                         const char *version, const char *body, size_t *body_size, void **own)
{
    struct request *q = *own;

    (void)version;
    if (!q) {
        *own = mem_alloc(sizeof *q);
        return MHD_YES;
    }
    if (*body_size) {
        if (q->n <= BODY_MAX && *body_size <= BODY_MAX - q->n) {
            memcpy(q->body + q->n, body, *body_size);
            q->n += *body_size;
        } else {
            q->n = BODY_MAX + 1;
        }
        *body_size = 0;
        return MHD_YES;
    }
    return respond(arg, c, path, method, q);
}

static void completed(void *arg, struct MHD_Connection *c, void **own,
                      enum MHD_RequestTerminationCode code)
{
    (void)arg, (void)c, (void)code;
    free(*own);
    *own = NULL;
}

/* See crowd_note. */
static void count_connection(void *arg, struct MHD_Connection *c, void **own,
                             enum MHD_ConnectionNotificationCode code)
{
    struct http *h = arg;

    (void)own;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED)
        h->connections--;
    else if (++h->connections > CROWD)
        mhd.MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)IDLE_IN_CROWD_S);
}

int http_start(struct http *h, struct live *live, struct err *e)
{
    const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC;
    sigset_t all, before;

    if (live) {
        h->live = live;
        h->html = response((const char *)live_page, live_page_size, "text/html; charset=utf-8",
                           MHD_RESPMEM_PERSISTENT);
    }
    if (h->html) /* the page loads nothing from elsewhere and cannot be put into a frame */
        mhd.MHD_add_response_header(
            h->html, "Content-Security-Policy",
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
            "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'");
    sigfillset(&all); /* the library's thread handles no signal */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    errno = 0;
    h->daemon = mhd.MHD_start_daemon(
        flags, 0, NULL, NULL, answer, h, MHD_OPTION_LISTEN_SOCKET, h->fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_S, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
        count_connection, h, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!h->daemon)
        return err_sys(e, errno ? errno : ENOMEM, "--metrics-listen: libmicrohttpd cannot serve %s",
                       h->at.url);
    h->fd = -1;
    return 0;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    if (h->daemon)
        mhd.MHD_stop_daemon(h->daemon);
    fd_close(h->fd);
    if (h->prometheus)
        mhd.MHD_destroy_response(h->prometheus);
    if (h->openmetrics)
        mhd.MHD_destroy_response(h->openmetrics);
    if (h->html)
        mhd.MHD_destroy_response(h->html);
    pthread_mutex_destroy(&h->lock);
    free(h->at.url);
    free(h->at.page);
    free(h->names);
    free(h);
}

const char *http_library(void)
{
    static char text[16];

    snprintf(text, sizeof text, "%x.%x.%x", MHD_VERSION >> 24, MHD_VERSION >> 16 & 0xff,
             MHD_VERSION >> 8 & 0xff);
    return text;
}

const char *http_chart_library(void)
{
    return live_chart_library;
}
