/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings as lines of text, from `pstime --stream` on the server's host to `--server-via` on ours.
 *
 *     -> events LIST, or system-events LIST: on all CPUs
 *     <- event INDEX NAME [REASON]..., then "ok", or "error SENTENCE"
 *     -> syscalls on: to be counted from the next open; no answer
 *     -> open TARGET...
 *     <- "syscalls-why REASON" if they cannot be counted, "server IDENTITY DESCRIPTION" or "error
 *        SENTENCE"
 *     -> read N
 *     <- "successor IDENTITY DESCRIPTION" and "how ..." when the server was restarted,
 *        "sample N mono=NS wall=NS", "process k=v ...", "reason TEXT", "host k=v ...",
 *        "disk ROLE TEXT"...,
 *        "perf INDEX VALUE ENABLED RUNNING"..., "syscalls", "syscall NAME BEGAN ENDED NS
 * ERRORS"..., "end N mono=NS wall=NS"
 *     -> environment N
 *     <- "sample N ...", "env KEY TEXT"..., "end N ..."
 *
 * The first line of all is "pstime-stream 1 cpus=N host=NAME governor=NAME".  A TARGET is a process
 * id, a process's name, or listen:ADDRESS:PORT, the process that serves that TCP address.  Unknown
 * keys are ignored and missing keys are 0, so either side may be the newer one.
 *
 * Pure text; any thread may call.
 */
#ifndef SB_TELEMETRY_STREAM_H
#define SB_TELEMETRY_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "telemetry/host.h"
#include "telemetry/perf.h"
#include "telemetry/sample.h"
#include "telemetry/syscalls.h"

#define STREAM_HELLO "pstime-stream 1"

/* "process at=... have=... ...\n", and a second line with the reason if there is one */
void stream_put_sample(struct str *out, const struct sample *s);
void stream_put_host(struct str *out, const struct host_reading *h);
void stream_put_perf(struct str *out, const struct perf_reading *p, size_t n);
/* By name: the other machine may have other numbers. */
void stream_put_syscalls(struct str *out, const struct syscalls_reading *r);

/* Values collected from lines; initialise with {0}. */
struct stream_reading {
    struct sample sample;
    bool has_host;
    struct host_reading host;
    struct perf_reading perf;
    struct syscalls_reading syscalls;
};

/* Parses one line (without its newline) if it is one of the above; ignores others. */
void stream_take(struct stream_reading *r, const char *line);

/* The number after " key=" in a line; false when it is missing. */
bool stream_number(const char *line, const char *key, int64_t *v);

#endif
