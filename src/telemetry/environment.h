/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a result depended on, written down once per run: kernel, CPUs and their settings, memory,
 * the server's command line and the libraries that it maps (a preloaded allocator has explained
 * more than one mystery), its version and variables, our own version and command line.  An ordered
 * list of keys and texts, so that two records can be compared line by line, whatever is in them.
 *
 * Keys are "host.kernel", "server.library" (one for each), "server.variable.NAME",
 * "client.command", ... A thing that cannot be read is "n/a (reason)"; a thing that does not exist
 * here has no key. The caller owns the record; one thread at a time.
 */
#ifndef SB_TELEMETRY_ENVIRONMENT_H
#define SB_TELEMETRY_ENVIRONMENT_H

#include <stddef.h>
#include <sys/types.h>

struct environment_item {
    char *key, *text;
};

struct environment {
    struct environment_item *item; /* in the order in which they were added */
    size_t n, cap;
};

void environment_add(struct environment *e, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The first text of that key, NULL without one. */
const char *environment_get(const struct environment *e, const char *key);

void environment_free(struct environment *e);

/* host.*: kernel, system, cpu.model, cpu.count, cpu.governor, ..., memory, transparent_hugepage,
 * mitigations */
void environment_host(struct environment *e, const char *proc_root, const char *sys_root);

/* server.process, server.command, server.library (each file with executable pages, once) of a
 * process. */
void environment_process(struct environment *e, const char *proc_root, pid_t pid);

#endif
