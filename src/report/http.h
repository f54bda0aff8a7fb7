/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The web server of --metrics-listen:
 *
 *     GET /metrics     the last published figures, for Prometheus and other scrapers
 *     GET /            a page that shows the run (src/report/live/)
 *     GET /live.json   its data (live.h)
 *     POST /mark       sets a mark with this text; from the page only (http_request.h)
 *
 * The reporting thread passes in whole texts of metrics, which replace the previous ones in one
 * step, so a scrape returns exactly one report.  A thread of the library answers; a slow or a
 * greedy reader costs the clients nothing but CPU.
 *
 *     http_listen    binds the address; connections wait from here on
 *     http_publish   any thread
 *     http_start     answers from here on, also connections that waited
 *     http_close     until here
 *
 * Any other path is 404, any other method 405.  Built on libmicrohttpd, or (http_none.c) not at
 * all.
 */
#ifndef SB_REPORT_HTTP_H
#define SB_REPORT_HTTP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define HTTP_DEFAULT_PORT "19104"

struct http; /* opaque */
struct live; /* live.h */

/* `address` is HOST:PORT, HOST or PORT; the host is 127.0.0.1 when there is none, an IPv6
 * address with a port is written [::1]:80, port 0 is any that is free.  Names that requests may use
 * for this host follow it after commas (http_request.h).  -1: one sentence that names
 * --metrics-listen. */
int http_listen(struct http **out, const char *address, struct err *e);

struct http_place {
    char *url, *page; /* "http://127.0.0.1:19104/metrics" and "http://127.0.0.1:19104/", with the
                         port in use */
    bool loopback;    /* only this host can reach it: then marks are accepted */
};
const struct http_place *http_place(const struct http *h);

/* The figures in Prometheus' text format 0.0.4 and as OpenMetrics 1.0; a scrape gets the one that
 * its request names (http_request.h).  Both are copied.  A report_publish; `http` is a struct http.
 */
void http_publish(void *http, const struct str *prometheus, const struct str *openmetrics);

/* `live`, borrowed, is what the page shows; NULL: there is no page. */
int http_start(struct http *h, struct live *live, struct err *e);

void http_close(struct http *h); /* NULL is allowed */

/* Version of the library in use, or "no". */
const char *http_library(void);
/* Version of Chart.js in the page, or "no": it shows tables instead of charts. */
const char *http_chart_library(void);

#endif
