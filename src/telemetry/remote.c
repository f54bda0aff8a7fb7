/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See remote.h.  All I/O is non-blocking except waits with a limit: the command is started and
 * written to, lines are taken as they come, and readings are asked for.
 */
#include "telemetry/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

const struct stream_reading *remote_read(struct remote *v)
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
    return &v->last;
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

/* --- answers --------------------------------------------------------------------------------- */

/*
 * The lines that the other host sends (stream.h).  Text is collected until a line is whole; the
 * line is taken by what the state expects, and may be answered with the next question.
 */

void remote_ask_next(struct remote *v)
{
    if (v->state == REMOTE_HELLO && v->events) {
        v->state = REMOTE_EVENTS;
        remote_send_line(v, "%s %s\n", v->system ? "system-events" : "events", v->events);
    } else if (v->targets) {
        v->state = REMOTE_OPENING;
        if (v->syscalls) /* has no answer */
            remote_send_line(v, "syscalls on\n");
        v->syscalls_why[0] = '\0';
        remote_send_line(v, "open %s\n", v->targets);
    } else {
        v->state = REMOTE_IDLE;
    }
}

/* More is no number of CPUs. */
#define CPUS_MOST 65536

static void take_hello(struct remote *v, const char *line)
{
    const char *host = strstr(line, " host="), *governor = strstr(line, " governor=");
    int64_t cpus;

    v->streams++;
    v->cpus = stream_number(line, "cpus", &cpus) && cpus > 0 && cpus <= CPUS_MOST ? (int)cpus : 0;
    if (host)
        snprintf(v->host, sizeof v->host, "%.*s", (int)strcspn(host + 6, " "), host + 6);
    if (governor)
        snprintf(v->governor, sizeof v->governor, "%.*s", (int)strcspn(governor + 10, " "),
                 governor + 10);
    remote_ask_next(v);
}

/* index role no_user no_kernel name [why] */
static void take_event(struct remote *v, const char *text)
{
    struct perf_spec s = {0};
    unsigned i;
    int role, no_user, no_kernel, at = 0;

    if (sscanf(text, "%u %d %d %d %79s %n", &i, &role, &no_user, &no_kernel, s.name, &at) < 5 ||
        i >= PERF_MAX_EVENTS)
        return;
    s.role = role >= PERF_OTHER && role <= PERF_BRANCH_MISSES ? (enum perf_role)role : PERF_OTHER;
    s.no_user = no_user;
    s.no_kernel = no_kernel;
    snprintf(s.why, sizeof s.why, "%s", at ? text + at : "");
    v->event[i] = s;
    v->nevents = i + 1 > v->nevents ? i + 1 : v->nevents;
}

static void take_server(struct remote *v, const char *text)
{
    char *end;
    uint64_t identity = strtoull(text, &end, 10);

    if (v->identity && identity != v->identity)
        v->replaced++;
    v->identity = identity;
    snprintf(v->server, sizeof v->server, "%s", end + strspn(end, " "));
    v->generation++;
    v->state = REMOTE_UP;
}

/* It was restarted: pstime found it again, and its readings include both lives. */
static void take_successor(struct remote *v, const char *text)
{
    char *end;

    v->identity = strtoull(text, &end, 10);
    snprintf(v->server, sizeof v->server, "%s", end + strspn(end, " "));
    v->renamed = true;
}

/* Sums and differences of their times must not overflow, whatever they say. */
__extension__ typedef __int128 wide;

static void take_end(struct remote *v, const char *line)
{
    int64_t mono, wall;
    mono_ns now = clock_mono();
    wall_ns our_wall = clock_wall();
    wide trip, twice_offset;

    v->answered = true;
    if (!stream_number(line, "mono", &mono) || !stream_number(line, "wall", &wall))
        return;
    trip = (wide)now - v->question_at - ((wide)mono - v->their_mono);
    twice_offset = (wide)v->their_wall - v->question_wall + ((wide)wall - our_wall);
    if (trip < 0 || trip >= v->best_trip)
        return;
    v->best_trip = (dur_ns)trip;
    v->offset = (dur_ns)(twice_offset / 2);
}

/* "sample N ..." and "end N ...": answers to earlier requests are ignored. */
static bool is_current(const struct remote *v, const char *number)
{
    return strtoull(number, NULL, 10) == v->question;
}

