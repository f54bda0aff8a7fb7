/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which of the two texts a scraper wants, from the Accept header of its request (RFC 9110, 12.5.1).
 * Pure.
 */
#ifndef SB_REPORT_HTTP_ACCEPT_H
#define SB_REPORT_HTTP_ACCEPT_H

#include <stdbool.h>

/* True: OpenMetrics 1.0 is named and wanted at least as much as Prometheus' text format 0.0.4,
 * which is what everybody else gets: those who send no header (NULL), take anything, or name what
 * is not there. */
bool http_wants_openmetrics(const char *accept);

#endif
