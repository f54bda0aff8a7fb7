/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime: its operands (which number is a count and which a process, on a made-up /proc, and the
 * messages about it); lines; readings of living processes whose CPU time is known, with others that
 * come and go in between, and of a captured tree.
 */
#include "ps/pstime.h"

#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test_capture.h"
#include "base/test_golden.h"
#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/spin_test.h"

#define KERNEL 2129984
#define USER   4194560

static void add(int pid, int tgid, const char *name, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "%d/stat", pid);
    tree_put(path,
             "%d (%s) S 1 1 1 0 -1 %d 1 0 0 0 5 6 0 0 20 0 1 0 1234 0 42 18446744073709551615 1\n",
             pid, name, flags);
    snprintf(path, sizeof path, "%d/status", pid);
    tree_put(path,
             "Name:\t%s\nTgid:\t%d\nThreads:\t1\nvoluntary_ctxt_switches:\t1\n"
             "nonvoluntary_ctxt_switches:\t2\n",
             name, tgid);
}

static void make_tree(void)
{
    tree_begin();
    add(1, 1, "init", USER);
    add(2, 2, "kthreadd", KERNEL);
    add(5, 5, "kworker/0:0", KERNEL);
    add(250, 250, "dockerd", USER);
    add(301, 301, "sshd", USER);
    add(4700, 4700, "kworker/1:1", KERNEL);
    add(4711, 4711, "mysqld", USER);
    add(4712, 4712, "mysqld", USER);
    add(4713, 4711, "a thread", USER);
}

/* What a command line asks for, the notes where a number could be both, or why it is refused. */
static void show_line(const char *line)
{
    char copy[100], name[] = "pstime", *argv[16] = {name}, *save = NULL;
    struct str pids = STR_INIT;
    struct ps_args a;
    struct err e = {0};
    int argc = 1;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    optind = 0; /* getopt begins anew */
    capture_errors();
    int rc = ps_args_read(&a, argc, argv, test_tree, &e);
    const char *note = captured();
    for (size_t i = 0; i < a.pids.n; i++)
        str_printf(&pids, " %d", (int)a.pids.ids[i]);
    golden_line("%s: %d", line, rc);
    if (rc)
        golden_line("  %s", e.msg);
    else
        golden_line("  every %g ms, count %llu%s%s, processes%s, %zu names", dur_ms(a.interval),
                    (ull)a.count, a.counted ? " counted" : "", a.stream ? ", stream" : "",
                    str_cstr(&pids), a.names);
    if (*note)
        golden_line("  %.*s", (int)strcspn(note, "\n"), note);
    str_free(&pids);
    ps_args_free(&a);
}

/* --- lines ------------------------------------------------------------------------------- */

static void show_figure(const char *pct)
{
    char *command = (char[]){"mysqld"};
    struct ps_row r = {.member.pid = 7141,
                       .wall_ns = 100 * NS_PER_SEC,
                       .user_ns = (int64_t)(atof(pct) * 1e9 + 0.5),
                       .command = {command, 6, 7}};
    struct str out = STR_INIT;

    ps_row_print(&out, &r, 1);
    golden_line("%s: %s", pct, str_cstr(&out));
    str_free(&out);
}

static void show_rows(void)
{
    char *command = (char[]){"/u/dist/mysql60-debug/bin/mysqld --defaults-file=/etc/my.cnf --more"},
         *idle = (char[]){"[idle]"};
    struct ps_row busy = {.member.pid = 7141,
                          .wall_ns = NS_PER_SEC,
                          .user_ns = 883 * NS_PER_MS,
                          .sys_ns = 68 * NS_PER_MS,
                          .command = {command, strlen(command), strlen(command) + 1}};
    struct ps_row other = {.member.pid = 12, .uid = 4294967294u, .command = {idle, 6, 7}};
    struct str out = STR_INIT;

    str_adds(&out, PS_HEADER);
    ps_row_print(&out, &busy, 2);
    ps_row_print(&out, &other, 2);
    golden(&out, "rows");
    str_free(&out);
}

/* --- processes --------------------------------------------------------------------------- */

static void sample(struct ps_watch *t)
{
    struct err e = {0};

    CHECK_INT(ps_watch_read(t, &e), 0);
}

/* The row of a process that was there twice; NULL: none. */
static const struct ps_row *row_of(const struct ps_watch *w, pid_t pid)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->row[i]->twice && w->row[i]->member.pid == pid)
            return w->row[i];
    return NULL;
}

