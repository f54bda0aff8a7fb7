/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See remote.h.  All I/O is non-blocking except waits with a limit: the command is started and
 * written to, lines are taken as they come, and readings are asked for.  A line is taken by what
 * the state expects, and may be answered with the next question.
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
#include "base/str.h"

#define ANSWER_LIMIT (NS_PER_SEC / 2)
#define RISE_LIMIT   (200 * NS_PER_MS) /* per tick, while the stream is restarted */
/* As long as a stream that ended is left alone. */
#define RETRY (5 * NS_PER_SEC)

/* No line of pstime is longer; and a login that greets prints less. */
#define LINE_MOST  (64 * 1024)
#define GREET_MOST (1024 * 1024)

/* see remote.h */
enum remote_state { DOWN, HELLO, EVENTS, IDLE, OPENING, UP };

struct remote {
    char *command, *targets;
    struct remote_wants wants;
    bool reading; /* remote_read waits, whose limit is short: never cancelled */
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

    struct remote_told told;
    char host[128], server[200];
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
    struct stream_reading now;
    struct environment *record; /* where "env" lines go, NULL: nowhere */

    dur_ns best_trip; /* of the fastest request; MONO_NEVER: none yet */
    dur_ns offset;    /* their wall clock - ours, by that request */
    struct str describe;
};

/* --- the command: pstime with a pipe at each end, which ends with its stdin ------------------- */

/* Closes the stream; it is DOWN for a while. */
static void fail(struct remote *v, const char *why)
{
    fd_close(v->in);
    fd_close(v->out);
    v->in = v->out = -1;
    v->state = DOWN;
    v->retry_at = clock_mono() + RETRY;
    snprintf(v->why, sizeof v->why, "%s", why);
    v->kind = ERR_FAILED;
}

/* Waits for the end of the command.  It ends by itself when its stdin does; one that does not gets
 * a signal after half a second. */
static void reap(struct remote *v)
{
    static const int signals[] = {SIGTERM, SIGKILL};
    struct timespec nap = {.tv_nsec = 2 * NS_PER_MS};

    for (size_t i = 0; v->child > 0; i++) {
        if (i && i % 250 == 0)
            kill(v->child, signals[i > 250]);
        if (waitpid(v->child, NULL, WNOHANG) != 0)
            v->child = 0;
        else
            nanosleep(&nap, NULL);
    }
}

/* DOWN with a reason when that fails. */
static void start(struct remote *v)
{
    /* Ctrl-C is meant for us: the last reading of the run still needs the stream */
    char *script = mem_printf("trap '' INT; exec %s pstime --stream", v->command);
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t pipes;
    int in[2] = {-1, -1}, out[2] = {-1, -1}, rc;

    reap(v);
    str_reset(&v->text);
    v->greeted = 0;
    v->first_line[0] = '\0';
    rc = pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ? errno : 0;
    if (!rc) {
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
    }
    free(script);
    fd_close(in[0]);
    fd_close(out[1]);
    v->in = in[1];
    v->out = out[0];
    if (rc) {
        v->child = 0;
        fail(v, strerror(rc));
        return;
    }
    fcntl(v->out, F_SETFL, O_NONBLOCK);
    fcntl(v->in, F_SETFL, O_NONBLOCK);
    v->state = HELLO;
    snprintf(v->why, sizeof v->why, "the command has not answered yet");
}

/* Sends a question, which is shorter than a pipe's buffer: the write succeeds at once, or the other
 * side is dead. */
SB_PRINTF(2, 3) static bool send_line(struct remote *v, const char *fmt, ...)
{
    char line[4096];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < (int)sizeof line && write(v->in, line, (size_t)n) == n)
        return true;
    fail(v, "the stream ended");
    return false;
}

/* --- answers --------------------------------------------------------------------------------- */

/* What follows the answer that made it IDLE, or HELLO. */
static void ask_next(struct remote *v)
{
    if (v->state == HELLO && v->wants.events) {
        v->state = EVENTS;
        send_line(v, "%s %s\n", v->wants.system ? "system-events" : "events", v->wants.events);
    } else if (v->targets) {
        v->state = OPENING;
        if (v->wants.syscalls) /* has no answer */
            send_line(v, "syscalls on\n");
        v->syscalls_why[0] = '\0';
        send_line(v, "open %s\n", v->targets);
    } else {
        v->state = IDLE;
    }
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
    v->told.event[i] = s;
    v->told.events = i + 1 > v->told.events ? i + 1 : v->told.events;
}

/* Sums and differences of their times must not overflow, whatever they say. */
__extension__ typedef __int128 wide;

static void take_end(struct remote *v, const char *line)
{
    int64_t mono, wall;
    mono_ns now = clock_mono();
    wall_ns our_wall = clock_wall();

    v->answered = true;
    if (!stream_number(line, "mono", &mono) || !stream_number(line, "wall", &wall))
        return;
    wide trip = (wide)now - v->question_at - ((wide)mono - v->their_mono);
    wide twice_offset = (wide)v->their_wall - v->question_wall + ((wide)wall - our_wall);
    if (trip < 0 || trip >= v->best_trip)
        return;
    v->best_trip = (dur_ns)trip;
    v->offset = (dur_ns)(twice_offset / 2);
}

