/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See remote.h.  All I/O is non-blocking except waits with a limit: this file asks and waits,
 * remote_answer.c takes what comes.
 */
#include "telemetry/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "telemetry/remote_state.h"

#define ANSWER_LIMIT (NS_PER_SEC / 2)
#define RISE_LIMIT   (200 * NS_PER_MS) /* per tick, while the stream is restarted */

static void wait_state(struct remote *v, enum remote_state least, mono_ns limit)
{
    while (v->state != REMOTE_DOWN && v->state < least && remote_read_lines(v, limit) &&
           v->kind == ERR_NONE && clock_mono() < limit)
        ; /* bytes without end must not hold it up */
}

/* As wait_state, before the run: somebody may sit and wait. */
static void wait_patiently(struct remote *v, enum remote_state least, mono_ns limit)
{
    mono_ns first = clock_mono() + NS_PER_SEC;

    wait_state(v, least, first < limit ? first : limit);
    if (v->state == REMOTE_DOWN || v->state >= least || v->kind != ERR_NONE || first >= limit ||
        remote_is_cancelled(v))
        return;
    fprintf(stderr, "Waiting up to %.0f s for the answer of '%s' (--server-via)...\n",
            dur_sec(limit - first), v->command);
    wait_state(v, least, limit);
}

int remote_open(struct remote **out, const char *command, const struct remote_wants *wants,
                dur_ns limit, struct err *e)
{
    struct remote *v = mem_alloc(sizeof *v);

    v->command = mem_strdup(command);
    v->events = wants->events ? mem_strdup(wants->events) : NULL;
    v->system = wants->system;
    v->syscalls = wants->syscalls;
    v->cancelled = wants->cancelled;
    v->in = v->out = -1;
    v->best_trip = MONO_NEVER;
    snprintf(v->governor, sizeof v->governor, "n/a");
    *out = NULL;
    remote_start(v);
    wait_patiently(v, REMOTE_IDLE, clock_mono() + limit);
    v->silent = v->state == REMOTE_HELLO;
    if (v->silent && !v->first_line[0])
        snprintf(v->why, sizeof v->why, "the command has not answered within %.0f s",
                 dur_sec(limit));
    if (v->kind == ERR_USAGE) {
        err_set(e, ERR_USAGE, "%s", v->why);
        remote_close(v);
        return -1;
    }
    *out = v;
    return 0;
}

void remote_close(struct remote *v)
{
    if (!v)
        return;
    remote_fail(v, "closed");
    remote_reap(v);
    free(v->command);
    free(v->events);
    free(v->targets);
    str_free(&v->text);
    str_free(&v->describe);
    free(v);
}

/* Sends one request and waits for its answer; false when none came. */
static bool question(struct remote *v, const char *verb, mono_ns limit)
{
    v->answered = false;
    v->question++;
    v->question_wall = clock_wall();
    v->question_at = clock_mono();
    if (!remote_send_line(v, "%s %llu\n", verb, (unsigned long long)v->question))
        return false;
    while (!v->answered && remote_read_lines(v, limit) && clock_mono() < limit)
        ;
    return v->answered;
}

static void describe(struct remote *v)
{
    str_reset(&v->describe);
    str_printf(&v->describe, "%s on %s", v->server[0] ? v->server : "server",
               v->host[0] ? v->host : "another host");
    if (v->best_trip != MONO_NEVER)
        str_printf(&v->describe, ", clock %+.3f ms (+- %.3f)", dur_ms(v->offset),
                   dur_ms(v->best_trip) / 2);
}

int remote_target(struct remote *v, const char *targets, dur_ns limit, struct err *e)
{
    enum { TRIPS = 4 };
    mono_ns until = clock_mono() + limit;

    free(v->targets);
    v->targets = mem_strdup(targets);
    if (!v->silent) /* it was waited for */
        wait_patiently(v, REMOTE_IDLE, until);
    if (v->state == REMOTE_IDLE) {
        v->kind = ERR_NONE;
        remote_ask_next(v);
        wait_patiently(v, REMOTE_UP, until);
    }
    for (int i = 0; i < TRIPS && v->state == REMOTE_UP; i++)
        question(v, "read", until);
    describe(v);
    if (v->state == REMOTE_UP)
        return 0;
    v->reported = true; /* by the caller */
    return err_set(e, ERR_FAILED, "%s: %s", v->command, v->why);
}

/* If the stream is down or the server was not found, tries again from time to time. */
static void try_again(struct remote *v)
{
    mono_ns now = clock_mono();

    if (v->state == REMOTE_UP)
        return;
    if (v->state == REMOTE_DOWN && now >= v->retry_at)
        remote_start(v);
    if (v->state == REMOTE_IDLE && v->targets && now >= v->retry_at)
        remote_ask_next(v);
    v->kind = ERR_NONE;
    wait_state(v, REMOTE_UP, now + RISE_LIMIT);
    if (v->state == REMOTE_UP && v->reported) {
        log_notice("Server: the stream of '%s' is up\n", v->command);
        v->reported = false;
        describe(v);
    }
}

static void tell_down(struct remote *v)
{
    if (v->state == REMOTE_UP || v->reported || !v->targets)
        return;
    log_notice("Server: n/a from here on (%s: %s), retrying\n", v->command, v->why);
    v->reported = true;
}

void remote_read(struct remote *v, struct stream_reading *out)
{
    bool ok;

    try_again(v);
    v->reading = true;
    ok = v->state == REMOTE_UP && question(v, "read", clock_mono() + ANSWER_LIMIT);
    v->reading = false;
    if (ok) {
        v->last = v->now;
        v->last.sample.ended += v->replaced;
        v->last.sample.set = v->replaced;
        v->last.perf.generation = v->last.syscalls.generation = v->generation;
        v->last.host.generation = v->streams;
    } else {
        v->last = (struct stream_reading){.sample = {.at = clock_mono(),
                                                     .ended = v->last.sample.ended,
                                                     .found = v->last.sample.found,
                                                     .whole = v->last.sample.whole,
                                                     .set = v->replaced}};
        snprintf(v->last.sample.reason, sizeof v->last.sample.reason, "no reading from %s: %s",
                 v->command,
                 v->state == REMOTE_UP ? "no answer within 0.5 s"
                 : v->targets          ? v->why
                                       : "it was not told which process is the server");
    }
    if (v->renamed)
        describe(v);
    v->renamed = false;
    tell_down(v);
    *out = v->last;
}

void remote_environment(struct remote *v, struct environment *e)
{
    v->record = e;
    if (v->state < REMOTE_IDLE || !question(v, "environment", clock_mono() + 4 * ANSWER_LIMIT))
        environment_missing(e, "server.host", "%s: %s", v->command,
                            v->state < REMOTE_IDLE ? v->why : "no answer");
    v->record = NULL;
}

const struct stream_reading *remote_last(const struct remote *v)
{
    return &v->last;
}

const char *remote_describe(const struct remote *v)
{
    return str_cstr(&v->describe);
}

int remote_cpus(const struct remote *v)
{
    return v->cpus;
}

const char *remote_governor(const struct remote *v)
{
    return v->governor;
}

const struct perf_spec *remote_events(const struct remote *v, size_t *n)
{
    *n = v->nevents;
    return v->event;
}

const char *remote_how(const struct remote *v)
{
    return v->how;
}

const char *remote_syscalls_why(const struct remote *v)
{
    return v->syscalls_why[0] ? v->syscalls_why
           : v->state == REMOTE_UP && !v->last.syscalls.have
               ? "that host's pstime does not count them"
               : NULL;
}
