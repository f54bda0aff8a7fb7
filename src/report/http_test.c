/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a scraper is answered: the status for each path and method, and the text that was published
 * last, in the format that the request names.  Skipped (77) without libmicrohttpd.
 */
#include "report/http.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test_timed.h"

static int port;

/* The whole answer to one request; "" when there is none. */
static const char *ask(const char *request)
{
    static char answer[4096];
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    size_t len = 0;
    ssize_t n;

    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
        write(fd, request, strlen(request)) == (ssize_t)strlen(request))
        while (len < sizeof answer - 1 && (n = read(fd, answer + len, sizeof answer - 1 - len)) > 0)
            len += (size_t)n;
    answer[len] = '\0';
    close(fd);
    return answer;
}

static const struct {
    const char *request;
    int status;
    const char *body; /* NULL: any */
} cases[] = {
    {"GET /metrics HTTP/1.1\r\n", 200, "plain\n"},
    {"GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n", 200, "open\n# EOF\n"},
    {"GET /metrics?name=x HTTP/1.1\r\n", 200, "plain\n"},
    {"HEAD /metrics HTTP/1.1\r\n", 200, ""},
    {"GET / HTTP/1.1\r\n", 404, NULL},
    {"GET /metrics/more HTTP/1.1\r\n", 404, NULL},
    {"DELETE /metrics HTTP/1.1\r\n", 405, NULL},
    {"POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n", 405, NULL},
    {"GET /metrics HTTP/1.1\r\nHost: PROM.example.com:9\r\n", 200, "plain\n"},
    {"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n", 403, NULL},
    {"GET /nothing HTTP/1.1\r\nHost: evil.example\r\n", 403, NULL},
    {"GET /metrics HTTP/1.0\r\n", 200, "plain\n"},
    {"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost : evil\r\n", 400, NULL},
    {"GET /metrics HTTP/1.1\r\nHost : localhost\r\nX-Host: x\r\n", 400, NULL},
    {"GET /metrics HTTP/1.1\r\nHost: local\r\n host\r\n", 400, NULL}, /* folded */
    {"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\tX: a\r\n", 400, NULL},
    {"GET /metrics HTTP/1.1\r\n Host: evil\r\nHost: localhost\r\n", 400, NULL},
    {"GET /metrics HTTP/1.1\r\nX-Host: localhost\r\n", 400, NULL},
};

static void check(const char *head, int status, const char *body)
{
    char request[200];
    const char *answer, *got;

    snprintf(request, sizeof request, "%s%sConnection: close\r\n\r\n", head,
             strstr(head, "Host:") || strstr(head, "Host :") || strstr(head, "1.0")
                 ? ""
                 : "Host: localhost\r\n");
    answer = ask(request);
    got = strstr(answer, "\r\n\r\n");
    TEST_REPORT(strncmp(answer, "HTTP/1.1 ", 9) == 0 && atoi(answer + 9) == status,
                "%s is answered \"%.30s\", not %d", head, answer, status);
    if (body)
        CHECK_STR(got ? got + 4 : NULL, body);
}

/* HOST:PORT or PORT: where it listens. */
static void addresses(void)
{
    static const struct {
        const char *address, *host;
    } t[] = {{"0", "http://127.0.0.1:"}, {"127.0.0.2:0", "http://127.0.0.2:"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct http *h;
        struct err e = {0};
        CHECK_INT(http_listen(&h, t[i].address, &e), 0);
        CHECK(strncmp(http_place(h)->url, t[i].host, strlen(t[i].host)) == 0);
        CHECK(strstr(http_place(h)->url, ":" HTTP_DEFAULT_PORT "/") == NULL);
        CHECK(strstr(http_place(h)->url, ":0/") == NULL);
        http_close(h);
    }
}

/* What is none, with the reason; nothing listens then. */
static void bad_addresses(void)
{
    static const char range[] = "HOST:PORT, HOST or PORT, with a port from 0 to 65535";
    static const struct {
        const char *address, *shown, *why; /* shown NULL: the address */
    } t[] = {{"127.0.0.1:65536", NULL, range},
             {"65536", NULL, range},
             {"100000", NULL, range},
             {"127.0.0.1:", NULL, range},
             {"127.0.0.1:x", NULL, range},
             {"[::1", NULL, "an address in brackets goes on with :PORT or ends"},
             {"[::1]1", NULL, "an address in brackets goes on with :PORT or ends"},
             {"[::1]:", NULL, range},
             {"127.0.0.1:x,db1", "127.0.0.1:x", range},
             {"0,", NULL, "host names follow the address after commas"},
             {"0,db1,", NULL, "host names follow the address after commas"},
             {"0,db 1", NULL, "host names follow the address after commas"},
             {"0,,db1", NULL, "host names follow the address after commas"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct http *h = NULL;
        struct err e = {0};
        char want[200];
        snprintf(want, sizeof want, "Invalid value for --metrics-listen: '%s' (%s)",
                 t[i].shown ? t[i].shown : t[i].address, t[i].why);
        CHECK_INT(http_listen(&h, t[i].address, &e), -1);
        CHECK(h == NULL);
        CHECK_INT(e.kind, ERR_USAGE);
        CHECK_STR(e.msg, want);
    }
}

/* Connections that ask nothing: others are answered all the same, if later. */
static void half_open(void)
{
    static const char request[] =
        "GET /metrics HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n";
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    mono_ns begun = clock_mono();
    int fd[120];

    for (size_t i = 0; i < sizeof fd / sizeof *fd; i++) {
        fd[i] = socket(AF_INET, SOCK_STREAM, 0);
        CHECK_INT(connect(fd[i], (struct sockaddr *)&to, sizeof to), 0);
        CHECK(i % 2 || write(fd[i], "GET", 3) == 3);
    }
    CHECK_TIMED(strstr(ask(request), "plain\n") != NULL); /* one that is late is idle, too */
    CHECK_TIMED(clock_mono() - begun < 6 * NS_PER_SEC);
    for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
        close(fd[i]);
}

TEST_MAIN(http_test)
{
    struct str plain = STR_INIT, open = STR_INIT;
    struct err e = {0};
    struct http *h;

    if (strcmp(http_library(), "no") == 0)
        return 77;
    addresses();
    bad_addresses();
    CHECK_INT(http_listen(&h, "127.0.0.1:0,db1,prom.example.com", &e), 0);
    port = atoi(strrchr(http_place(h)->url, ':') + 1);
    str_adds(&plain, "old\n");
    http_publish(h, &plain, &open);
    str_reset(&plain);
    str_adds(&plain, "plain\n");
    str_adds(&open, "open\n# EOF\n");
    http_publish(h, &plain, &open);
    CHECK_INT(http_start(h, NULL, &e), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].request, cases[i].status, cases[i].body);
    TIMED(half_open);
    http_close(h);
    http_close(NULL);
    str_free(&plain);
    str_free(&open);
    return timed_done("http");
}
