/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which of the two formats to send to a scraper, from the Accept header of its request (RFC 9110,
 * 12.5.1).  Pure.  Private to src/report
 */
#ifndef SB_REPORT_HTTP_ACCEPT_H
#define SB_REPORT_HTTP_ACCEPT_H

#include <stdbool.h>

/* True when the header names OpenMetrics 1.0 with at least the weight of Prometheus' text format
 * 0.0.4.  All others get the latter: requests without a header (NULL), that accept anything, or
 * that only name formats we do not have. */
bool http_wants_openmetrics(const char *accept);

#endif
