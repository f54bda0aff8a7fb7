/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See waits.h.
 */
#include "telemetry/waits.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/proc.h"
#include "telemetry/syscalls.h"

#define NAMES_SHOWN    3
#define LEAST_SESSIONS 0.005

const char *wait_class_name(enum wait_class class)
{
    static const char *const name[WAIT_CLASSES] = {
        [WAIT_CPU] = "cpu",       [WAIT_ROW] = "row_lock", [WAIT_LOCK] = "lock",
        [WAIT_IO] = "io",         [WAIT_LOG] = "log",      [WAIT_LATCH] = "latch",
        [WAIT_CLIENT] = "client", [WAIT_OTHER] = "other"};

    return name[class];
}

static void add_name(struct status_waits *w, enum wait_class class, const char *name, dur_ns time)
{
    size_t i;

    for (i = 0; i < w->names; i++)
        if (w->name[i].class == class && strcmp(w->name[i].name, name) == 0)
            break;
    if (i == WAIT_NAMES) { /* the last place is for all that come late */
        struct wait_time *last = &w->name[--i];
        *last = (struct wait_time){.name = "others", .class = WAIT_OTHER, .time = last->time};
    } else if (i == w->names) {
        w->names++;
        w->name[i] = (struct wait_time){.class = class};
        snprintf(w->name[i].name, sizeof w->name[i].name, "%s", name);
    }
    w->name[i].time += time;
}

void waits_add(struct status_waits *w, enum wait_class class, const char *name, dur_ns time)
{
    w->of[class] += time;
    w->locks += class == WAIT_ROW || class == WAIT_LOCK ? time : 0;
    add_name(w, class, name, time);
}

void waits_add_blocker(struct status_waits *w, int64_t id)
{
    struct wait_blocker *end = w->blocker + WAIT_BLOCKERS, *to = w->blocker;

    for (struct wait_blocker *b = w->blocker; b < end; b++) {
        bool is = b->sample && b->id == id;
        to = is || b->sample < to->sample ? b : to;
        if (is)
            break;
    }
    if (to->sample > w->forgot && to->id != id)
        w->forgot = to->sample;
    *to = (struct wait_blocker){id, w->samples};
}

void waits_add_all(struct status_waits *w, const struct status_waits *of, dur_ns n)
{
    for (size_t i = 0; i < COUNT(w->time); i++)
        w->time[i] += n * of->time[i];
    for (const struct wait_time *t = of->name; t < of->name + of->names; t++)
        add_name(w, t->class, t->name, n * t->time);
}

static int by_time(const void *a, const void *b)
{
    const struct wait_time *x = a, *y = b;

    return (x->time < y->time) - (x->time > y->time);
}

static void rank_names(struct status_waits *w)
{
    qsort(w->name, w->names, sizeof *w->name, by_time);
    while (w->names && w->name[w->names - 1].time <= 0)
        w->names--;
    w->most[0] = '\0';
    if (w->known <= 0)
        return;
    size_t used = (size_t)snprintf(w->most, sizeof w->most, w->names ? "" : "none");

    for (size_t i = 0; i < w->names && i < NAMES_SHOWN; i++) {
        double n = (double)w->name[i].time / (double)w->known;
        if (i && n < LEAST_SESSIONS)
            break;
        used += (size_t)snprintf(w->most + used, sizeof w->most - used, "%s%s %.*f", i ? ", " : "",
                                 w->name[i].name, n < 0.1 ? 2 : 1, n);
    }
}

void waits_set_cpu(struct status_waits *w, double sessions)
{
    waits_add(w, WAIT_CPU, "cpu", (dur_ns)(sessions * (double)w->known) - w->of[WAIT_CPU]);
    rank_names(w);
}

void waits_diff(const struct status_waits *before, const struct status_waits *after,
                struct status_waits *out)
{
    *out = *after;
    for (size_t i = 0; i < COUNT(out->time); i++)
        out->time[i] -= before->time[i];
    out->samples -= before->samples;
    out->seen -= before->seen;
    out->blockers = 0; /* half of the time after the sample before is as if it had been like that */
    for (const struct wait_blocker *b = out->blocker; b < out->blocker + WAIT_BLOCKERS; b++)
        out->blockers += b->sample && b->sample >= before->samples;
    out->more = out->forgot && out->forgot >= before->samples;
    for (int c = 0; c < WAIT_CLASSES; c++) {
        out->hits[c] -= before->hits[c];
        out->squares[c] -= before->squares[c];
    }
    for (size_t i = 0; i < before->names; i++) /* names keep their places */
        out->name[i].time -= before->name[i].time;
    rank_names(out);
    if (waits_exact(out))
        waits_set_cpu(out, (double)(out->ran + out->waited) / (double)out->ran_known);
    if (out->behind <= 0)
        out->who[0] = '\0', out->blockers = 0;
    if (out->known <= 0 && !out->why)
        out->why = "the server was not asked in this interval";
}

