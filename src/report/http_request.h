/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the headers of a request say: which of the two formats of metrics it wants (Accept, RFC
 * 9110, 12.5.1), whether it is answered, and whether it may set a mark.
 *
 * A page of another site can make a browser send requests here.  It cannot read the answers, unless
 * its own name leads here (DNS rebinding).  So a request is answered only if its Host is
 *
 *     an IP address         no name, so nobody's DNS leads it here
 *     a known name          localhost, this host's, those of --metrics-listen
 *     missing               every browser sends it
 *
 * and sets a mark only with, in addition,
 *
 *     a loopback listener   nobody else on the network can reach it
 *     Origin                is this host: every browser sends it with a POST, and no page can
 *                           forge it
 *
 * Pure.  Private to src/report
 */
#ifndef SB_REPORT_HTTP_REQUEST_H
#define SB_REPORT_HTTP_REQUEST_H

#include <stdbool.h>

/* True when the header names OpenMetrics 1.0 and not before it Prometheus' text format.  All others
 * get the latter: requests without a header (NULL), that accept anything, or that only name formats
 * we do not have. */
bool http_wants_openmetrics(const char *accept);

/* Headers of a request; NULL: not there. */
struct http_origin {
    bool loopback; /* the socket listens on a loopback address */
    const char *host, *origin, *fetch_site;
    const char *bad; /* a sentence: headers that another program may read otherwise; or NULL */
};

/* Looks at a header of the request, and takes it if it is one of these; its value stays the
 * caller's. */
void http_origin_add(struct http_origin *o, const char *name, const char *value);

/* NULL if a request with this Host (NULL: without) is answered; else the reason, a sentence.
 * `names`: the known ones, with commas between them. */
const char *http_refuse_host(const char *host, const char *names);

/* NULL if a request, whose Host is known, may set a mark; else the reason, a sentence. */
const char *http_refuse_mark(const struct http_origin *o);

#endif
