/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whether a request may set a mark.  A page of another site can make a browser send requests here,
 * so three things are required:
 *
 *     a loopback listener   nobody else on the network can reach it
 *     Host                  names a loopback address: a name that an attacker's DNS points here
 *                           (DNS rebinding) is refused
 *     Origin                is this host: every browser sends it with a POST, and no page can
 *                           forge it
 *
 * Pure.  Private to src/report
 */
#ifndef SB_REPORT_HTTP_ORIGIN_H
#define SB_REPORT_HTTP_ORIGIN_H

#include <stdbool.h>

/* Headers of a request; NULL: not there. */
struct http_origin {
    bool loopback; /* the socket listens on a loopback address */
    const char *host, *origin, *fetch_site;
};

/* NULL if it may; else the reason, a sentence. */
const char *http_refuse_mark(const struct http_origin *o);

#endif
