/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sb_load_* part of the script API: what oltp_load.lua needs to load tables together with the
 * other threads of the command (loading.h).
 */
#include "script/exports.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "script/loading.h"
#include "script/vm.h"
#include "sql/load.h"

#define ATTEMPTS    10 /* at one piece */
#define PAUSE_FIRST (10 * NS_PER_MS)
#define PAUSE_LAST  NS_PER_SEC

/* What a thread has in hand. */
struct load_hand {
    struct load_queue *queue;
    unsigned thread;
    bool apart;   /* each thread has a server of its own */
    bool notes;   /* the thread fills tables in its own way, and only notes how far it is */
    bool at_work; /* and the others should wait for it */
    struct load_piece piece;
    sql_connection *con;
    unsigned attempts; /* that failed, at this piece */
    char failure[256];
};

static struct loading *loading_of(struct script_context *cx)
{
    return vm_of_context(cx)->script->loading;
}

void sb_load_enter(void)
{
    struct script_context *cx = context_get();

    if (!cx || cx->client)
        return;
    cx->host.loads = true;
    loading_enter(loading_of(cx), (unsigned)cx->tid, cx->rng);
}

/* Of a thread that takes pieces from the queue, or that fills tables in its own way; NULL: it does
 * not. */
static struct load_hand *hand(bool notes)
{
    struct script_context *cx = context_get();

    return cx && cx->load && cx->load->notes == notes ? cx->load : NULL;
}

static bool read_plan(struct script_context *cx, double threads, double tables, double rows,
                      struct load_plan *plan)
{
    if (!cx || cx->client || cx->load || !(threads >= 1) ||
        !(tables >= 1 && tables <= LOAD_TABLES_MAX))
        return false;
    *plan = (struct load_plan){.threads = (unsigned)threads,
                               .tables = (uint64_t)tables,
                               .rows = dist_argument(rows),
                               .dist = cx->dist};
    return true;
}

/* Lost connections are replaced until prepare stops. */
static bool keep_trying(void *client)
{
    const struct script_context *cx = context_get();

    (void)client; /* a command has none */
    return !cx || !cx->load || !load_queue_stopped(cx->load->queue);
}

static void take_part(struct script_context *cx, struct load_queue *q, unsigned threads)
{
    cx->load = mem_alloc(sizeof *cx->load);
    cx->load->queue = q;
    cx->load->thread = (unsigned)cx->tid % threads;
    cx->host.keep_trying = keep_trying;
}

bool sb_load_join(double threads, double tables, double rows, bool queue, bool apart)
{
    struct script_context *cx = context_get();
    struct load_plan plan;

    if (!read_plan(cx, threads, tables, rows, &plan))
        return false;
    plan.apart = apart;
    struct load_queue *q = loading_join(loading_of(cx), &plan, (unsigned)cx->tid, queue);
    if (q) {
        take_part(cx, q, plan.threads);
        cx->load->apart = apart;
    }
    return q != NULL;
}

static void set_at_work(struct load_hand *h, bool at_work)
{
    if (h->at_work != at_work)
        load_queue_work(h->queue, at_work);
    h->at_work = at_work;
}

void sb_load_watch(double threads, double tables, double rows, bool resumable)
{
    struct script_context *cx = context_get();
    struct load_plan plan;
    struct load_queue *q;

    if (read_plan(cx, threads, tables, rows, &plan) &&
        (q = loading_note(loading_of(cx), &plan, resumable)) != NULL) {
        take_part(cx, q, plan.threads);
        cx->load->notes = true;
    }
    if (hand(true))
        set_at_work(hand(true), true);
}

bool sb_load_note(sql_connection *con, double table, double rows, bool complete)
{
    struct load_hand *h = hand(true);

    if (h)
        load_queue_note(h->queue, (uint64_t)table, (uint64_t)rows - sql_bulk_unsent(con), complete);
    return !h || !load_queue_stopped(h->queue);
}

void sb_load_unwatch(void)
{
    if (hand(true))
        set_at_work(hand(true), false);
}

