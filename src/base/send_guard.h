/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What must not leave in plain text.  The program's own send() (fiber/poll_hook.c), which the
 * client libraries call, asks before it sends: sql/tls_hook.c
 * answers, and the PostgreSQL driver looks on.
 */
#ifndef SB_BASE_SEND_GUARD_H
#define SB_BASE_SEND_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* May the function that called send() at `caller` send these bytes?  If not, send() fails with
 * EPROTO.  NULL: everybody may send everything. */
extern bool (*_Atomic send_guard)(const void *caller, const void *bytes, size_t n);

/* Sees what is about to be sent, on the thread that sends it.  NULL: nobody does. */
extern void (*_Atomic send_watch)(int fd, const void *bytes, size_t n);

#endif
