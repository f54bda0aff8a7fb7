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

#define NO_COUNT 1

static const struct {
    const char *line;
    uint64_t count;
    pid_t pid[3];
    size_t names;
} lines[] = {
    {"10", NO_COUNT, {0}, 0},
    {"10 4711", NO_COUNT, {4711}, 0},
    {"10 4711 4712", NO_COUNT, {4711, 4712}, 0},
    {"10 301 4711", NO_COUNT, {301, 4711}, 0},
    {"10 4711,4712", NO_COUNT, {4711, 4712}, 0},
    {"10 1", NO_COUNT, {1}, 0},
    {"10 250", NO_COUNT, {250}, 0},
    {"10 4711 sh", NO_COUNT, {4711}, 1},
    {"10 7", 7, {0}, 0},
    {"10 0", 0, {0}, 0},
    {"10 5", 5, {0}, 0}, /* kernel threads */
    {"10 2", 2, {0}, 0},
    {"10 300", 300, {0}, 0},
    {"10 302", NO_COUNT, {302}, 0}, /* there is none */
    {"10 4714", NO_COUNT, {4714}, 0},
    {"10 7 4711", 7, {4711}, 0},
    {"10 250 4711", 250, {4711}, 0},
    {"10 1 4711 4712", 1, {4711, 4712}, 0},
    {"10 7 sh", 7, {0}, 1},
    {"10 4714 4711", NO_COUNT, {4714, 4711}, 0},
    {"-c 3 10 4711", 3, {4711}, 0},
    {"10 250 4711 -c 0", 0, {250, 4711}, 0},
    {"--count=7 10", 7, {0}, 0},
    {"-p 4711 10 4712", 4712, {4711}, 0},
    {"-p 4711 10 5 4712", 5, {4711, 4712}, 0},
    {"-p 4711 -c 5 10 4712", 5, {4711, 4712}, 0},
    {"10 sh 4711", NO_COUNT, {4711}, 1},
};

static int read_line(struct ps_args *a, const char *line, struct err *e)
{
    char copy[100], name[] = "pstime", *argv[16] = {name}, *save = NULL;
    int argc = 1;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    optind = 0; /* getopt begins anew */
    return ps_args_read(a, argc, argv, test_tree, e);
}

static void operands(void)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct ps_args a;
        struct err e = {0};
        size_t n = 0;
        while (n < 3 && lines[i].pid[n])
            n++;
        TEST_REPORT(read_line(&a, lines[i].line, &e) == 0, "%s: %s", lines[i].line, e.msg);
        TEST_REPORT(a.count == lines[i].count, "%s: count %llu", lines[i].line,
                    (unsigned long long)a.count);
        TEST_REPORT(a.names == lines[i].names, "%s: %zu names", lines[i].line, a.names);
        TEST_REPORT(a.pids.n == n, "%s: %zu processes", lines[i].line, a.pids.n);
        for (size_t k = 0; k < n && k < a.pids.n; k++)
            TEST_REPORT(a.pids.ids[k] == lines[i].pid[k], "%s: process %d", lines[i].line,
                        (int)a.pids.ids[k]);
        ps_args_free(&a);
    }
}

