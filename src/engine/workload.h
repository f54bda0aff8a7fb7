/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The contract of anything that can be run: a Lua script, a built-in test.  The engine owns the
 * contract, calls its implementations (one floor up), and knows nothing else about them; a workload
 * calls the engine back only through its struct client (engine/client.h).
 *
 * Order of calls in a run:
 *     init             main thread, before the header is printed (may be NULL)
 *     print_header     main thread, the workload's own header lines (may be NULL)
 *     open             main thread, after the header: files and the like (may be NULL)
 *     client_open      the client's thread, before the start line: state, connection, thread_init
 *                      (may be NULL)
 *     client_run       the client's thread: the loop.  Asks client_next(), client_begin(),
 *                      client_end() for each transaction, returns when client_next() says no,
 *                      or -1 with *e filled, which ends the whole run (exit 1)
 *     client_close     the client's thread, after the loop and before all statistics are final;
 *                      `failed` says that the loop ended with an error (may be NULL)
 *     client_free      the client's thread, always last (may be NULL)
 *     done             main thread, after the final report (may be NULL)
 *
 * The engine and the report floor write the reports.  A workload whose figures are not transactions
 * or statements counts them in its clients' counters (stats/counters.h), so that intervals,
 * checkpoints and the total need no further code, and renders them itself:
 *     render_interval    what stands between the time stamp and the end of the line, instead of
 *                        the usual (may be NULL)
 *     render_cumulative  the lines before the common block; true: they are the whole report (may
 *     be NULL)
 * Both are pure: they turn the snapshot into text, on the thread that reports.
 */
#ifndef SB_ENGINE_WORKLOAD_H
#define SB_ENGINE_WORKLOAD_H

#include <stdbool.h>

#include "base/err.h"
#include "report/text.h"

struct client;
struct workload;

struct workload_ops {
    const char *name;
    int (*init)(struct workload *w, struct err *e);
    void (*print_header)(struct workload *w);
    int (*open)(struct workload *w, struct err *e);
    int (*client_open)(struct workload *w, struct client *c, void **state, struct err *e);
    int (*client_run)(struct workload *w, struct client *c, void *state, struct err *e);
    int (*client_close)(struct workload *w, struct client *c, void *state, bool failed,
                        struct err *e);
    void (*client_free)(struct workload *w, struct client *c, void *state);
    /* The client that runs on this thread has blocked its worker for long: find out where, and
     * report it by sched_stalled_at().  Called in a signal handler; may be NULL. */
    void (*client_stalled)(void);
    /* The number of the client that runs on this thread, -1: none (base/client_errors.h); may be
     * NULL. */
    int (*client_here)(void);
    int (*done)(struct workload *w, struct err *e);
    void (*render_interval)(const struct workload *w, const struct snapshot *s, struct str *out);
    bool (*render_cumulative)(const struct workload *w, const struct snapshot *s, enum generation g,
                              struct str *out);
    bool is_script;
};

/* A workload embeds this as its first member. */
struct workload {
    const struct workload_ops *ops;
    const char *name;
    bool own_limit; /* it ends by itself: --events does not apply */
};

#endif
