/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the server's process from a connection.  For a unix socket, the peer credentials name the
 * listening process.  For TCP over loopback, /proc/net/tcp{,6} gives the inode of the peer's
 * socket, and /proc/PID/fd the process that owns it.  If its parent runs the same program, as a
 * PostgreSQL backend's or a pgpool child's does, the answer is the parent, and *tree is true: the
 * server is the parent and its descendants.  A peer on another host is an error with its own
 * message.
 *
 * Any client thread may call discover_note_fd, which only records addresses and credentials (two
 * system calls and a short lock).  One thread calls discover_resolve, which does the search.
 */
#ifndef SB_TELEMETRY_DISCOVER_H
#define SB_TELEMETRY_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

struct discover; /* opaque: the distinct endpoints seen so far */

struct discover *discover_new(const char *proc_root); /* "/proc" outside tests */
void discover_free(struct discover *d);

/*
 * Records the peer of a connected socket; ignores any other descriptor.  Of many connections to one
 * endpoint only the latest few are remembered: they are the most likely to be open later.
 */
void discover_note_fd(struct discover *d, int fd);

/*
 * Fills up to max distinct pids and returns their number; or -1 with *e: nothing was recorded, the
 * peer is on another host, or this user may not see its owner.  Sets *tree if the server uses
 * several processes.  May be called again when more has been recorded.
 *
 * Without `e`, after a server has ended: endpoints that lead to no process are passed over, for
 * they may be those of the one that ended; 0 when none leads to a process (yet).
 */
int discover_resolve(struct discover *d, pid_t *pids, size_t max, bool *tree, struct err *e);

/*
 * Writes the recorded TCP addresses of servers, "10.0.0.5:3306" or "[::1]:3306", each after
 * `prefix` and separated by blanks.  Returns their number.
 */
size_t discover_addresses(struct discover *d, const char *prefix, struct str *out);

/*
 * The process that listens on the TCP address "IP:PORT" of this host.  If none does (the address
 * was translated on the way), the one that listens on that port.  0; -1 with *e.
 */
int discover_listener(const char *proc_root, const char *address, pid_t *pid, bool *tree,
                      struct err *e);

/* "123,456" -> distinct pids, returns how many; -1 with *e naming the bad item. */
int discover_parse(const char *list, pid_t *pids, size_t max, struct err *e);

/* For pids that the user named: true when one of them has children that run its program. */
bool discover_is_tree(const char *proc_root, const pid_t *pids, size_t n);

#endif
