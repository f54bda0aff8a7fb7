/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections that do nothing (--idle-connections): open before the clients start, held over the
 * whole run, closed after it.  What a server with thousands of sleeping sessions costs those that
 * work. Main thread only.
 */
#ifndef SB_CLI_IDLE_H
#define SB_CLI_IDLE_H

#include <stddef.h>

#include "base/err.h"

struct idle;

/* To the server of --db-driver.  -1: one could not be opened (said why); n = 0: *out is NULL. */
int idle_open(struct idle **out, size_t n, struct err *e);

/* Says how many the server has closed meanwhile, if any. */
void idle_check(const struct idle *i);
void idle_close(struct idle *i);

#endif
