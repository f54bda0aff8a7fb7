/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples of living processes whose CPU time is known, whole and by thread, with others that come
 * and go in between; and of a captured tree.
 */
#include "ps/table.h"

#include <poll.h>

#include "base/test_timed.h"
#include "telemetry/sample.h"
#include "telemetry/spin_test.h"

static void sample(struct ps_table *t)
{
    struct err e = {0};

    CHECK_INT(ps_table_sample(t, &e), 0);
}

static const struct ps_row *row_of(const struct ps_row *rows, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].pid == pid && rows[i].tid == 0)
            return &rows[i];
    return NULL;
}

static double percent(double v, double least)
{
    return v / 100 > least ? v / 100 : least;
}

/* The division into user and system time is good to a tick (cpu_split.h), us. */
#define TICK_US 10000

static void check_spin(const struct ps_row *r, const struct spin *p)
{
    double user = (double)(p->end.user_us - p->begin.user_us),
           sys = (double)(p->end.sys_us - p->begin.sys_us);

    CHECK(r != NULL);
    if (!r)
        return;
    CHECK_TIMED_NEAR((double)(r->user_ns + r->sys_ns) / 1e3, user + sys, percent(user + sys, 1000));
    CHECK_TIMED_NEAR((double)r->user_ns / 1e3, user, percent(user, TICK_US + 500));
    CHECK_TIMED_NEAR((double)r->sys_ns / 1e3, sys, percent(sys, TICK_US + 500));
    CHECK(r->wall_ns > 0 && strstr(r->command, "spin") == r->command);
    CHECK_STR(r->name, "spin");
    CHECK_INT(r->uid, getuid());
}

/* Two that work, one of them in threads that come and go; one that ends and one that begins
 * meanwhile. */
static void check_processes(void)
{
    static const char *const args[][7] = {
        {"spin", "--cpu=0.5", "--sys-share=40", NULL},
        {"spin", "--cpu=0.4", "--threads=3", "--lives=5", "--sys-share=30", NULL},
        {"spin", "--cpu=0.01", NULL},
        {"spin", "--cpu=0.01", NULL}};
    struct ps_select all = {0};
    struct spin spin[4] = {{0}};
    struct err e = {0};
    struct ps_table *t;
    struct ps_row *rows;
    size_t n;

    for (int i = 0; i < 3; i++)
        CHECK(spin_start(&spin[i], args[i]));
    CHECK_INT(ps_table_open(&t, "/proc", &all, &e), 0);
    sample(t);
    ps_table_rows(t, &n);
    CHECK_INT(n, 0); /* nothing was present twice */
    CHECK(spin_go(&spin[0]) && spin_go(&spin[1]) && spin_go(&spin[2]));
    for (int i = 0; i < 3; i++)
        CHECK(spin_done(&spin[i]));
    spin_stop(&spin[2]);
    CHECK(spin_start(&spin[3], args[3]));
    sample(t);
    rows = ps_table_rows(t, &n);
    CHECK(n >= 3); /* the two, and we */
    CHECK(row_of(rows, n, getpid()) != NULL);
    CHECK(row_of(rows, n, spin[2].pid) == NULL);
    CHECK(row_of(rows, n, spin[3].pid) == NULL);
    check_spin(row_of(rows, n, spin[0].pid), &spin[0]);
    check_spin(row_of(rows, n, spin[1].pid), &spin[1]);
    sample(t);
    rows = ps_table_rows(t, &n);
    CHECK(row_of(rows, n, spin[3].pid) != NULL);
    if (row_of(rows, n, spin[0].pid)) /* it has done nothing since */
        CHECK_TIMED(row_of(rows, n, spin[0].pid)->user_ns + row_of(rows, n, spin[0].pid)->sys_ns <
                    3 * NS_PER_MS);
    ps_table_close(t);
    spin_stop(&spin[3]); /* the later ones hold the earlier ones' pipes */
    spin_stop(&spin[1]);
    spin_stop(&spin[0]);
}