/* --- threads --- */

/* A read is that of a connection, too: a session's statement is there before it begins. */
static enum thread_does call(unsigned nr)
{
    static const char *const calls[] = {
        [THREAD_READS] = " read pread64 readv preadv io_getevents ",
        [THREAD_WRITES] = " write pwrite64 writev pwritev fallocate ",
        [THREAD_SYNCS] = " fsync fdatasync sync_file_range ",
        [THREAD_SLEEPS] = " futex nanosleep clock_nanosleep ",
        [THREAD_LISTENS] = " poll epoll_wait ppoll epoll_pwait recvfrom ",
    };
    char name[24], word[26];

    snprintf(word, sizeof word, " %s ", syscall_name(nr, name));
    for (enum thread_does d = THREAD_READS; d < COUNT(calls); d++)
        if (calls[d] && strstr(calls[d], word))
            return d;
    return THREAD_UNKNOWN;
}

/* By what stands in its path; of MariaDB and MySQL. */
static enum thread_file file_of(int root_fd, pid_t pid, unsigned long fd)
{
    static const char *const part[][4] = {
        [FILE_OF_LOG] = {"/ib_logfile", "/#ib_redo", "-bin.0", "/binlog.0"},
        [FILE_TEMPORARY] = {"/#sql", " (deleted)"},
        [FILE_SOCKET] = {"socket:"}};
    char path[48], link[512];

    snprintf(path, sizeof path, "%d/fd/%lu", (int)pid, fd);
    ssize_t n = readlinkat(root_fd, path, link, sizeof link - 1);
    link[n > 0 ? n : 0] = '\0';
    for (enum thread_file f = FILE_SOCKET; f > FILE_OF_DATA; f--)
        for (size_t i = 0; i < COUNT(part[f]) && part[f][i]; i++)
            if (strstr(link, part[f][i]))
                return f;
    return FILE_OF_DATA;
}

/* For room to write, since an answer is not taken, or for a statement. */
static enum thread_does awaits(int root_fd, pid_t pid, unsigned long address)
{
    struct pollfd v;
    char path[32];

    snprintf(path, sizeof path, "%d/mem", (int)pid);
    int mem = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
    bool read = mem >= 0 && pread(mem, &v, sizeof v, (off_t)address) == sizeof v;
    fd_close(mem);
    return !read ? THREAD_UNKNOWN : v.events & POLLOUT ? THREAD_WRITES : THREAD_LISTENS;
}

enum thread_does thread_does(int root_fd, pid_t pid, pid_t tid, enum thread_file *file)
{
    unsigned long fd;
    enum thread_does does = THREAD_UNKNOWN;
    char path[64], text[512], state;
    size_t len;
    unsigned nr;

    *file = FILE_OF_DATA;
    snprintf(path, sizeof path, "%d/task/%d/stat", (int)pid, (int)tid);
    if (proc_read(root_fd, path, text, sizeof text, &len))
        return THREAD_UNKNOWN;
    const char *after = strrchr(text, ')'); /* a name may have brackets, too */
    if (!after || sscanf(after + 1, " %c", &state) != 1)
        return THREAD_UNKNOWN;
    if (state == 'R')
        return THREAD_RUNS;
    snprintf(path, sizeof path, "%d/task/%d/syscall", (int)pid, (int)tid);
    if (proc_read(root_fd, path, text, sizeof text, &len) == 0) {
        if (strncmp(text, "running", 7) == 0) /* since then */
            return THREAD_RUNS;
        int n = sscanf(text, "%u %lx", &nr, &fd);
        does = n > 0 ? call(nr) : does;
        if (n > 1 && does >= THREAD_READS && does <= THREAD_SYNCS)
            *file = file_of(root_fd, pid, fd);
        if (n > 1 && strstr(" poll ppoll ", syscall_name(nr, path))) {
            does = awaits(root_fd, pid, fd);
            *file = does == THREAD_WRITES ? FILE_SOCKET : FILE_OF_DATA;
        }
    }
    return state == 'D' && (does == THREAD_UNKNOWN || does >= THREAD_SLEEPS) ? THREAD_USES_DISK
                                                                             : does;
}

bool thread_numbers_shared(int root_fd, pid_t pid)
{
    char path[32], text[4096], alone[32]; /* one number for each level of namespaces */
    size_t len;

    snprintf(path, sizeof path, "%d/status", (int)pid);
    snprintf(alone, sizeof alone, "\nNSpid:\t%d\n", (int)pid);
    return proc_read(root_fd, path, text, sizeof text, &len) == 0 && strstr(text, alone);
}
