/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The listening socket of --metrics-listen.  It is made here and not by the library, because only
 * so a port in use, a wrong name and an address of another host can be told apart before the run
 * starts.  Private to src/report
 */
#ifndef SB_REPORT_HTTP_SOCKET_H
#define SB_REPORT_HTTP_SOCKET_H

#include <stdbool.h>

#include "base/err.h"

/* `address` as in http_listen().  *names, to be freed: the names that requests may use for this
 * host, with commas between them.  -1: one sentence that names --metrics-listen. */
int http_socket_open(int *fd, char **names, const char *address, const char *default_port,
                     struct err *e);

/* "http://127.0.0.1:19104/", to be freed. */
char *http_socket_url(int fd);

/* True when only processes of this host can reach it. */
bool http_socket_is_loopback(int fd);

#endif
