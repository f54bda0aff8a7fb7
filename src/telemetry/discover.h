/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the process of the server from a connection: the peer credentials of a unix socket name the
 * process that listens; for TCP over loopback the owner of the peer socket is found through
 * /proc/net/tcp{,6} (4-tuple -> inode) and /proc/PID/fd.  A PostgreSQL backend is resolved to its
 * postmaster.  A peer on another host is an error with its own message.
 *
 * Any client thread may call discover_note_fd, which only notes addresses and credentials (two
 * system calls and a short lock); discover_resolve, called by one thread, does the searching.
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
 * Notes the peer of a connected socket; ignores any other descriptor.  Many connections to one
 * endpoint are one note; the latest few are remembered, so that some are still open at the end.
 */
void discover_note_fd(struct discover *d, int fd);

/*
 * Fills up to max pids (distinct), returns how many, or -1 with *e: nothing noted, peer remote, or
 * owner not visible to this user.  *tree is set when the server works with a process per
 * connection. May be called again later, when more has been noted.
 */
int discover_resolve(struct discover *d, pid_t *pids, size_t max, bool *tree, struct err *e);

/*
 * The TCP addresses of other servers that were noted, "10.0.0.5:3306" or "[::1]:3306", joined by
 * blanks with `prefix` before each; how many.
 */
size_t discover_addresses(struct discover *d, const char *prefix, struct str *out);

/*
 * The process that serves the TCP address "IP:PORT" of this host, or, where no process listens at
 * that very address (it was translated on the way), the port on any.  0; -1 with *e.
 */
int discover_listener(const char *proc_root, const char *address, pid_t *pid, bool *tree,
                      struct err *e);

/* "123,456" -> distinct pids, returns how many; -1 with *e naming the bad item. */
int discover_parse(const char *list, pid_t *pids, size_t max, struct err *e);

/*
 * For pids that the user named: true when one of them uses a process per connection (PostgreSQL).
 */
bool discover_is_tree(const char *proc_root, const pid_t *pids, size_t n);

#endif