static size_t rows(const struct ps_watch *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        n += w->row[i]->twice;
    return n;
}

/* One that works; one that ends and one that begins meanwhile.  How exact a reading is, is shown by
 * telemetry/server_test.c. */
static void check_processes(void)
{
    static const char *const args[][4] = {{"spin", "--cpu=0.5", "--sys-share=40", NULL},
                                          {"spin", "--cpu=0.01", NULL}};
    struct ps_args all = {0};
    struct spin spin[3] = {{0}};
    const struct ps_row *r;
    struct err e = {0};
    struct ps_watch t;

    CHECK(spin_start(&spin[0], args[0]) && spin_start(&spin[1], args[1]));
    CHECK_INT(ps_watch_open(&t, "/proc", &all, &e), 0);
    sample(&t);
    CHECK_INT(rows(&t), 0); /* nothing was present twice */
    CHECK(spin_go(&spin[0]) && spin_go(&spin[1]) && spin_done(&spin[0]) && spin_done(&spin[1]));
    spin_stop(&spin[1]);
    CHECK(spin_start(&spin[2], args[1]));
    sample(&t);
    CHECK(rows(&t) >= 2 && row_of(&t, getpid()));
    CHECK(!row_of(&t, spin[1].pid) && !row_of(&t, spin[2].pid));
    r = row_of(&t, spin[0].pid);
    CHECK(r && r->wall_ns > 0 && strncmp(str_cstr(&r->command), "spin", 4) == 0);
    if (r) {
        CHECK_INT(r->uid, getuid());
        CHECK_TIMED_NEAR((double)(r->user_ns + r->sys_ns) / 1e6, 500, 10);
        CHECK_TIMED_NEAR((double)r->sys_ns / 1e6, 200, 60);
    }
    sample(&t);
    CHECK(row_of(&t, spin[2].pid) != NULL);
    r = row_of(&t, spin[0].pid);
    CHECK_TIMED(r && r->user_ns + r->sys_ns < 3 * NS_PER_MS); /* it has done nothing since */
    ps_watch_close(&t);
    spin_stop(&spin[2]); /* the later ones hold the earlier ones' pipes */
    spin_stop(&spin[0]);
}

static void check_captured(void)
{
    struct ps_args all = {0};
    struct err e = {0};
    char path[PATH_MAX];
    struct ps_watch t;

    CHECK_INT(ps_watch_open(&t, test_data("proc-mariadb", path), &all, &e), 0);
    sample(&t);
    sample(&t);
    CHECK_INT(rows(&t), 1);
    CHECK(t.row[0]->twice);
    CHECK_INT(t.row[0]->member.pid, 10344);
    CHECK_STR(str_cstr(&t.row[0]->command), "[mariadbd]"); /* no cmdline was captured */
    CHECK_INT(t.row[0]->user_ns + t.row[0]->sys_ns, 0);
    ps_watch_close(&t);
    CHECK_INT(ps_watch_open(&t, "/nowhere", &all, &e), -1);
}

TEST_MAIN(pstime_test)
{
    make_tree();
    golden_line("=== command lines");
    golden_each("10|10 4711|10 4711 4712|10 301 4711|10 4711,4712|10 1|10 250|10 4711 sh|10 7|10 0|"
                "10 5|10 2|10 300|10 302|10 4714|10 7 4711|10 5 4711|10 250 4711|10 1 4711 4712|"
                "10 7 sh|10 250 sh|10 4714 4711|10 301|10 3600 302|-c 3 10 4711|10 250 4711 -c 0|"
                "--count=7 10|-p 4711 10 4712|-p 4711 10 5 4712|-p 4711 -c 5 10 4712|10 sh 4711|"
                "2.5|5m|--stream|-c x 10|-c -1 10|10 99999999999|-p 1 10 9223372036854775808|"
                "-p 0 10|--stream 10|-c 1 10 0||abc|1 -c 1 12x|0 1|-1",
                show_line);
    golden_line("=== figures");
    golden_each("0|3.391|44.17|2.5174|9.9994|9.9996|99.994|99.996|412.53|999.96|1600|0.00049",
                show_figure);
    show_rows();
    golden_done("pstime_test");
    TIMED(check_processes);
    check_captured();
    return timed_done("pstime");
}