/* Before pstime has said that it is there. */
static void take_hello(struct remote *v, const char *line)
{
    size_t hello = strcspn(STREAM_HELLO, " ");

    if (strncmp(line, STREAM_HELLO " ", strlen(STREAM_HELLO) + 1) == 0) {
        enum { CPUS_MOST = 65536 }; /* more is no number of CPUs */
        const char *host = strstr(line, " host="), *governor = strstr(line, " governor=");
        int64_t cpus;
        v->streams++;
        v->told.cpus =
            stream_number(line, "cpus", &cpus) && cpus > 0 && cpus <= CPUS_MOST ? (int)cpus : 0;
        if (host)
            snprintf(v->host, sizeof v->host, "%.*s", (int)strcspn(host + 6, " "), host + 6);
        if (governor)
            snprintf(v->told.governor, sizeof v->told.governor, "%.*s",
                     (int)strcspn(governor + 10, " "), governor + 10);
        ask_next(v);
    } else if (strncmp(line, STREAM_HELLO, hello + 1) == 0) {
        char other[80];
        snprintf(other, sizeof other,
                 "pstime there speaks version %.*s of the stream, this program version %s",
                 (int)strspn(line + hello + 1, "0123456789"), line + hello + 1,
                 STREAM_HELLO + hello + 1);
        fail(v, other);
    } else if (!v->first_line[0] && *line) {
        /* what a login prints before is ignored; it is the reason if no line of pstime follows */
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
    size_t word = strcspn(line, " ");
    const char *rest = line + word + (line[word] == ' ');
    bool current = strtoull(rest, NULL, 10) == v->question;

    if (v->state == HELLO) {
        take_hello(v, line);
        return;
    }
#define IS(name) (word == sizeof name - 1 && line[word] == ' ' && memcmp(line, name, word) == 0)
    if (IS("error")) {
        snprintf(v->why, sizeof v->why, "%.250s", rest);
        v->kind = v->state == EVENTS ? ERR_USAGE : ERR_FAILED;
        v->state = IDLE;
        v->retry_at = clock_mono() + RETRY;
    } else if (IS("event")) {
        take_event(v, rest);
    } else if (IS("how")) {
        snprintf(v->told.how, sizeof v->told.how, "%s", rest);
    } else if (IS("syscalls-why")) {
        snprintf(v->syscalls_why, sizeof v->syscalls_why, "%.150s", rest);
    } else if (strcmp(line, "ok") == 0 && v->state == EVENTS) {
        ask_next(v);
    } else if (IS("server") || IS("successor")) {
        /* "server": it was opened anew.  "successor": it was restarted, pstime found it again, and
         * its readings include both lives. */
        bool opened = IS("server");
        char *end;
        uint64_t identity = strtoull(rest, &end, 10);
        v->replaced += opened && v->identity && identity != v->identity;
        v->identity = identity;
        snprintf(v->server, sizeof v->server, "%s", end + strspn(end, " "));
        v->generation += opened;
        v->state = opened ? UP : v->state;
        v->renamed = v->renamed || !opened;
    } else if (IS("sample") && current) { /* answers to earlier questions are ignored */
        v->now = (struct stream_reading){0};
        stream_number(line, "mono", &v->their_mono);
        stream_number(line, "wall", &v->their_wall);
    } else if (IS("end")) {
        if (current)
            take_end(v, line);
    } else if (IS("env")) { /* key text */
        size_t n = strcspn(rest, " ");
        char key[300];
        snprintf(key, sizeof key, "%s%.*s", strncmp(rest, "host.", 5) == 0 ? "server." : "",
                 (int)(n < 280 ? n : 280), rest);
        if (v->record)
            environment_from_text(v->record, key, rest + n + (rest[n] == ' '));
    } else {
        stream_take(&v->now, line);
    }
#undef IS
}

static bool is_cancelled(const struct remote *v)
{
    return !v->reading && v->wants.cancelled && v->wants.cancelled();
}

/* Reads what has arrived, waiting until `limit`, and not longer than until the run is cancelled, if
 * nothing has.  False: nothing arrived. */
static bool read_lines(struct remote *v, mono_ns limit)
{
    struct pollfd p = {.fd = v->out, .events = POLLIN};
    char buf[8192], *line, *end;
    dur_ns left = 1, slice = 100 * NS_PER_MS;

    for (;;) {
        if (v->state == DOWN || left == 0 || is_cancelled(v))
            return false;
        left = limit - clock_mono();
        left = left < 0 ? 0 : left;
        if (poll(&p, 1, (int)(((left < slice ? left : slice) + NS_PER_MS - 1) / NS_PER_MS)) > 0)
            break;
    }
    ssize_t n = read(v->out, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0) {
        char answered[sizeof v->why];
        snprintf(answered, sizeof answered, "%s", v->why);
        fail(v, v->state != HELLO  ? "the stream ended"
                : v->first_line[0] ? answered
                                   : "the command ended without a word of pstime");
        return false;
    }
    str_add(&v->text, buf, (size_t)n);
    line = v->text.s;
    while (v->state != DOWN &&
           (end = memchr(line, '\n', v->text.len - (size_t)(line - v->text.s)))) {
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        take_line(v, line);
        line = end + 1;
    }
    if (v->state == DOWN)
        return true;
    v->text.len -= (size_t)(line - v->text.s);
    memmove(v->text.s, line, v->text.len);
    /* a command that sends anything at all, without an end, is no pstime */
    v->greeted = v->state == HELLO ? v->greeted + (size_t)n : 0;
    if (v->text.len > LINE_MOST)
        fail(v, "the command sent a line of more than 64 KiB, which pstime does not");
    else if (v->greeted > GREET_MOST)
        fail(v, "the command sent more than 1 MiB and no line of pstime");
    return true;
}

/* --- questions ------------------------------------------------------------------------------- */

static void wait_state(struct remote *v, enum remote_state least, mono_ns limit)
{
    while (v->state != DOWN && v->state < least && read_lines(v, limit) && v->kind == ERR_NONE &&
           clock_mono() < limit)
        ; /* bytes without end must not hold it up */
}

/* As wait_state, before the run: somebody may sit and wait. */
static void wait_patiently(struct remote *v, enum remote_state least, mono_ns limit)
{
    mono_ns first = clock_mono() + NS_PER_SEC;

    wait_state(v, least, first < limit ? first : limit);
    if (v->state == DOWN || v->state >= least || v->kind != ERR_NONE || first >= limit ||
        is_cancelled(v))
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
    v->wants = *wants;
    v->in = v->out = -1;
    v->best_trip = MONO_NEVER;
    snprintf(v->told.governor, sizeof v->told.governor, "n/a");
    *out = NULL;
    start(v);
    wait_patiently(v, IDLE, clock_mono() + limit);
    v->silent = v->state == HELLO;
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
    fail(v, "closed");
    reap(v);
    free(v->command);
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
    if (!send_line(v, "%s %llu\n", verb, (ull)v->question))
        return false;
    while (!v->answered && read_lines(v, limit) && clock_mono() < limit)
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
        wait_patiently(v, IDLE, until);
    if (v->state == IDLE) {
        v->kind = ERR_NONE;
        ask_next(v);
        wait_patiently(v, UP, until);
    }
    for (int i = 0; i < TRIPS && v->state == UP; i++)
        question(v, "read", until);
    describe(v);
    if (v->state == UP)
        return 0;
    v->reported = true; /* by the caller */
    return err_set(e, ERR_FAILED, "%s: %s", v->command, v->why);
}

const struct stream_reading *remote_read(struct remote *v)
{
    mono_ns now = clock_mono();
    struct stream_reading *last = &v->told.last;

    /* if the stream is down or the server was not found, tries again from time to time */
    if (v->state != UP) {
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
    v->reading = true;
    bool ok = v->state == UP && question(v, "read", clock_mono() + ANSWER_LIMIT);
    v->reading = false;
    if (ok) {
        *last = v->now;
        last->sample.ended += v->replaced;
        last->sample.set = v->replaced;
        last->perf.generation = last->syscalls.generation = v->generation;
        last->host.generation = v->streams;
    } else {
        *last = (struct stream_reading){.sample = {.at = clock_mono(),
                                                   .ended = last->sample.ended,
                                                   .found = last->sample.found,
                                                   .whole = last->sample.whole,
                                                   .set = v->replaced}};
        snprintf(last->sample.reason, sizeof last->sample.reason, "no reading from %s: %s",
                 v->command,
                 v->state == UP ? "no answer within 0.5 s"
                 : v->targets   ? v->why
                                : "the server is not known; name it with --server=PID or "
                                  "--server=NAME");
    }
    if (v->renamed || !v->describe.len)
        describe(v);
    v->renamed = false;
    if (v->state != UP && !v->reported && v->targets) {
        log_notice("Server: n/a from here on (%s: %s), retrying\n", v->command, v->why);
        v->reported = true;
    }
    return last;
}

void remote_environment(struct remote *v, struct environment *e)
{
    v->record = e;
    if (v->state < IDLE || !question(v, "environment", clock_mono() + 4 * ANSWER_LIMIT))
        environment_missing(e, "server.host", "%s: %s", v->command,
                            v->state < IDLE ? v->why : "no answer");
    v->record = NULL;
}

const struct remote_told *remote_told(const struct remote *v)
{
    return &v->told;
}

const char *remote_describe(const struct remote *v)
{
    return str_cstr(&v->describe);
}

const char *remote_syscalls_why(const struct remote *v)
{
    return v->syscalls_why[0] ? v->syscalls_why
           : v->state == UP && !v->told.last.syscalls.have
               ? "that host's pstime does not count them"
               : NULL;
}
