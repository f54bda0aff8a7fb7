/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C side of the script API: every function finds the calling thread's context and passes the
 * call to the floor that does the work.  Without a context or outside a run the loop functions
 * answer "no" and do nothing, so a script that calls them at its top level does no harm.
 *
 * event_note: cx->event follows the client's transaction (none, granted, begun), because a loop
 * written by a script may forget to end an event or begin one twice, and the engine's counts must
 * still add up.
 */
#include "script/exports.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "report/text.h"
#include "script/context.h"
#include "script/loading.h"
#include "script/shared/shared.h"
#include "script/vm.h"
#include "stats/marks.h"

bool sb_more_events(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (!cx || !cx->client)
        return false;
    if (__builtin_expect(cx->event != EVENT_NONE, 0)) {
        if (cx->event == EVENT_GRANTED)
            return true; /* called twice: still the same event */
        client_cancel(cx->client);
    }
    bool more = client_next(cx->client);
    cx->event = more ? EVENT_GRANTED : EVENT_NONE;
    return more;
}

void sb_event_start(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (!cx || cx->event != EVENT_GRANTED)
        return;
    cx->event = EVENT_BEGUN;
    cx->again = false;
    cx->host.stmt_stats = client_begin(cx->client);
}

static inline bool end_begun(struct script_context *cx)
{
    if (!cx || cx->event != EVENT_BEGUN)
        return false;
    cx->event = EVENT_NONE;
    return true;
}

/* If a loop never starts its events, they take no time. */
static __attribute__((noinline, cold)) void stop_unbegun(struct script_context *cx, int thread_id)
{
    sb_event_start(thread_id);
    if (end_begun(cx))
        client_end(cx->client);
}

void sb_event_stop(int thread_id)
{
    struct script_context *cx = context_get();

    if (__builtin_expect(end_begun(cx), 1))
        client_end(cx->client);
    else
        stop_unbegun(cx, thread_id);
}

sql_connection *sb_event_unread(int thread_id)
{
    const struct script_context *cx = context_get();

    (void)thread_id;
    return cx && cx->nconnections ? context_unread(cx) : NULL; /* once an event: most have none */
}

void sb_event_fail(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (end_begun(cx))
        client_fail(cx->client);
}

void sb_event_cancel(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (end_begun(cx))
        client_cancel(cx->client);
}

bool sb_event_retry(int thread_id)
{
    struct script_context *cx = context_get();

    if (!cx || !cx->client)
        return false;
    cx->again = client_retry(cx->client);
    if (cx->again)
        return true;
    sb_event_fail(thread_id);
    if (client_keep_trying(cx->client))
        context_abandon(cx);
    client_error_backoff(cx->client); /* before the next event */
    return false;
}

bool sb_event_again(int thread_id)
{
    const struct script_context *cx = context_get();

    (void)thread_id;
    return cx && cx->event == EVENT_BEGUN && cx->again;
}

_Static_assert((int)SB_CNT_OTHER == CNT_OTHER && (int)SB_CNT_READ == CNT_READ &&
                   (int)SB_CNT_WRITE == CNT_WRITE && (int)SB_CNT_TRX == CNT_EVENT &&
                   (int)SB_CNT_ERROR == CNT_ERROR && (int)SB_CNT_RECONNECT == CNT_RECONNECT &&
                   (int)SB_CNT_BYTES_READ == CNT_BYTES_READ &&
                   (int)SB_CNT_BYTES_WRITTEN == CNT_BYTES_WRITTEN,
               "what scripts count has the numbers of enum counter");

/* Scripts may pass any number; one that names no counter counts nothing. */
static bool is_counter(sb_counter_type type)
{
    return (unsigned)type < SB_CNT_MAX;
}

void sb_counter_inc(int thread_id, sb_counter_type type)
{
    sb_counter_add(thread_id, type, 1);
}

void sb_counter_add(int thread_id, sb_counter_type type, uint64_t value)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (cx && is_counter(type))
        counters_add(cx->counters, (enum counter)type, value);
}

uint64_t sb_counter_val(int thread_id, sb_counter_type type)
{
    struct script_context *cx = context_get();
    const struct counters *c = NULL;

    if (!cx || !is_counter(type))
        return 0;
    if (thread_id == cx->tid)
        c = cx->counters;
    else if (cx->peers && thread_id >= 0 && (size_t)thread_id < cx->peers->n)
        c = atomic_load_explicit(&cx->peers->counters[thread_id], memory_order_acquire);
    if (!c)
        return 0;
    return counters_get(c, (enum counter)type) +
           (type == SB_CNT_TRX ? counters_get(c, CNT_DONE) : 0);
}