static void refused(void)
{
    static const struct {
        const char *line, *why;
    } t[] = {
        {"-c x 10", "--count: \"x\" is not a whole number"},
        {"-c -1 10",
         "--count: \"-1\" is out of range: between 0 and 9223372036854775807 is allowed"},
        {"10 99999999999", "\"99999999999\" is not a process id (a number from 1 to 4194304)"},
        {"-p 1 10 9223372036854775808",
         "COUNT: \"9223372036854775808\" is out of range: between 0 and 9223372036854775807 is "
         "allowed"},
        {"-p 0 10", "\"0\" is not a process id (a number from 1 to 4194304)"},
        {"--stream 10", "--stream takes no operands: requests come from standard input"},
        {"-c 1 10 0", "\"0\" is not a process id (a number from 1 to 4194304)"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct ps_args a;
        struct err e = {0};
        CHECK_INT(read_line(&a, t[i].line, &e), -1);
        CHECK_STR(e.msg, t[i].why);
        ps_args_free(&a);
    }
}

static void options(void)
{
    struct ps_args a;
    struct err e = {0};

    CHECK_INT(read_line(&a, "2.5", &e), 0); /* the defaults */
    CHECK_INT(a.interval, 2500 * NS_PER_MS);
    CHECK(!a.counted && !a.stream && a.pids.n == 0 && a.names == 0);
    ps_args_free(&a);

    CHECK_INT(read_line(&a, "5m", &e), 0);
    CHECK_INT(a.interval, 300 * NS_PER_SEC);
    ps_args_free(&a);

    CHECK_INT(read_line(&a, "--stream", &e), 0);
    CHECK(a.stream);
    ps_args_free(&a);
    CHECK_STR(e.msg, "");
}

/* The notes where a number could be both. */
static void notes(void)
{
    static const struct {
        const char *line, *note;
    } t[] = {
        {"1 4711", ""},
        {"1 7", ""},
        {"1 7 4711", ""},
        {"1 5 4711", ""},
        {"1 250 sh", ""},
        {"1 4714", ""},
        {"1 250", "pstime: 250 is taken as process 250; for a count say -c 250\n"},
        {"1 301", "pstime: 301 is taken as process 301; for a count say -c 301\n"},
        {"1 3600 302", ""}, /* $(pgrep mysqld) */
        {"1 250 4711", "pstime: 250 is taken as COUNT; to watch process 250 too, give the count "
                       "with -c\n"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct ps_args a;
        struct err e = {0};
        capture_errors();
        CHECK_INT(read_line(&a, t[i].line, &e), 0);
        ps_args_free(&a);
        CHECK_STR(captured(), t[i].note);
    }
}

/* --- lines ------------------------------------------------------------------------------- */

static void lines_printed(void)
{
    static const struct {
        double pct;
        const char *text;
    } figures[] = {{0, "0.000"},      {3.391, "3.391"},  {44.17, "44.17"},  {2.5174, "2.517"},
                   {9.9994, "9.999"}, {9.9996, "10.00"}, {99.994, "99.99"}, {99.996, "100.0"},
                   {412.53, "412.5"}, {999.96, "1000"},  {1600, "1600"},    {0.00049, "0.000"}};
    char *command = (char[]){"mysqld"};
    struct ps_row r = {.member.pid = 7141, .wall_ns = 100 * NS_PER_SEC, .command = {command, 6, 7}};
    struct str out = STR_INIT;
    char want[100];

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        r.user_ns = (int64_t)(figures[i].pct * 1e9 + 0.5);
        str_reset(&out);
        ps_row_print(&out, &r, 1);
        snprintf(want, sizeof want, "root        7141 %6s  0.000 mysqld\n", figures[i].text);
        CHECK_STR(str_cstr(&out), want);
    }
    str_reset(&out);
    command = (char[]){"/u/dist/mysql60-debug/bin/mysqld --defaults-file=/etc/my.cnf --more"};
    r = (struct ps_row){.member.pid = 7141,
                        .wall_ns = NS_PER_SEC,
                        .user_ns = 883 * NS_PER_MS,
                        .sys_ns = 68 * NS_PER_MS,
                        .command = {command, strlen(command), strlen(command) + 1}};
    str_adds(&out, PS_HEADER);
    ps_row_print(&out, &r, 2);
    command = (char[]){"[idle]"};
    r = (struct ps_row){.member.pid = 12, .uid = 4294967294u, .command = {command, 6, 7}};
    ps_row_print(&out, &r, 2);
    CHECK_STR(str_cstr(&out),
              "UID          PID   %USR   %SYS COMMAND\n"
              "root        7141  44.15  3.400 /u/dist/mysql60-debug/bin/mysqld --defaults-file\n"
              "4294967294      12  0.000  0.000 [idle]\n");
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

    if (!test_data("proc-mariadb", path)) {
        CHECK(!"test data");
        return;
    }
    CHECK_INT(ps_watch_open(&t, path, &all, &e), 0);
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
    operands();
    refused();
    options();
    notes();
    lines_printed();
    TIMED(check_processes);
    check_captured();
    return timed_done("pstime");
}