/* key text */
static void take_environment(struct remote *v, const char *line)
{
    size_t n = strcspn(line, " ");
    char key[300];

    snprintf(key, sizeof key, "%s%.*s", strncmp(line, "host.", 5) == 0 ? "server." : "",
             (int)(n < 280 ? n : 280), line);
    if (v->record)
        environment_from_text(v->record, key, line + n + (line[n] == ' '));
}

/* What a login prints before pstime's first line is ignored; it is the reason if none follows. */
static void take_greeting(struct remote *v, const char *line)
{
    size_t word = strcspn(STREAM_HELLO, " ");

    if (strncmp(line, STREAM_HELLO " ", strlen(STREAM_HELLO) + 1) == 0) {
        take_hello(v, line);
    } else if (strncmp(line, STREAM_HELLO, word + 1) == 0) {
        char other[80];
        snprintf(other, sizeof other,
                 "pstime there speaks version %.*s of the stream, this program version %s",
                 (int)strspn(line + word + 1, "0123456789"), line + word + 1,
                 STREAM_HELLO + word + 1);
        remote_fail(v, other);
    } else if (!v->first_line[0] && *line) {
        snprintf(v->first_line, sizeof v->first_line, "%s", line);
        for (char *p = v->first_line; *p; p++)
            if (*p < ' ' || *p > '~')
                *p = '?';
        snprintf(v->why, sizeof v->why, "the command answers, but not as pstime does: '%s'",
                 v->first_line);
    }
}

static void take_line(struct remote *v, const char *line)
{
    if (v->state == REMOTE_HELLO) {
        take_greeting(v, line);
    } else if (strncmp(line, "error ", 6) == 0) {
        snprintf(v->why, sizeof v->why, "%.250s", line + 6);
        v->kind = v->state == REMOTE_EVENTS ? ERR_USAGE : ERR_FAILED;
        v->state = REMOTE_IDLE;
        v->retry_at = clock_mono() + REMOTE_RETRY;
    } else if (strncmp(line, "event ", 6) == 0) {
        take_event(v, line + 6);
    } else if (strncmp(line, "how ", 4) == 0) {
        snprintf(v->how, sizeof v->how, "%s", line + 4);
    } else if (strncmp(line, "syscalls-why ", 13) == 0) {
        snprintf(v->syscalls_why, sizeof v->syscalls_why, "%.150s", line + 13);
    } else if (strcmp(line, "ok") == 0 && v->state == REMOTE_EVENTS) {
        remote_ask_next(v);
    } else if (strncmp(line, "server ", 7) == 0) {
        take_server(v, line + 7);
    } else if (strncmp(line, "successor ", 10) == 0) {
        take_successor(v, line + 10);
    } else if (strncmp(line, "sample ", 7) == 0 && is_current(v, line + 7)) {
        v->now = (struct stream_reading){0};
        stream_number(line, "mono", &v->their_mono);
        stream_number(line, "wall", &v->their_wall);
    } else if (strncmp(line, "end ", 4) == 0) {
        if (is_current(v, line + 4))
            take_end(v, line);
    } else if (strncmp(line, "env ", 4) == 0) {
        take_environment(v, line + 4);
    } else {
        stream_take(&v->now, line);
    }
}

static void take_text(struct remote *v)
{
    char *line = v->text.s, *end;

    while (v->text.len && (end = memchr(line, '\n', v->text.len - (size_t)(line - v->text.s)))) {
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        take_line(v, line);
        line = end + 1;
        if (v->state == REMOTE_DOWN)
            return;
    }
    if (v->text.len) {
        v->text.len -= (size_t)(line - v->text.s);
        memmove(v->text.s, line, v->text.len);
    }
}

/* A command that sends anything at all, without an end, is no pstime. */
static void check_bounds(struct remote *v, size_t n)
{
    v->greeted = v->state == REMOTE_HELLO ? v->greeted + n : 0;
    if (v->text.len > REMOTE_LINE_MAX)
        remote_fail(v, "the command sent a line of more than 64 KiB, which pstime does not");
    else if (v->greeted > REMOTE_GREET_MAX)
        remote_fail(v, "the command sent more than 1 MiB and no line of pstime");
}