/* Arguments beyond 32 bits, negative or inverted: base/dist.h says how they are treated. */
#define RAND_PAIR(name)                                                                            \
    uint32_t sb_rand_##name(uint32_t a, uint32_t b)                                                \
    {                                                                                              \
        struct script_context *cx = context_get();                                                 \
        return cx ? (uint32_t)dist_##name(cx->dist, cx->rng, a, b) : a;                            \
    }                                                                                              \
    static __attribute__((noinline, cold)) double odd_##name(double a, double b)                   \
    {                                                                                              \
        struct script_context *cx = context_get();                                                 \
        return cx ? (double)dist_##name(cx->dist, cx->rng, dist_argument(a), dist_argument(b))     \
                  : a;                                                                             \
    }                                                                                              \
    double sb_rand_wide_##name(double a, double b)                                                 \
    {                                                                                              \
        struct script_context *cx = context_get();                                                 \
        if (__builtin_expect(!cx || !dist_below_32(a) || !dist_below_32(b), 0))                    \
            return odd_##name(a, b);                                                               \
        return (uint32_t)dist_##name(cx->dist, cx->rng, (uint32_t)a, (uint32_t)b);                 \
    }

RAND_PAIR(default)
RAND_PAIR(uniform)
RAND_PAIR(gaussian)
RAND_PAIR(special)
RAND_PAIR(pareto)
RAND_PAIR(zipfian)

#define RAND(type, name, parameters, value)                                                        \
    type sb_rand_##name parameters                                                                 \
    {                                                                                              \
        struct script_context *cx = context_get();                                                 \
        return cx ? (type)value : 0;                                                               \
    }

RAND(uint32_t, unique, (void), uniq_next(cx->uniq))
RAND(uint64_t, uniform_uint64, (void), rng_next(cx->rng))
RAND(double, uniform_double, (void), rng_double(cx->rng))
RAND(uint32_t, varstr, (char *buf, uint32_t min, uint32_t max),
     dist_varstring(cx->rng, min, max, buf))

void sb_rand_str(const char *fmt, char *buf)
{
    sb_rand_fill(fmt, strlen(fmt), buf);
}

void sb_rand_fill(const char *fmt, size_t len, char *buf)
{
    struct script_context *cx = context_get();

    if (cx)
        dist_string(cx->rng, fmt, len, buf);
}

void exports_link(void)
{
    static void (*const volatile options)(void) = sb_print_test_options;
    static void (*const volatile loads)(void) = sb_load_enter;

    (void)loads;
    (void)options;
}

void sb_mark(const char *text, size_t len)
{
    struct script_context *cx = context_get();

    if (cx && cx->listener && cx->listener->marks)
        marks_add(cx->listener->marks, MARK_SCRIPT, 0, text, len);
}

void sb_progress(double done, double planned)
{
    struct script_context *cx = context_get();

    if (cx && cx->progress)
        progress_add(cx->progress, done, planned, clock_mono());
}

/*
 * SQL: db_*.  sql/sql.c does the work.  Here a connection gets an owner, the context of the state
 * that opened it.  The owner frees the connection when the state is closed, whatever Lua's
 * collector has finalized by then and in whatever order.
 */

/* clang-format off */
#define PASS(type, name, to, parameters, arguments) type name parameters { return to arguments; }
#define PASS_ON(name, to, parameters, arguments) void name parameters { to arguments; }

PASS(sql_driver *, db_create, sql_driver_get, (const char *name), (name))
PASS(int, db_destroy, sql_driver_release, (sql_driver *driver), (driver))
PASS(int, db_connection_close, sql_disconnect, (sql_connection *con), (con))
PASS(int, db_connection_reconnect, sql_reconnect, (sql_connection *con), (con))
PASS(sql_result *, db_query, sql_query, (sql_connection *con, const char *query, size_t len),
     (con, query, len))
PASS(sql_result *, db_peek, sql_peek, (sql_connection *con, const char *query, size_t len),
     (con, query, len))
PASS(bool, db_more_results, sql_more_results, (sql_connection *con), (con))
PASS(sql_result *, db_next_result, sql_next_result, (sql_connection *con), (con))
PASS(bool, db_discard_results, sql_discard_results, (sql_connection *con), (con))
PASS(sql_statement *, db_prepare, sql_prepare, (sql_connection *con, const char *query, size_t len),
     (con, query, len))
PASS(int, db_bind_param, sql_bind_param, (sql_statement *stmt, const sql_bind *params, size_t n),
     (stmt, params, n))
PASS(int, db_bind_result, sql_bind_result, (sql_statement *stmt, sql_bind *results, size_t n),
     (stmt, results, n))
PASS(sql_result *, db_execute, sql_execute, (sql_statement *stmt), (stmt))
PASS(int, db_close, sql_close, (sql_statement *stmt), (stmt))
PASS(sql_row *, db_fetch_row, sql_fetch_row, (sql_result *rs), (rs))
PASS(sql_connection *, db_result_connection, sql_result_connection, (sql_result *rs), (rs))
PASS(int, db_free_results, sql_free_results, (sql_result *rs), (rs))
PASS(int, db_bulk_insert_init, sql_bulk_init, (sql_connection *con, const char *query, size_t len),
     (con, query, len))
