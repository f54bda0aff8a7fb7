/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Serves the last published figures at http://HOST:PORT/metrics (--metrics-listen), for Prometheus
 * and other scrapers.  The reporting thread passes in whole texts, which replace the previous ones
 * in one step, so a scrape returns exactly one report.  A thread of the library answers; of the run
 * it touches only that text, so a slow or a greedy scraper costs the clients nothing but CPU.
 *
 *     http_listen   binds the address; connections wait from here on
 *     http_publish  any thread
 *     http_start    answers from here on, also connections that waited
 *     http_close    until here
 *
 * GET and HEAD; any other path is 404, any other method 405.  Built on libmicrohttpd, or
 * (http_none.c) not at all.
 */
#ifndef SB_REPORT_HTTP_H
#define SB_REPORT_HTTP_H

#include "base/err.h"
#include "base/str.h"

#define HTTP_DEFAULT_PORT "19104"

struct http; /* opaque */

/* `address` is HOST:PORT, HOST or PORT; the host is 127.0.0.1 when there is none, an IPv6
 * address with a port is written [::1]:80, port 0 is any that is free.  -1: one sentence that
 * names --metrics-listen. */
int http_listen(struct http **out, const char *address, struct err *e);

/* "http://127.0.0.1:19104/metrics", with the port in use. */
const char *http_url(const struct http *h);

/* The figures in Prometheus' text format 0.0.4 and as OpenMetrics 1.0; a scrape gets the one that
 * its request names (http_accept.h).  Both are copied. */
void http_publish(struct http *h, const struct str *prometheus, const struct str *openmetrics);

int http_start(struct http *h, struct err *e);

void http_close(struct http *h); /* NULL is allowed */

/* Version of the library in use, or "no". */
const char *http_library(void);

#endif
