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
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/http_request.h"
#include "report/live.h"

#if MHD_VERSION >= 0x00097002
typedef enum MHD_Result mhd_result;
#else
typedef int mhd_result;
#endif

/*
 * Enough for any number of scrapers and browsers, too few to take a client's descriptors away.
 *
 * crowd_note: a connection that stays silent keeps its place until it times out.  When many are
 * there already, that is soon: no number of half-open ones can keep a scraper out for long.
 */
enum { CONNECTIONS = 64, CROWD = 16, IDLE_S = 30, IDLE_IN_CROWD_S = 1 };
enum { BODY_MAX = 1024 }; /* of a mark */

struct http {
    char *url, *page;
    char *names; /* of this host, with commas; the library's thread alone once it runs */
    bool loopback;
    bool full_name;            /* was asked for */
    int fd;                    /* the daemon's once it runs */
    struct MHD_Daemon *daemon; /* NULL: not started */
    struct http_live live;     /* json NULL: no page */
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
    struct MHD_Response *r = MHD_create_response_from_buffer(len, (void *)(uintptr_t)text, mode);

    if (!r)
        return NULL;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    return r;
}

/* The page loads nothing from elsewhere and cannot be put into a frame. */
static struct MHD_Response *page(void)
{
    struct MHD_Response *r = response((const char *)live_page, live_page_size,
                                      "text/html; charset=utf-8", MHD_RESPMEM_PERSISTENT);

    if (r)
        MHD_add_response_header(
            r, "Content-Security-Policy",
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
            "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    return r;
}

/* --- the socket: made here and not by the library, because only so a port in use, a wrong name and
 * an address of another host can be told apart before the run starts --- */

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

/* *names, to be freed: the names that requests may use for this host, with commas between them. */
static int http_socket_open(int *fd, char **names, const char *address, const char *default_port,
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

/* "http://127.0.0.1:19104/", to be freed. */
static char *http_socket_url(int fd)
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

    if (getsockname(fd, (struct sockaddr *)&at, &n) == 0)
        getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    return mem_printf(strchr(host, ':') ? "http://[%s]:%s/" : "http://%s:%s/", host, port);
}

/* Only processes of this host can reach it. */
static bool http_socket_is_loopback(int fd)
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

/* --- the server --- */

int http_listen(struct http **out, const char *address, struct err *e)
{
    struct http *h;
    char *names;
    int fd = -1;

    *out = NULL;
    if (http_socket_open(&fd, &names, address, HTTP_DEFAULT_PORT, e))
        return -1;
    h = mem_alloc(sizeof *h);
    h->names = names;
    h->fd = fd;
    h->page = http_socket_url(fd);
    h->url = mem_printf("%smetrics", h->page);
    h->loopback = http_socket_is_loopback(fd);
    pthread_mutex_init(&h->lock, NULL);
    *out = h;
    return 0;
}

const char *http_url(const struct http *h)
{
    return h->url;
}

const char *http_page_url(const struct http *h)
{
    return h->page;
}

bool http_is_loopback(const struct http *h)
{
    return h->loopback;
}

void http_set_live(struct http *h, const struct http_live *live)
{
    h->live = *live;
    h->html = page();
}

/* --- metrics --- */

static struct MHD_Response *metrics(const struct str *text, const char *type)
{
    struct MHD_Response *r = response(str_cstr(text), text->len, type, MHD_RESPMEM_MUST_COPY);

    if (r)
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
    struct MHD_Response *a = metrics(prometheus, "text/plain; version=0.0.4; charset=utf-8");
    struct MHD_Response *b =
        metrics(openmetrics, "application/openmetrics-text; version=1.0.0; charset=utf-8");

    pthread_mutex_lock(&h->lock);
    a = replace(&h->prometheus, a);
    b = replace(&h->openmetrics, b);
    pthread_mutex_unlock(&h->lock);
    if (a)
        MHD_destroy_response(a);
    if (b)
        MHD_destroy_response(b);
}

/* --- requests --- */

struct sought {
    const char *name, *value;
};

static mhd_result take_header(void *arg, enum MHD_ValueKind kind, const char *name,
                              const char *value)
{
    struct sought *s = arg;

    (void)kind;
    if (strcasecmp(name, s->name) == 0)
        s->value = s->value || !value ? "" : value;
    return MHD_YES;
}

/* "" if it comes more than once: no browser does that, and nothing depends on which one counts. */
static const char *header(struct MHD_Connection *c, const char *name)
{
    struct sought s = {name, NULL};

    MHD_get_connection_values(c, MHD_HEADER_KIND, take_header, &s);
    return s.value;
}

/* Queues a response of our own and lets go of it. */
static mhd_result queue(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
    mhd_result rc;

    if (!r)
        return MHD_NO;
    rc = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return rc;
}

/* A sentence. */
static mhd_result say(struct MHD_Connection *c, unsigned status, const char *text)
{
    struct str line = STR_INIT;
    mhd_result rc;

    str_printf(&line, "%s\n", text);
    rc = queue(
        c, status,
        response(str_cstr(&line), line.len, "text/plain; charset=utf-8", MHD_RESPMEM_MUST_COPY));
    str_free(&line);
    return rc;
}

static mhd_result not_allowed(struct MHD_Connection *c, const char *methods)
{
    struct MHD_Response *r;
    char text[64];

    snprintf(text, sizeof text, "%s only\n", methods);
    r = response(text, strlen(text), "text/plain; charset=utf-8", MHD_RESPMEM_MUST_COPY);
    if (r)
        MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, methods);
    return queue(c, MHD_HTTP_METHOD_NOT_ALLOWED, r);
}

