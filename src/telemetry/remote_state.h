/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stream of remote.h, for remote.c and the tests that feed it.  Private to src/telemetry
 *
 * The command is started, ended and written to; each of its lines advances the state and may send
 * the next question.
 */
#ifndef SB_TELEMETRY_REMOTE_STATE_H
#define SB_TELEMETRY_REMOTE_STATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "telemetry/environment.h"
#include "telemetry/perf.h"
#include "telemetry/stream.h"

/* As long as a stream that ended is left alone. */
#define REMOTE_RETRY (5 * NS_PER_SEC)

/* No line of pstime is longer; and a login that greets prints less. */
#define REMOTE_LINE_MAX  (64 * 1024)
#define REMOTE_GREET_MAX (1024 * 1024)

/* See remote.h. */
enum remote_state {
    REMOTE_DOWN,
    REMOTE_HELLO,
    REMOTE_EVENTS,
    REMOTE_IDLE,
    REMOTE_OPENING,
    REMOTE_UP
};

struct remote {
    char *command, *events, *targets;
    bool system; /* the events are those of all CPUs */
    bool syscalls;
    bool (*cancelled)(void); /* NULL: never */
    bool reading;            /* remote_read waits, whose limit is short: never cancelled */
    char syscalls_why[160];
    enum remote_state state;
    pid_t child;
    int in, out;
    struct str text; /* received, not yet a whole line */
    size_t greeted;  /* bytes before pstime's first line */
    mono_ns retry_at;
    bool reported;       /* the failure was printed */
    bool silent;         /* it was waited for in vain before the run */
    char why[300];       /* why it is not up */
    char first_line[60]; /* of a command that does not answer as pstime does */
    enum err_kind kind;

    int cpus;
    char host[128], governor[32];
    struct perf_spec event[PERF_MAX_EVENTS];
    size_t nevents;
    char how[200 + PERF_MAX_EVENTS * (PERF_NAME_MAX + 2)], server[200];
    uint64_t identity;
    bool renamed;        /* `server` is new since it was described */
    unsigned replaced;   /* how often another server was found */
    unsigned generation; /* of counters: how often the server was opened */
    unsigned streams;    /* that came up */

    uint64_t question;
    mono_ns question_at;
    wall_ns question_wall;
    bool answered;
    int64_t their_mono, their_wall; /* when they got the request */
    struct stream_reading now, last;
    struct environment *record; /* where "env" lines go, NULL: nowhere */

    dur_ns best_trip; /* of the fastest request; MONO_NEVER: none yet */
    dur_ns offset;    /* their wall clock - ours, by that request */
    struct str describe;
};

/* the command */
void remote_start(struct remote *v); /* DOWN with a reason when that fails */
/* Closes the stream; it is DOWN for a while. */
void remote_fail(struct remote *v, const char *why);
/* Waits for the end of the command.  It ends by itself when its stdin does; one that does not gets
 * a signal. */
void remote_reap(struct remote *v);
/* Sends a question, which is shorter than a pipe's buffer: the write succeeds at once, or the other
 * side is dead. */
bool remote_send_line(struct remote *v, const char *fmt, ...) SB_PRINTF(2, 3);

/* its answers */
bool remote_is_cancelled(const struct remote *v);
void remote_ask_next(struct remote *v); /* what follows the answer that made it IDLE, or HELLO */
/* Reads what has arrived, waiting until `limit` if nothing has.  False: nothing arrived. */
bool remote_read_lines(struct remote *v, mono_ns limit);

#endif
