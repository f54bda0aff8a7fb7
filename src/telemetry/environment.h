/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The environment that a result depends on, recorded once per run: kernel, CPUs and their settings,
 * memory; the server's command line, libraries (a preloaded allocator changes results), version and
 * variables; our own version and command line.  The keys have a fixed order, so that diff(1) can
 * compare two records.
 *
 * Keys are "host.kernel", "server.library" (one for each), "server.variable.NAME",
 * "client.command", ...  A value that cannot be read is replaced by the reason; what does not exist
 * on this host has no key.  The caller owns the record; one thread at a time.
 */
#ifndef SB_TELEMETRY_ENVIRONMENT_H
#define SB_TELEMETRY_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* Exactly one of value and missing is set. */
struct environment_item {
    char *key;
    char *value;
    char *missing; /* why there is no value */
};

struct environment {
    struct environment_item *item; /* in the order in which they were added */
    size_t n;
};

/* An item at the end of the list.  Control characters become blanks. */
void environment_put(struct environment *e, const char *key, bool missing, const char *fmt, ...)
    SB_PRINTF(4, 5);
#define environment_add(e, key, ...)     environment_put(e, key, false, __VA_ARGS__)
#define environment_missing(e, key, ...) environment_put(e, key, true, __VA_ARGS__)

/* The first item of that key; its value.  NULL: there is none. */
const struct environment_item *environment_find(const struct environment *e, const char *key);
const char *environment_get(const struct environment *e, const char *key);

/* An item as one line, for reports and for the stream of pstime: the value, or "n/a (reason)".
 * The inverse adds the item. */
void environment_to_text(struct str *out, const struct environment_item *item);
void environment_from_text(struct environment *e, const char *key, const char *text);

void environment_free(struct environment *e);

/* host.*: kernel, system, cpu.model, cpu.count, cpu.governor, ..., memory, transparent_hugepage,
 * mitigations */
void environment_host(struct environment *e, const char *proc_root, const char *sys_root);

/* server.process, server.command, server.library (each file with executable pages, once) of a
 * process. */
void environment_process(struct environment *e, const char *proc_root, pid_t pid);

#endif