static void check_selection(void)
{
    static const char *const args[] = {"spin", "--cpu=0.01", NULL};
    char *name[] = {(char[]){"spin"}};
    struct ps_select by_name = {.name = name, .names = 1}, by_pid = {0}, none = {0};
    struct spin spin = {0};
    struct err e = {0};
    struct ps_table *t;
    struct ps_row *rows;
    pid_t gone[4];
    size_t n;

    CHECK(spin_start(&spin, args));
    CHECK_INT(ps_table_open(&t, "/proc", &by_name, &e), 0);
    sample(t);
    sample(t);
    rows = ps_table_rows(t, &n);
    CHECK(n >= 1 && row_of(rows, n, spin.pid) && !row_of(rows, n, getpid()));
    ps_table_close(t);
    pid_list_add(&by_pid.pids, spin.pid);
    pid_list_add(&by_pid.pids, getpid());
    CHECK_INT(ps_table_open(&t, "/proc", &by_pid, &e), 0);
    sample(t);
    CHECK_INT(ps_table_present(t), 2);
    CHECK_INT(ps_table_missing(t, gone, 4), 0);
    spin_stop(&spin);
    sample(t);
    CHECK_INT(ps_table_missing(t, gone, 4), 1);
    CHECK_INT(gone[0], spin.pid);
    ps_table_rows(t, &n);
    CHECK_INT(n, 1);
    ps_table_close(t);
    pid_list_free(&by_pid.pids);
    CHECK_INT(ps_table_open(&t, "/nowhere", &none, &e), -1);
}

/* Threads that stay for the whole of the work. */
static void check_threads(void)
{
    static const char *const args[] = {"spin", "--cpu=0.6", "--threads=2", NULL};
    struct ps_select threads = {.threads = true};
    struct spin spin = {0};
    struct err e = {0};
    struct ps_table *t;
    struct ps_row *rows;
    int64_t sum = 0;
    size_t n, seen = 0;

    CHECK(spin_start(&spin, args));
    pid_list_add(&threads.pids, spin.pid);
    CHECK(spin_go(&spin));
    usleep(50000); /* the slots and their lives have begun */
    CHECK_INT(ps_table_open(&t, "/proc", &threads, &e), 0);
    sample(t);
    usleep(120000);
    sample(t);
    rows = ps_table_rows(t, &n);
    for (size_t i = 0; i < n; i++) {
        CHECK_INT(rows[i].pid, spin.pid);
        CHECK(rows[i].tid > 0);
        seen += rows[i].user_ns + rows[i].sys_ns > 5 * NS_PER_MS;
        sum += rows[i].user_ns + rows[i].sys_ns;
    }
    CHECK_TIMED(n >= 3 && seen >= 1 && seen <= 2);
    CHECK_TIMED(sum > 20 * NS_PER_MS && sum < 700 * NS_PER_MS);
    ps_table_close(t);
    CHECK(spin_done(&spin));
    spin_stop(&spin);
    pid_list_free(&threads.pids);
}

static void check_captured(void)
{
    struct ps_select all = {0};
    struct err e = {0};
    char path[PATH_MAX];
    struct ps_table *t;
    struct ps_row *rows;
    size_t n;

    if (!test_data("proc-mariadb", path)) {
        CHECK(!"test data");
        return;
    }
    CHECK_INT(ps_table_open(&t, path, &all, &e), 0);
    sample(t);
    sample(t);
    rows = ps_table_rows(t, &n);
    CHECK_INT(n, 1);
    CHECK_INT(rows[0].pid, 10344);
    CHECK_STR(rows[0].command, "[mariadbd]"); /* no cmdline was captured */
    CHECK_INT(rows[0].user_ns + rows[0].sys_ns, 0);
    CHECK(rows[0].have & SAMPLE_THREADS);
    ps_table_close(t);
}

int main(void)
{
    TIMED(check_processes);
    check_selection();
    TIMED(check_threads);
    check_captured();
    return timed_done("table");
}
