/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines that the other host sends (stream.h).  Text is collected until a line is whole; the
 * line is taken by what the state expects, and may be answered with the next question.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "telemetry/remote_state.h"

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
