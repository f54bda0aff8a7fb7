/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See remote.h.  All I/O is non-blocking, except for waits with a limit.  Each line that arrives
 * advances the state and may send the next request.
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

#define RETRY        (5 * NS_PER_SEC)
#define ANSWER_LIMIT (NS_PER_SEC / 2)
#define RISE_LIMIT   (200 * NS_PER_MS) /* per tick, while the stream is restarted */

enum state { DOWN, HELLO, EVENTS, IDLE, OPENING, UP };

struct remote {
    char *command, *events, *targets;
    enum state state;
    pid_t child;
    int in, out;
    struct str text; /* received, not yet a whole line */
    mono_ns retry_at;
    bool reported; /* the failure was printed */
    char why[300]; /* why it is not up */
    enum err_kind kind;

    int cpus;
    char host[128], governor[32];
    struct perf_spec event[PERF_MAX_EVENTS];
    size_t nevents;
    char how[200 + PERF_MAX_EVENTS * (PERF_NAME_MAX + 2)], server[200];
    uint64_t identity;
    unsigned replaced;   /* how often another server was found */
    unsigned generation; /* of counters: streams that came up */

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

/* --- the command --- */

static void fail(struct remote *v, const char *why)
{
    if (v->in >= 0)
        close(v->in);
    if (v->out >= 0)
        close(v->out);
    v->in = v->out = -1;
    v->state = DOWN;
    v->retry_at = clock_mono() + RETRY;
    snprintf(v->why, sizeof v->why, "%s", why);
    v->kind = ERR_FAILED;
}

/* It ends by itself when its stdin does; a command that does not gets a signal. */
static void reap(struct remote *v)
{
    struct timespec nap = {.tv_nsec = 2 * NS_PER_MS};

    if (v->child <= 0)
        return;
    for (int i = 0; i < 250; i++) {
        if (waitpid(v->child, NULL, WNOHANG) != 0) {
            v->child = 0;
            return;
        }
        nanosleep(&nap, NULL);
    }
    kill(v->child, SIGTERM);
    waitpid(v->child, NULL, 0);
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

static void start(struct remote *v)
{
    int in[2], out[2], rc;

    reap(v);
    str_reset(&v->text);
    if (pipe2(in, O_CLOEXEC) != 0) {
        fail(v, strerror(errno));
        return;
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        fail(v, strerror(errno));
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
    v->state = HELLO;
    snprintf(v->why, sizeof v->why, "the command has not answered yet");
    if (rc)
        fail(v, strerror(rc));
}

static bool send_line(struct remote *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A request is shorter than a pipe's buffer: either the write succeeds at once, or the other
 * side has ended. */
static bool send_line(struct remote *v, const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < (int)sizeof line && write(v->in, line, (size_t)n) == n)
        return true;
    fail(v, "the stream ended");
    return false;
}

/* --- the answers --- */

static void ask_next(struct remote *v)
{
    if (v->state == HELLO && v->events) {
        v->state = EVENTS;
        send_line(v, "events %s\n", v->events);
    } else if (v->targets) {
        v->state = OPENING;
        send_line(v, "open %s\n", v->targets);
    } else {
        v->state = IDLE;
    }
}

static void take_hello(struct remote *v, const char *line)
{
    const char *host = strstr(line, " host="), *governor = strstr(line, " governor=");
    int64_t cpus;

    v->cpus = stream_number(line, "cpus", &cpus) ? (int)cpus : 0;
    if (host)
        snprintf(v->host, sizeof v->host, "%.*s", (int)strcspn(host + 6, " "), host + 6);
    if (governor)
        snprintf(v->governor, sizeof v->governor, "%.*s", (int)strcspn(governor + 10, " "),
                 governor + 10);
    ask_next(v);
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
    v->state = UP;
}

static void take_end(struct remote *v, const char *line)
{
    int64_t mono, wall;
    mono_ns now = clock_mono();
    wall_ns our_wall = clock_wall();
    dur_ns trip;

    v->answered = true;
    if (!stream_number(line, "mono", &mono) || !stream_number(line, "wall", &wall))
        return;
    trip = now - v->question_at - (mono - v->their_mono);
    if (trip < 0 || trip >= v->best_trip)
        return;
    v->best_trip = trip;
    v->offset = (v->their_wall - v->question_wall + wall - our_wall) / 2;
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

static void take_line(struct remote *v, const char *line)
{
    if (v->state == HELLO) {
        if (strncmp(line, STREAM_HELLO " ", strlen(STREAM_HELLO) + 1) == 0)
            take_hello(v, line); /* text that a login prints before it is ignored */
    } else if (strncmp(line, "error ", 6) == 0) {
        snprintf(v->why, sizeof v->why, "%.250s", line + 6);
        v->kind = v->state == EVENTS ? ERR_USAGE : ERR_FAILED;
        v->state = IDLE;
        v->retry_at = clock_mono() + RETRY;
    } else if (strncmp(line, "event ", 6) == 0) {
        take_event(v, line + 6);
    } else if (strncmp(line, "how ", 4) == 0) {
        snprintf(v->how, sizeof v->how, "%s", line + 4);
    } else if (strcmp(line, "ok") == 0 && v->state == EVENTS) {
        ask_next(v);
    } else if (strncmp(line, "server ", 7) == 0) {
        take_server(v, line + 7);
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
        if (v->state == DOWN)
            return;
    }
    if (v->text.len) {
        v->text.len -= (size_t)(line - v->text.s);
        memmove(v->text.s, line, v->text.len);
    }
}

/* Reads what has arrived, waiting until `limit` if nothing has.  False: nothing arrived. */
static bool read_lines(struct remote *v, mono_ns limit)
{
    struct pollfd p = {.fd = v->out, .events = POLLIN};
    dur_ns left = limit - clock_mono();
    char buf[8192];
    ssize_t n;

    if (v->state == DOWN ||
        poll(&p, 1, left > 0 ? (int)((left + NS_PER_MS - 1) / NS_PER_MS) : 0) <= 0)
        return false;
    n = read(v->out, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0) {
        fail(v,
             v->state == HELLO ? "the command ended without a word of pstime" : "the stream ended");
        return false;
    }
    str_add(&v->text, buf, (size_t)n);
    take_text(v);
    return true;
}

/* --- the requests --- */

static void wait_state(struct remote *v, enum state least, mono_ns limit)
{
    while (v->state != DOWN && v->state < least && read_lines(v, limit) && v->kind == ERR_NONE)
        ;
}

int remote_open(struct remote **out, const char *command, const char *events, dur_ns limit,
                struct err *e)
{
    struct remote *v = mem_alloc(sizeof *v);

    v->command = mem_strdup(command);
    v->events = events ? mem_strdup(events) : NULL;
    v->in = v->out = -1;
    v->best_trip = MONO_NEVER;
    snprintf(v->governor, sizeof v->governor, "n/a");
    *out = NULL;
    start(v);
    wait_state(v, IDLE, clock_mono() + limit);
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
    fail(v, "closed");
    reap(v);
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
    if (!send_line(v, "%s %llu\n", verb, (unsigned long long)v->question))
        return false;
    while (!v->answered && read_lines(v, limit))
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
    wait_state(v, IDLE, until);
    if (v->state == IDLE) {
        v->kind = ERR_NONE;
        ask_next(v);
        wait_state(v, UP, until);
    }
    for (int i = 0; i < TRIPS && v->state == UP; i++)
        question(v, "read", until);
    describe(v);
    if (v->state == UP)
        return 0;
    v->reported = true; /* by the caller */
    return err_set(e, ERR_FAILED, "%s: %s", v->command, v->why);
}

/* If the stream is down or the server was not found, tries again from time to time. */
static void try_again(struct remote *v)
{
    mono_ns now = clock_mono();

    if (v->state == UP)
        return;
    if (v->state == DOWN && now >= v->retry_at)
        start(v);
    if (v->state == IDLE && v->targets && now >= v->retry_at)
        ask_next(v);
    v->kind = ERR_NONE;
    wait_state(v, UP, now + RISE_LIMIT);
    if (v->state == UP && v->reported) {
        log_notice("Server: the stream of '%s' is up\n", v->command);
        v->reported = false;
        describe(v);
    }
}

static void tell_down(struct remote *v)
{
    if (v->state == UP || v->reported || !v->targets)
        return;
    log_notice("Server: n/a from here on (%s: %s), retrying\n", v->command, v->why);
    v->reported = true;
}

void remote_read(struct remote *v, struct stream_reading *out)
{
    bool ok;

    try_again(v);
    ok = v->state == UP && question(v, "read", clock_mono() + ANSWER_LIMIT);
    if (ok) {
        v->last = v->now;
        v->last.sample.ended += v->replaced;
        v->last.perf.generation = v->generation;
    } else {
        v->last = (struct stream_reading){.sample.at = clock_mono()};
        v->last.sample.ended = v->replaced;
        snprintf(v->last.sample.reason, sizeof v->last.sample.reason, "no reading from %s: %s",
                 v->command,
                 v->state == UP ? "no answer within 0.5 s"
                 : v->targets   ? v->why
                                : "it was not told which process is the server");
    }
    tell_down(v);
    *out = v->last;
}

void remote_environment(struct remote *v, struct environment *e)
{
    v->record = e;
    if (v->state < IDLE || !question(v, "environment", clock_mono() + 4 * ANSWER_LIMIT))
        environment_missing(e, "server.host", "%s: %s", v->command,
                            v->state < IDLE ? v->why : "no answer");
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
