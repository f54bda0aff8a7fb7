/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sb_load_* part of the script API: what oltp_tables.lua needs to load tables together with the
 * other threads of the command (loading.h).
 */
#include "script/exports.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "script/loading.h"
#include "script/progress.h"
#include "script/vm.h"
#include "sql/load_send.h"

/* What a thread has in hand. */
struct load_hand {
    struct load_queue *queue;
    unsigned thread;
    struct load_piece piece;
    char failure[256];
};

static struct loading *loading_of(struct script_context *cx)
{
    return vm_of_context(cx)->script->loading;
}

void sb_load_allow(void)
{
    struct script_context *cx = context_get();

    if (cx && !cx->client)
        cx->host.loads = true;
}

bool sb_load_join(double threads, double tables, double rows, bool queue, bool apart)
{
    struct script_context *cx = context_get();
    struct load_plan plan;
    struct load_queue *q;

    if (!cx || cx->client || cx->load || !(threads >= 1) ||
        !(tables >= 1 && tables <= LOAD_TABLES_MAX))
        return false;
    plan = (struct load_plan){.threads = (unsigned)threads,
                              .tables = (uint64_t)tables,
                              .rows = dist_argument(rows),
                              .dist = cx->dist,
                              .apart = apart};
    q = loading_join(loading_of(cx), &plan, (unsigned)cx->tid, cx->rng, queue);
    if (q) {
        cx->load = mem_alloc(sizeof *cx->load);
        cx->load->queue = q;
        cx->load->thread = (unsigned)cx->tid % plan.threads;
    }
    return q != NULL;
}

int sb_load_next(sb_load_piece *out)
{
    struct script_context *cx = context_get();
    struct load_hand *h = cx ? cx->load : NULL;

    if (!h)
        return LOAD_END;
    load_queue_next(h->queue, h->thread, &h->piece);
    *out = (sb_load_piece){.table = (double)h->piece.table,
                           .first = (double)h->piece.first,
                           .last = (double)h->piece.last,
                           .size = LOAD_PIECE_ROWS};
    return (int)h->piece.work;
}

void sb_load_done(void)
{
    struct script_context *cx = context_get();

    if (cx && cx->load)
        load_queue_done(cx->load->queue, &cx->load->piece);
}

bool sb_load_found(double first, double rows)
{
    struct script_context *cx = context_get();
    bool all =
        cx && cx->load &&
        load_queue_found(cx->load->queue, cx->load->piece.table, (uint64_t)first, (uint64_t)rows);

    if (all)
        progress_add(cx->progress, 0, -rows, clock_mono());
    return all;
}

static void sent(void *arg, unsigned rows)
{
    progress_add(arg, rows, 0, clock_mono());
}

int sb_load_rows(sql_connection *con, int method, double packet)
{
    struct script_context *cx = context_get();
    struct load_hand *h = cx ? cx->load : NULL;
    struct load_way way;
    uint64_t taken;
    int rc;

    if (!h)
        return -1;
    way = (struct load_way){.method = (enum load_method)method,
                            .packet = (size_t)packet,
                            .sent = sent,
                            .arg = cx->progress};
    rc = load_send(con, load_queue_rows(h->queue), &h->piece, &way, &taken);
    if (rc < 0 && con->error == DB_ERROR_NONE)
        snprintf(h->failure, sizeof h->failure, "the server took %" PRIu64 " of the rows", taken);
    else if (rc < 0)
        snprintf(h->failure, sizeof h->failure, "error %d, state '%s': %s", con->sql_errno,
                 con->sql_state ? con->sql_state : "", con->sql_errmsg ? con->sql_errmsg : "");
    return rc;
}

const char *sb_load_failure(void)
{
    struct script_context *cx = context_get();

    return cx && cx->load ? cx->load->failure : "";
}

bool sb_load_first_refusal(void)
{
    struct script_context *cx = context_get();

    return cx && loading_first_refusal(loading_of(cx));
}
