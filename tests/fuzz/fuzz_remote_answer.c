/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The answers of `pstime --stream` as --server-via reads them, from a command that may print
 * anything.  The first byte chooses the state of the stream.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "telemetry/remote.c" /* its states and its reader of lines are nobody else's */

static const enum remote_state states[] = {HELLO, EVENTS, IDLE, OPENING, UP};

/* What every interval is made of. */
static void check_differences(const struct remote *v, const struct stream_reading *before,
                              const struct stream_reading *after)
{
    static struct host_delta host;
    static struct perf_delta perf;
    static struct syscalls_delta syscalls;
    struct sample_delta sample;

    sample_diff(&before->sample, &after->sample, &sample);
    host_diff(&before->host, &after->host, &host);
    perf_figures_diff(v->told.event, v->told.events, &before->perf, &after->perf, &perf);
    syscalls_diff(&before->syscalls, &after->syscalls, 10, &syscalls);
}

static void one(const uint8_t *data, size_t size)
{
    struct remote v = {.command = (char[]){"false"},
                       .targets = (char[]){"mysqld"},
                       .wants = {.events = "cycles", .syscalls = true},
                       .question = 1,
                       .best_trip = MONO_NEVER};
    static const struct stream_reading none;
    struct environment record = {0};
    char path[FUZZ_PATH];

    if (size < 1)
        return;
    v.state = states[data[0] % (sizeof states / sizeof *states)];
    v.record = &record;
    v.in = open("/dev/null", O_WRONLY | O_CLOEXEC);
    v.out = fuzz_file(data + 1, size - 1, path);
    while (read_lines(&v, clock_mono() + 10 * NS_PER_SEC)) {
    }
    FUZZ_CHECK(v.state == DOWN && v.in == -1 && v.out == -1);
    FUZZ_CHECK(v.told.events <= PERF_MAX_EVENTS);
    FUZZ_CHECK(strlen(v.host) < sizeof v.host && strlen(v.why) < sizeof v.why);
    check_differences(&v, &none, &v.now);
    check_differences(&v, &v.now, &none);
    environment_free(&record);
    str_free(&v.text);
    str_free(&v.describe);
}

const struct fuzz_target fuzz_remote_answer = {"remote_answer", one};
