/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime's operands: which number is a count and which a process, on a made-up /proc, and the
 * messages about it.
 */
#include "ps/args.h"

#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test_capture.h"
#include "base/test_tree.h"

static char made[] = "/tmp/args_testXXXXXX";

#define KERNEL 2129984
#define USER   4194560

static void add(int pid, int tgid, const char *name, int flags)
{
    char path[64], text[256];

    snprintf(path, sizeof path, "%d/stat", pid);
    snprintf(text, sizeof text,
             "%d (%s) S 1 1 1 0 -1 %d 1 0 0 0 5 6 0 0 20 0 1 0 1234 0 42 18446744073709551615 1\n",
             pid, name, flags);
    test_tree_put(made, path, text);
    snprintf(path, sizeof path, "%d/status", pid);
    snprintf(text, sizeof text,
             "Name:\t%s\nTgid:\t%d\nThreads:\t1\nvoluntary_ctxt_switches:\t1\n"
             "nonvoluntary_ctxt_switches:\t2\n",
             name, tgid);
    test_tree_put(made, path, text);
}

static void make_tree(void)
{
    CHECK(mkdtemp(made));
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

static void remove_tree(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -r %s", made);
    CHECK_INT(system(command), 0);
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
    return ps_args_read(a, argc, argv, made, e);
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
        TEST_REPORT(a.select.names == lines[i].names, "%s: %zu names", lines[i].line,
                    a.select.names);
        TEST_REPORT(a.select.pids.n == n, "%s: %zu processes", lines[i].line, a.select.pids.n);
        for (size_t k = 0; k < n && k < a.select.pids.n; k++)
            TEST_REPORT(a.select.pids.ids[k] == lines[i].pid[k], "%s: process %d", lines[i].line,
                        (int)a.select.pids.ids[k]);
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
        {"", "how many seconds? (pstime --help)"},
        {"x", "SECONDS: @"},
        {"0.0001", "SECONDS: '0.0001' is less than a millisecond"},
        {"-s size 10", "--sort takes pid, cpu, usr, sys, name, not 'size'"},
        {"-o xml 10", "--output takes text, csv, json, not 'xml'"},
        {"-n 0 10", "--top: @"},
        {"-p 0 10", "\"0\" is not a process id (a number from 1 to 4194304)"},
        {"--stream 10", "--stream takes no operands: requests come from standard input"},
        {"-c 1 10 0", "\"0\" is not a process id (a number from 1 to 4194304)"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct ps_args a;
        struct err e = {0};
        CHECK_INT(read_line(&a, t[i].line, &e), -1);
        if (strchr(t[i].why, '@')) /* base/units.h adds the rest */
            CHECK_INT(strncmp(e.msg, t[i].why, strcspn(t[i].why, "@")), 0);
        else
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
    CHECK(!a.counted && !a.stream && !a.select.threads && !a.style.threads && !a.style.busy);
    CHECK(a.style.sort == PS_BY_PID && a.style.format == PS_TEXT && a.style.top == 0);
    CHECK(a.style.command > 0 && a.style.ncpu > 0);
    ps_args_free(&a);

    CHECK_INT(read_line(&a, "-T -t -s cpu -n 5 -b -w -o json 5m", &e), 0);
    CHECK_INT(a.interval, 300 * NS_PER_SEC);
    CHECK(a.select.threads && a.style.threads && a.style.busy && a.style.command == 0);
    CHECK(a.style.unit == PS_SECONDS && a.style.top == 5 && a.style.format == PS_JSON);
    CHECK_INT(a.style.sort, PS_BY_CPU);
    ps_args_free(&a);

    CHECK_INT(read_line(&a, "--one-cpu --sort=name --output=csv 1", &e), 0);
    CHECK(a.style.unit == PS_OF_ONE_CPU && a.style.format == PS_CSV);
    CHECK_INT(a.style.sort, PS_BY_NAME);
    ps_args_free(&a);

    CHECK_INT(read_line(&a, "--stream", &e), 0);
    CHECK(a.stream);
    ps_args_free(&a);
    CHECK_STR(e.msg, "");
}

/* The text that is printed instead of a run. */
static void about(void)
{
    struct ps_args a;
    struct err e = {0};
    int rc[2];

    capture();
    rc[0] = read_line(&a, "--help", &e);
    ps_args_free(&a);
    rc[1] = read_line(&a, "-V", &e);
    ps_args_free(&a);
    CHECK(strstr(captured(), "Usage: pstime [OPTION]... SECONDS") != NULL);
    CHECK_INT(rc[0], 1);
    CHECK_INT(rc[1], 1);
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
        {"1 3600 302", "pstime: 3600 is taken as process 3600; for a count say -c 3600\n"},
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

int main(void)
{
    make_tree();
    operands();
    refused();
    options();
    about();
    notes();
    remove_tree();
    return test_done("args_test");
}
