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

#include <stdatomic.h>
#include <string.h>

#include "script/context.h"
#include "script/progress.h"
#include "stats/marks.h"

bool sb_more_events(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (!cx || !cx->client)
        return false;
    if (cx->event == EVENT_BEGUN)
        client_cancel(cx->client);
    else if (cx->event == EVENT_GRANTED)
        return true; /* called twice: still the same event */
    cx->event = client_next(cx->client) ? EVENT_GRANTED : EVENT_NONE;
    return cx->event == EVENT_GRANTED;
}

void sb_event_start(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (!cx || !cx->client || cx->event != EVENT_GRANTED)
        return;
    cx->event = EVENT_BEGUN;
    client_begin(cx->client);
    cx->host.stmt_stats = client_stmt_stats(cx->client); /* a new one after the warm-up */
}

void sb_event_stop(int thread_id)
{
    struct script_context *cx = context_get();

    sb_event_start(thread_id); /* if a loop never starts its events, they take no time */
    if (!cx || cx->event != EVENT_BEGUN)
        return;
    cx->event = EVENT_NONE;
    client_end(cx->client);
}

void sb_event_fail(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (!cx || cx->event != EVENT_BEGUN)
        return;
    cx->event = EVENT_NONE;
    client_fail(cx->client);
}

void sb_event_cancel(int thread_id)
{
    struct script_context *cx = context_get();

    (void)thread_id;
    if (!cx || cx->event != EVENT_BEGUN)
        return;
    cx->event = EVENT_NONE;
    client_cancel(cx->client);
}

bool sb_event_retry(int thread_id)
{
    struct script_context *cx = context_get();

    if (!cx || !cx->client)
        return false;
    if (client_retry(cx->client))
        return true;
    sb_event_fail(thread_id);
    if (client_keep_trying(cx->client))
        context_abandon(cx);
    client_brake(cx->client); /* before the next event */
    return false;
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
    double sb_rand_wide_##name(double a, double b)                                                 \
    {                                                                                              \
        struct script_context *cx = context_get();                                                 \
        return cx ? (double)dist_##name(cx->dist, cx->rng, dist_argument(a), dist_argument(b))     \
                  : a;                                                                             \
    }

RAND_PAIR(default)
RAND_PAIR(uniform)
RAND_PAIR(gaussian)
RAND_PAIR(special)
RAND_PAIR(pareto)
RAND_PAIR(zipfian)

uint32_t sb_rand_unique(void)
{
    struct script_context *cx = context_get();

    return cx ? uniq_next(cx->uniq) : 0;
}

uint64_t sb_rand_uniform_uint64(void)
{
    struct script_context *cx = context_get();

    return cx ? rng_next(cx->rng) : 0;
}

double sb_rand_uniform_double(void)
{
    struct script_context *cx = context_get();

    return cx ? rng_double(cx->rng) : 0;
}

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

uint32_t sb_rand_varstr(char *buf, uint32_t min, uint32_t max)
{
    struct script_context *cx = context_get();

    return cx ? (uint32_t)dist_varstring(cx->rng, min, max, buf) : 0;
}

void exports_link(void)
{
    static sql_driver *(*const volatile databases)(const char *) = db_create;
    static void (*const volatile options)(void) = sb_print_test_options;
    static void (*const volatile histograms)(sb_histogram_t *) = sb_histogram_print;
    static const char *(*const volatile legacy)(void) = sb_generation;
    static void (*const volatile loads)(void) = sb_load_enter;

    (void)loads;
    (void)databases;
    (void)options;
    (void)histograms;
    (void)legacy;
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