bool remote_is_cancelled(const struct remote *v)
{
    return !v->reading && v->cancelled && v->cancelled();
}

/* Waits for bytes, not longer than until the run is cancelled. */
static bool await_bytes(struct remote *v, mono_ns limit)
{
    struct pollfd p = {.fd = v->out, .events = POLLIN};

    for (;;) {
        dur_ns left = limit - clock_mono(), slice = 100 * NS_PER_MS;
        left = left < 0 ? 0 : left;
        if (remote_is_cancelled(v))
            return false;
        if (poll(&p, 1, (int)(((left < slice ? left : slice) + NS_PER_MS - 1) / NS_PER_MS)) > 0)
            return true;
        if (left == 0)
            return false;
    }
}

bool remote_read_lines(struct remote *v, mono_ns limit)
{
    char buf[8192];
    ssize_t n;

    if (v->state == REMOTE_DOWN || !await_bytes(v, limit))
        return false;
    n = read(v->out, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0) {
        char answered[sizeof v->why];
        snprintf(answered, sizeof answered, "%s", v->why);
        remote_fail(v, v->state != REMOTE_HELLO ? "the stream ended"
                       : v->first_line[0]       ? answered
                                                : "the command ended without a word of pstime");
        return false;
    }
    str_add(&v->text, buf, (size_t)n);
    take_text(v);
    if (v->state != REMOTE_DOWN)
        check_bounds(v, (size_t)n);
    return true;
}

/* --- the command ----------------------------------------------------------------------------- */

/*
 * The command behind remote.h: `pstime --stream`, started through the user's command with a pipe at
 * each end.  It ends with its stdin.
 */

void remote_fail(struct remote *v, const char *why)
{
    if (v->in >= 0)
        close(v->in);
    if (v->out >= 0)
        close(v->out);
    v->in = v->out = -1;
    v->state = REMOTE_DOWN;
    v->retry_at = clock_mono() + REMOTE_RETRY;
    snprintf(v->why, sizeof v->why, "%s", why);
    v->kind = ERR_FAILED;
}

/* True when it has ended within half a second. */
static bool is_reaped(struct remote *v)
{
    struct timespec nap = {.tv_nsec = 2 * NS_PER_MS};

    for (int i = 0; i < 250; i++) {
        if (waitpid(v->child, NULL, WNOHANG) != 0)
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

void remote_reap(struct remote *v)
{
    if (v->child <= 0)
        return;
    if (!is_reaped(v)) {
        kill(v->child, SIGTERM);
        if (!is_reaped(v)) {
            kill(v->child, SIGKILL);
            waitpid(v->child, NULL, 0);
        }
    }
    v->child = 0;
}

static int spawn(struct remote *v, const int in[2], const int out[2])
{
    /* Ctrl-C is meant for us: the last reading of the run still needs the stream */
    char *script = mem_printf("trap '' INT; exec %s pstime --stream", v->command);
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t pipes;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    if (v->reported) /* its error messages were shown once */
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attr);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawnattr_setsigdefault(&attr, &pipes);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn(&v->child, "/bin/sh", &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    free(script);
    if (rc)
        v->child = 0;
    return rc;
}

void remote_start(struct remote *v)
{
    int in[2], out[2], rc;

    remote_reap(v);
    str_reset(&v->text);
    v->greeted = 0;
    v->first_line[0] = '\0';
    if (pipe2(in, O_CLOEXEC) != 0) {
        remote_fail(v, strerror(errno));
        return;
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        remote_fail(v, strerror(errno));
        close(in[0]);
        close(in[1]);
        return;
    }
    rc = spawn(v, in, out);
    close(in[0]);
    close(out[1]);
    v->in = in[1];
    v->out = out[0];
    fcntl(v->out, F_SETFL, O_NONBLOCK);
    fcntl(v->in, F_SETFL, O_NONBLOCK);
    v->state = REMOTE_HELLO;
    snprintf(v->why, sizeof v->why, "the command has not answered yet");
    if (rc)
        remote_fail(v, strerror(rc));
}

bool remote_send_line(struct remote *v, const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < (int)sizeof line && write(v->in, line, (size_t)n) == n)
        return true;
    remote_fail(v, "the stream ended");
    return false;
}