int sb_load_next(sb_load_piece *out)
{
    struct load_hand *h = hand(false);

    if (!h)
        return LOAD_END;
    load_queue_next(h->queue, h->thread, &h->piece);
    h->attempts = 0;
    if (h->piece.work == LOAD_END)
        load_queue_stream(h->queue, h->thread,
                          context_get()->rng); /* as if it had made its rows itself */
    *out = (sb_load_piece){.table = (double)h->piece.table,
                           .first = (double)h->piece.first,
                           .last = (double)h->piece.last,
                           .size = LOAD_PIECE_ROWS};
    return (int)h->piece.work;
}

void sb_load_done(void)
{
    struct load_hand *h = hand(false);

    if (h)
        load_queue_done(h->queue, &h->piece);
}

bool sb_load_found(double first, double rows)
{
    struct load_hand *h = hand(false);
    bool all = h && load_queue_found(h->queue, h->piece.table, (uint64_t)first, (uint64_t)rows);

    if (all)
        progress_add(context_get()->progress, 0, -rows, clock_mono());
    return all;
}

static void sent(void *arg, unsigned rows)
{
    const struct script_context *cx = arg;

    progress_add(cx->progress, rows, 0, clock_mono());
}

static void describe(struct load_hand *h, uint64_t taken)
{
    const sql_connection *con = h->con;

    if (con->error == DB_ERROR_NONE) {
        snprintf(h->failure, sizeof h->failure, "the server took %" PRIu64 " of the rows", taken);
        return;
    }
    int n = snprintf(h->failure, sizeof h->failure, "error %d, state '%s': %s", con->sql_errno,
                     con->sql_state ? con->sql_state : "", con->sql_errmsg ? con->sql_errmsg : "");
    if (h->attempts > 1 && (size_t)n < sizeof h->failure)
        snprintf(h->failure + n, sizeof h->failure - (size_t)n, " (%u attempts)", h->attempts);
}

/* An error for which --on-error or the list of ignored errors wants that the transaction is run
 * again. */
static bool again(void *arg, uint64_t rows)
{
    struct script_context *cx = arg;
    struct load_hand *h = cx->load;
    _Atomic uint32_t nobody = 0;

    h->attempts++;
    progress_add(cx->progress, -(double)rows, 0, clock_mono());
    if (h->attempts == ATTEMPTS || load_queue_stopped(h->queue) || h->apart)
        return false; /* apart: a connection that replaces a lost one might be to another server */
    if (loading_first(loading_of(cx), LOADING_REPEAT)) {
        describe(h, 0);
        progress_hide(cx->progress);
        log_stderr("NOTE: table 'sbtest%" PRIu64 "', rows %" PRIu64 " to %" PRIu64
                   " are loaded again after %s; further ones without a word",
                   h->piece.table, h->piece.first, h->piece.last, h->failure);
    }
    dur_ns pause = PAUSE_FIRST << (h->attempts - 1); /* 10 ms, 20 ms, ... 1 s */
    clock_sleep_until(clock_mono() + (pause < PAUSE_LAST ? pause : PAUSE_LAST), &nobody, 0);
    return true;
}

int sb_load_rows(sql_connection *con, int method, double packet)
{
    struct load_hand *h = hand(false);
    uint64_t taken;

    if (!h)
        return -1;
    struct load_way way = (struct load_way){.method = (enum load_method)method,
                                            .packet = (size_t)packet,
                                            .sent = sent,
                                            .again = again,
                                            .arg = context_get()};
    h->con = con;
    int rc = load_send(con, load_queue_rows(h->queue), &h->piece, &way, &taken);
    if (rc < 0)
        describe(h, taken);
    return rc;
}

bool sb_load_first_failure(void)
{
    struct script_context *cx = context_get();
    struct load_hand *h = cx ? cx->load : NULL;
    struct loading_failure f = {ERROR_OTHER, 0};

    if (h && h->con && h->con->error != DB_ERROR_NONE)
        f = (struct loading_failure){sql_error_class(h->con), h->con->sql_errno};
    return !h || loading_first_failure(loading_of(cx), &f);
}

void sb_load_stop(void)
{
    if (hand(false))
        loading_stop(loading_of(context_get()));
}

const char *sb_load_failure(void)
{
    struct script_context *cx = context_get();

    return cx && cx->load ? cx->load->failure : "";
}

bool sb_load_first_refusal(void)
{
    struct script_context *cx = context_get();

    return cx && loading_first(loading_of(cx), LOADING_REFUSAL);
}