PASS(int, db_bulk_insert_next, sql_bulk_next, (sql_connection *con, const char *row, size_t len),
     (con, row, len))
PASS(int, db_bulk_insert_done, sql_bulk_done, (sql_connection *con), (con))
PASS_ON(db_undo, sql_rollback, (sql_connection *con), (con))
PASS_ON(db_name_statement, sql_name_statement, (sql_statement *stmt, const char *name, size_t len),
        (stmt, name, len))
PASS_ON(db_name_queries, sql_name_queries, (sql_connection *con, const char *name, size_t len),
        (con, name, len))
/* of the tests of old generations */
PASS_ON(db_set_manners, sql_set_transaction_mode, (sql_connection *con, unsigned manners),
        (con, manners))
PASS_ON(db_count_as, sql_count_as, (sql_statement *stmt, sb_counter_type type), (stmt, (int)type))
/* clang-format on */

sql_connection *db_connection_create(sql_driver *driver)
{
    struct script_context *cx = context_get();
    sql_connection *con = cx ? sql_connect(driver, &cx->host) : NULL;

    if (con)
        context_adopt(cx, con);
    return con;
}

void db_connection_free(sql_connection *con)
{
    struct script_context *cx = context_get();

    if (!cx || cx->closing)
        return;
    if (cx->shared)
        shared_lost_connection(cx->shared, cx, con);
    else
        context_release(cx, con);
}

/* A statement may outlive its connection's last handle: sql.c keeps the memory until both
 * are gone. */
void db_statement_free(sql_statement *stmt)
{
    struct script_context *cx = context_get();

    if (cx && cx->shared)
        shared_lost_statement(stmt);
    else
        sql_statement_free(stmt);
}

/*
 * Histograms: log-scale buckets of a script's own figures, printed as the program prints its
 * latency histogram.  sysbench.histogram is made of these calls.
 */

struct histogram {
    size_t size;
    double log_min, per_log; /* value of bucket i: exp(i / per_log + log_min) */
    _Atomic uint64_t count[];
};

sb_histogram_t *sb_histogram_new(size_t size, double min, double max)
{
    struct histogram *h;

    if (size < 2 || !(min > 0) || !(max > min) || !isfinite(max) || size > SIZE_MAX / 16)
        return NULL;
    h = calloc(1, sizeof *h + size * sizeof h->count[0]);
    if (!h)
        return NULL;
    h->size = size;
    h->log_min = log(min);
    h->per_log = (double)(size - 1) / (log(max) - log(min));
    return h;
}

void sb_histogram_delete(sb_histogram_t *h)
{
    free(h);
}

/* A draw that nobody uses: stock's histogram makes one, too, and what a script draws next is to be
 * the same. */
void sb_histogram_update(sb_histogram_t *h, double value)
{
    struct script_context *cx = context_get();
    double i = h && value > 0 ? floor((log(value) - h->log_min) * h->per_log + 0.5) : 0;
    size_t bucket = !h || !(i > 0) ? 0 : i < (double)(h->size - 1) ? (size_t)i : h->size - 1;

    if (cx)
        rng_next(cx->rng);
    if (h)
        atomic_fetch_add_explicit(&h->count[bucket], 1, memory_order_relaxed);
}

static double value_of(const void *arg, size_t i)
{
    const struct histogram *h = arg;

    return exp((double)i / h->per_log + h->log_min);
}

void sb_histogram_print(sb_histogram_t *h)
{
    struct script_context *cx = context_get();
    struct str out = STR_INIT;

    if (!h)
        return;
    uint64_t *count = mem_array(h->size, sizeof *count);
    for (size_t i = 0; i < h->size; i++)
        count[i] = atomic_load_explicit(&h->count[i], memory_order_relaxed);
    text_distribution(&out, count, h->size, value_of, h);
    if (cx && cx->progress)
        progress_hide(cx->progress);
    if (out.len)
        log_print("%s", str_cstr(&out));
    str_free(&out);
    free(count);
}

/*
 * What the tests of old generations need and new scripts do not: which generation is asked for,
 * their unique numbers.
 */

const char *sb_generation(void)
{
    struct script_context *cx = context_get();

    return (cx ? vm_of_context(cx)->script->env.generation : generation_facts(GENERATION_1_0))
        ->name;
}

bool sb_set_option(const char *name, const char *value)
{
    struct script_context *cx = context_get();
    struct script *s = cx ? vm_of_context(cx)->script : NULL;

    if (!s || vm_of_context(cx) != s->main || s->options_fixed || !opt_exists(s->env.opts, name))
        return false;
    return opt_set(s->env.opts, name, value, NULL) == 0;
}

double sb_rand_step(double a, double b)
{
    struct script_context *cx = context_get();
    double last = b - a;

    if (!cx || !isfinite(a) || !(last >= 0))
        return isfinite(a) ? a : 0;
    return a + (double)uniq_step(cx->uniq, last < 0x1.0p63 ? (uint64_t)last + 1 : UINT64_MAX);
}
