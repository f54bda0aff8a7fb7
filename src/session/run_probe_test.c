/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options of the group SERVER to a probe, and to the other side of --server-via, which a
 * shell script simulates.
 */
#include "session/attach.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_capture.h"
#include "base/test_golden.h"
#include "base/test_tree.h"

/* The strings of `read` are the table's. */
struct options {
    struct opts *table;
    struct server_options read;
};

static struct options options(const char *const *arg)
{
    struct options o = {.table = opts_new()};
    struct err e = {0};

    server_options_declare(o.table);
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o.table, *arg, &e), 0);
    server_options_read(&o.read, o.table);
    return o;
}

#define OPTIONS(...) options((const char *const[]){__VA_ARGS__, NULL})

/* What options between blanks lead to. */
static void wants(const char *line)
{
    const char *arg[4] = {NULL};
    char copy[100], *rest = copy;
    struct probe *p = NULL;
    struct err e = {0};

    snprintf(copy, sizeof copy, "%s", line);
    for (size_t n = 0; n < 3 && (arg[n] = strtok_r(rest, " ", &rest)) != NULL;)
        n++;
    struct options o = options(arg);
    CHECK(run_probe_check_events(&o.read, &(struct err){0}) == 0 || !o.read.events);
    int rc = run_probe_new(&p, &o.read, NULL, NULL, 0, &e);
    CHECK_INT(rc, *e.msg ? -1 : 0);
    golden_line("%s:%s%s%s %s", line, o.read.events ? " events" : "",
                o.read.status ? " status" : "", p ? " probe" : "", e.msg);
    probe_free(p);
    opts_free(o.table);
}

static void test_status(void)
{
    static const struct status_name name[] = {{"Queries", false}};
    static const struct status_source source = {.name = name, .n = 1};
    struct options o = OPTIONS("--server-status");
    struct probe *p = NULL;
    struct err e = {0};

    CHECK_INT(run_probe_new(&p, &o.read, &source, NULL, 0, &e), 0);
    CHECK(p != NULL);
    probe_free(p);
    opts_free(o.table);
}

static void test_unknown_event(void)
{
    struct options o = OPTIONS("--server-events=context-switches,nosuchevent");
    struct probe *p = NULL;
    struct err e = {0}, again = {0};

    CHECK_INT(run_probe_check_events(&o.read, &e), -1);
    CHECK(strncmp(e.msg, "Invalid value for --server-events: ", 35) == 0);
    CHECK(strstr(e.msg, "nosuchevent") != NULL);
    CHECK_INT(run_probe_new(&p, &o.read, NULL, NULL, 0, &again), -1);
    CHECK_STR(again.msg, e.msg);
    CHECK(p == NULL);
    opts_free(o.table);
}

/* --- --server-via --- */

static const char *peer(const char *script)
{
    static char option[120];

    tree_put("peer", "%s", script);
    snprintf(option, sizeof option, "--server-via=sh %s/peer", test_tree);
    return option;
}

#define HELLO "echo 'pstime-stream 1 cpus=64 host=db1 governor=powersave mono=5 wall=6'\n"

static void test_not_via(void)
{
    struct remote *v = (struct remote *)&test_tree;
    struct options o = OPTIONS(NULL), off = OPTIONS("--server-via=false", "--server=off");
    struct err e = {0};

    CHECK_INT(run_remote_open(&v, &o.read, &e), 0);
    CHECK(v == NULL);
    v = (struct remote *)&test_tree;
    CHECK_INT(run_remote_open(&v, &off.read, &e), 0); /* the command is not even started */
    CHECK(v == NULL);
    opts_free(o.table);
    opts_free(off.table);
}

/* The server by number and by name; the file "asked" has the questions. */
static void test_via_target(void)
{
    char *script = mem_printf(HELLO "read q; echo \"$q\" >%s/asked; echo 'server 77 db (pid 9)'\n"
                                    "cat >/dev/null\n",
                              test_tree),
         *path = mem_printf("%s/asked", test_tree), asked[100] = "";
    struct options o = OPTIONS(peer(script), "--host-stats");
    struct remote *v = NULL;
    struct probe *p = NULL;
    struct err e = {0};
    FILE *f;

    CHECK_INT(run_remote_open(&v, &o.read, &e), 0);
    CHECK_INT(run_probe_new(&p, &o.read, NULL, v, 0, &e), 0);
    CHECK(p != NULL);
    capture();
    run_remote_target(v, "12,13,mysqld", NULL);
    CHECK_STR(captured(), "");
    f = fopen(path, "r");
    CHECK(f && fgets(asked, sizeof asked, f));
    CHECK(strstr(asked, "12 13 mysqld") != NULL);
    if (f)
        fclose(f);
    probe_free(p);
    remote_close(v);
    opts_free(o.table);
    free(script);
    free(path);
}

static void test_via_refused(void)
{
    struct options o =
        OPTIONS(peer(HELLO "read q; echo 'error no such process'; cat >/dev/null\n"));
    struct remote *v = NULL;
    struct discover *d = discover_new("/proc"); /* which has seen no connection */
    struct err e = {0};
    const char *said;

    CHECK_INT(run_remote_open(&v, &o.read, &e), 0);
    capture();
    run_remote_target(v, "mysqld", NULL);
    said = captured();
    CHECK(strncmp(said, "Server: n/a (", 13) == 0 && strstr(said, "), retrying\n"));
    capture();
    run_remote_target(v, "auto", d);
    CHECK_STR(captured(), "Server: n/a (--server-via finds it by the address of a TCP connection, "
                          "and there is none; name it with --server=PID or --server=NAME)\n\n");
    discover_free(d);
    remote_close(v);
    opts_free(o.table);
}

/* The other host must know the events. */
static void test_via_events(void)
{
    struct options good = OPTIONS(peer(HELLO "read q; echo 'event 0 2 0 1 their:event x'; echo ok\n"
                                             "cat >/dev/null\n"),
                                  "--server-events=their:event");
    struct options bad;
    struct remote *v = NULL;
    struct probe *p = NULL;
    struct err e = {0};

    CHECK_INT(run_remote_open(&v, &good.read, &e), 0);
    CHECK_INT(run_probe_new(&p, &good.read, NULL, v, 0, &e), 0);
    CHECK(p != NULL);
    probe_free(p);
    remote_close(v);
    opts_free(good.table);
    bad = OPTIONS(peer(HELLO "read q; echo \"error unknown event 'x'\"; cat >/dev/null\n"),
                  "--server-events=x");
    CHECK_INT(run_remote_open(&v, &bad.read, &e), -1);
    CHECK(v == NULL);
    CHECK_STR(e.msg, "Invalid value for --server-events: unknown event 'x'");
    opts_free(bad.table);
}

TEST_MAIN(run_probe_test)
{
    tree_begin();
    golden_each("|--server=auto --report-environment|--server-status|--host-stats|"
                "--server-events=context-switches|--server-events=off|--server-syscalls=off|"
                "--server-syscalls|--server-syscalls=on|--server-syscalls=1|--server-syscalls=100|"
                "--server-syscalls=0|--server-syscalls=101|--server-syscalls=-1|"
                "--server-syscalls=ten|--server-syscalls=10x|"
                "--events-of=system --server-events=page-faults|--events-of=system",
                wants);
    test_status();
    test_unknown_event();
    test_not_via();
    test_via_target();
    test_via_refused();
    test_via_events();
    golden_done("run_probe_test");
    return test_done("run_probe_test");
}
