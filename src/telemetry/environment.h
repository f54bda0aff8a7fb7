/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The environment that a result depends on, recorded once per run: kernel, CPUs and their settings,
 * memory, the server's command line and the libraries that it maps (a preloaded allocator has
 * explained surprising results), its version and variables, our own version and command line.  An
 * ordered list of keys, so that any two records can be compared line by line.
 *
 * Keys are "host.kernel", "server.library" (one for each), "server.variable.NAME",
 * "client.command", ...  What cannot be read has a reason instead of a value; what does not exist
 * here has no key.  The caller owns the record; one thread at a time.
 */
#ifndef SB_TELEMETRY_ENVIRONMENT_H
#define SB_TELEMETRY_ENVIRONMENT_H

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
    size_t n, cap;
};

/* An item at the end of the list.  Control characters become blanks. */
void environment_add(struct environment *e, const char *key, const char *fmt, ...) SB_PRINTF(3, 4);
void environment_missing(struct environment *e, const char *key, const char *fmt, ...)
    SB_PRINTF(3, 4);

/* The first item of that key; its value.  NULL: there is none. */
const struct environment_item *environment_find(const struct environment *e, const char *key);
const char *environment_get(const struct environment *e, const char *key);

/* An item in one line, as people read it and as pstime sends it to another host: the value, or
 * "n/a (reason)".  The inverse adds the item. */
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
