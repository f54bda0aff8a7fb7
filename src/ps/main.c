/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime's loop: reads twice and prints the difference, as often as requested, on a schedule that
 * does not drift.  A signal ends the last interval early, and its figures are printed.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "ps/pstime.h"

/* The only state that the signal handler uses. */
static _Atomic uint32_t stopped;

static void stop(int sig)
{
    (void)sig;
    atomic_store(&stopped, 1);
    clock_wake(&stopped);
}

static int print(const struct ps_watch *w, bool first)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct str out = STR_INIT;
    int rc = 0;

    str_adds(&out, first ? PS_HEADER : "\n" PS_HEADER);
    for (size_t i = 0; i < w->n; i++)
        if (w->row[i]->twice)
            ps_row_print(&out, w->row[i], cpus > 0 ? (int)cpus : 1);
    if (fwrite(str_cstr(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0)
        rc = -1;
    if (rc)
        fprintf(stderr, "pstime: cannot write: %s\n", strerror(errno));
    str_free(&out);
    return rc;
}

/* Reports once each process that was given by number and is not there, at the beginning or later:
 * a list from pgrep may name some that have ended since. */
static void report_missing(const struct ps_watch *w, const struct ps_args *a, bool *reported,
                           bool first)
{
    for (size_t i = 0; i < a->pids.n; i++) {
        bool there = reported[i];
        for (size_t k = 0; k < w->n && !there; k++)
            there = w->row[k]->member.pid == a->pids.ids[i];
        if (there)
            continue;
        reported[i] = true;
        fprintf(stderr, "pstime: %s%d%s\n", first ? "no process " : "process ", (int)a->pids.ids[i],
                first ? " that this user can see" : " has ended");
    }
}

/* 0, or -1 with *e, which has no text when the failure was reported already. */
static int watch(struct ps_watch *w, const struct ps_args *a, struct err *e)
{
    bool *reported = mem_array(a->pids.n + 1, sizeof *reported), over = false;
    int rc = 0;

    if (ps_watch_read(w, e))
        rc = -1;
    else if (w->n == 0 && a->pids.n)
        rc = err_set(e, ERR_FAILED, "no process %d that this user can see", (int)a->pids.ids[0]);
    else if (w->n == 0 && a->names)
        rc = err_set(e, ERR_FAILED, "no process is named %s%s", a->name[0],
                     a->names > 1 ? ", or as the others" : "");
    else
        report_missing(w, a, reported, true);
    mono_ns next = clock_mono();
    for (uint64_t i = 0; rc == 0 && !over && (a->count == 0 || i < a->count); i++) {
        next += a->interval;
        over = !clock_sleep_until(next, &stopped, 0);
        rc = ps_watch_read(w, e);
        if (rc)
            break;
        report_missing(w, a, reported, false);
        rc = print(w, i == 0);
        over |= a->pids.n && a->names == 0 && w->n == 0;
    }
    free(reported);
    return rc;
}

int main(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = stop};
    struct ps_watch w;
    struct ps_args a;
    struct err e = {0};

    setlocale(LC_ALL, "C");
    int rc = ps_args_read(&a, argc, argv, "/proc", &e);
    if (rc == 0 && a.stream) {
        rc = ps_serve() ? -1 : 0;
    } else if (rc == 0) {
        sigaction(SIGINT, &sa, NULL);
        sigaction(SIGTERM, &sa, NULL);
        signal(SIGPIPE, SIG_DFL);
        rc = ps_watch_open(&w, "/proc", &a, &e) || watch(&w, &a, &e) ? -1 : 0;
        ps_watch_close(&w);
    }
    if (rc < 0 && e.msg[0])
        fprintf(stderr, "pstime: %s\n", e.msg);
    ps_args_free(&a);
    return rc < 0 ? 1 : 0;
}
