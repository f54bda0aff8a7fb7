/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime: accurate CPU use of processes over an interval, after the Solaris tool of that name.  See
 * docs/pstime.1.  It samples twice and prints the difference, as often as requested, on a schedule
 * that does not drift; a signal ends the last interval early, and its figures are printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "ps/args.h"
#include "ps/render.h"
#include "ps/serve.h"
#include "ps/table.h"

/* The only state that the signal handler uses. */
static _Atomic uint32_t stopped;

static void stop(int sig)
{
    (void)sig;
    atomic_store(&stopped, 1);
    clock_wake(&stopped);
}

static void catch_signals(void)
{
    struct sigaction sa = {.sa_handler = stop};

    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    signal(SIGPIPE, SIG_DFL);
}

static int write_all(const struct str *s)
{
    const char *p = str_cstr(s);
    size_t left = s->len;

    while (left > 0) {
        ssize_t n = write(STDOUT_FILENO, p, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            fprintf(stderr, "pstime: cannot write: %s\n", strerror(errno));
            return -1;
        }
        p += n;
        left -= (size_t)n;
    }
    return 0;
}

/* Reports once each process that was given by number and is not there, at the beginning or later.
 */
static void report_missing(const struct ps_table *t, struct pid_list *reported, bool first)
{
    enum { MOST = 64 };
    pid_t pid[MOST];
    size_t n = ps_table_missing(t, pid, MOST);

    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < reported->n; k++)
            known |= reported->ids[k] == pid[i];
        if (known)
            continue;
        fprintf(stderr, "pstime: %s%d%s\n", first ? "no process " : "process ", (int)pid[i],
                first ? " that this user can see" : " has ended");
        pid_list_add(reported, pid[i]);
    }
}

static int print(struct ps_table *t, const struct ps_args *a, bool first)
{
    struct str out = STR_INIT;
    size_t n;
    struct ps_row *rows = ps_table_rows(t, &n);
    int rc;

    n = ps_arrange(rows, n, &a->style);
    ps_render(&out, rows, n, &a->style, clock_wall(), first);
    rc = write_all(&out);
    str_free(&out);
    return rc;
}

/* A list from pgrep may name some that have ended since. */
static int first_sample(struct ps_table *t, const struct ps_args *a, struct pid_list *reported,
                        struct err *e)
{
    pid_t missing;

    if (ps_table_sample(t, e))
        return -1;
    if (ps_table_present(t) > 0)
        report_missing(t, reported, true);
    else if (ps_table_missing(t, &missing, 1) > 0)
        return err_set(e, ERR_FAILED, "no process %d that this user can see", (int)missing);
    else if (a->select.names)
        return err_set(e, ERR_FAILED, "no process is named %s%s", a->select.name[0],
                       a->select.names > 1 ? ", or as the others" : "");
    return 0;
}

/* 0, or -1 with *e, which has no text when the failure was reported already. */
static int watch(struct ps_table *t, const struct ps_args *a, struct err *e)
{
    struct pid_list reported = {0};
    mono_ns next;
    int rc = first_sample(t, a, &reported, e);

    next = clock_mono();
    for (uint64_t i = 0; rc == 0 && (a->count == 0 || i < a->count); i++) {
        bool over;
        next += a->interval;
        over = !clock_sleep_until(next, &stopped, 0);
        rc = ps_table_sample(t, e);
        if (rc)
            break;
        report_missing(t, &reported, false);
        rc = print(t, a, i == 0);
        if (over || (a->select.pids.n && ps_table_present(t) == 0 && a->select.names == 0))
            break;
    }
    pid_list_free(&reported);
    return rc;
}

static int run(struct ps_args *a, struct err *e)
{
    struct ps_table *t;
    int rc;

    if (ps_table_open(&t, "/proc", &a->select, e))
        return -1;
    rc = watch(t, a, e);
    ps_table_close(t);
    return rc;
}

int main(int argc, char **argv)
{
    struct ps_args a;
    struct err e = {0};
    int rc;

    setlocale(LC_ALL, "C");
    rc = ps_args_read(&a, argc, argv, "/proc", &e);
    if (rc == 0 && a.stream) {
        rc = ps_serve() ? -1 : 0;
    } else if (rc == 0) {
        catch_signals();
        rc = run(&a, &e);
    }
    if (rc < 0 && e.msg[0])
        fprintf(stderr, "pstime: %s\n", e.msg);
    ps_args_free(&a);
    return rc < 0 ? 1 : 0;
}