static mhd_result answer_metrics(struct http *h, struct MHD_Connection *c, const struct request *q)
{
    bool wanted = http_wants_openmetrics(
        MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
    struct MHD_Response *r;
    mhd_result rc = MHD_NO;

    (void)q;
    pthread_mutex_lock(&h->lock);
    r = wanted ? h->openmetrics : h->prometheus;
    if (r)
        rc = MHD_queue_response(c, MHD_HTTP_OK, r);
    pthread_mutex_unlock(&h->lock);
    return rc;
}

static mhd_result answer_page(struct http *h, struct MHD_Connection *c, const struct request *q)
{
    (void)q;
    return h->html ? MHD_queue_response(c, MHD_HTTP_OK, h->html) : MHD_NO;
}

static mhd_result answer_live(struct http *h, struct MHD_Connection *c, const struct request *q)
{
    const char *after = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "after");
    struct str text = STR_INIT;
    mhd_result rc;

    (void)q;
    h->live.json(h->live.arg, after ? strtoull(after, NULL, 10) : 0, &text);
    rc = queue(c, MHD_HTTP_OK,
               response(str_cstr(&text), text.len, "application/json", MHD_RESPMEM_MUST_COPY));
    str_free(&text);
    return rc;
}

static mhd_result answer_mark(struct http *h, struct MHD_Connection *c, const struct request *q)
{
    struct http_origin o = {.loopback = h->loopback,
                            .host = header(c, MHD_HTTP_HEADER_HOST),
                            .origin = header(c, MHD_HTTP_HEADER_ORIGIN),
                            .fetch_site = header(c, "Sec-Fetch-Site")};
    const char *why = http_refuse_mark(&o);

    if (why)
        return say(c, MHD_HTTP_FORBIDDEN, why);
    if (q->n > BODY_MAX)
        return say(c, 413, "the text of a mark is too long");
    why = h->live.mark(h->live.arg, q->body, q->n);
    if (why)
        return say(c, MHD_HTTP_CONFLICT, why);
    return say(c, MHD_HTTP_OK, "the mark is set");
}

static const struct route {
    const char *path;
    bool post, live; /* POST instead of GET and HEAD; belongs to the page */
    mhd_result (*answer)(struct http *h, struct MHD_Connection *c, const struct request *q);
} routes[] = {{"/metrics", false, false, answer_metrics},
              {"/", false, true, answer_page},
              {"/live.json", false, true, answer_live},
              {"/mark", true, true, answer_mark}};

/* The name with its domain is asked for when a request needs it, at most once: DNS may take long.
 * Nobody reaches a loopback address by it. */
static const char *refuse_host(struct http *h, const char *host)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME};
    const char *why = http_refuse_host(host, h->names);
    char own[HOST_NAME_MAX + 1] = "", *known = h->names;
    struct addrinfo *list;

    if (!why || h->loopback || h->full_name)
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

static mhd_result answer_whole(struct http *h, struct MHD_Connection *c, const char *path,
                               const char *method, const struct request *q)
{
    bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    bool get =
        strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    const char *why = refuse_host(h, header(c, MHD_HTTP_HEADER_HOST));

    if (why)
        return say(c, MHD_HTTP_FORBIDDEN, why);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        const struct route *r = &routes[i];
        if (strcmp(path, r->path) != 0 || (r->live && !h->live.json))
            continue;
        if (r->post ? !post : !get)
            return not_allowed(c, r->post ? "POST" : "GET, HEAD");
        return r->answer(h, c, q);
    }
    return say(c, MHD_HTTP_NOT_FOUND, "The page is at /, the figures are at /metrics");
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
    if (!*body_size)
        return answer_whole(arg, c, path, method, q);
    if (q->n <= BODY_MAX && *body_size <= BODY_MAX - q->n) {
        memcpy(q->body + q->n, body, *body_size);
        q->n += *body_size;
    } else {
        q->n = BODY_MAX + 1;
    }
    *body_size = 0;
    return MHD_YES;
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
        MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)IDLE_IN_CROWD_S);
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
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
                                 MHD_OPTION_NOTIFY_CONNECTION, count_connection, h,
                                 MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
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
    if (h->html)
        MHD_destroy_response(h->html);
    pthread_mutex_destroy(&h->lock);
    free(h->url);
    free(h->page);
    free(h->names);
    free(h);
}

const char *http_library(void)
{
    return MHD_get_version();
}

const char *http_chart_library(void)
{
    return live_chart_library;
}
