/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures, order and formats of pstime's rows.
 */
#include "ps/render.h"

#include <math.h>

#include "base/test.h"
#include "telemetry/sample.h"

static void check_figures(void)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0.000"},      {3.391, "3.391"},  {44.17, "44.17"},  {2.5174, "2.517"},
                 {9.9994, "9.999"}, {9.9996, "10.00"}, {99.994, "99.99"}, {99.996, "100.0"},
                 {412.53, "412.5"}, {999.96, "1000"},  {1600, "1600"},    {0.00049, "0.000"},
                 {NAN, "n/a"}};
    char buf[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(ps_figure(buf, cases[i].v), cases[i].text);
}

static struct ps_row rows[4];

static void reset(void)
{
    static const struct {
        pid_t pid;
        int user_ms, sys_ms;
        const char *name, *command;
    } r[] = {{7141, 883, 68, "mysqld",
              "/u/dist/mysql60-debug/bin/mysqld --defaults-file=/etc/my.cnf --more"},
             {12, 0, 0, "idle", "[idle]"},
             {300, 100, 500, "b", "b \"quoted\" \\ \xc3\xbc \xff"},
             {8, 300, 200, "a", "a"}};

    for (size_t i = 0; i < 4; i++) {
        rows[i] = (struct ps_row){.pid = r[i].pid,
                                  .uid = 0,
                                  .command = r[i].command,
                                  .wall_ns = NS_PER_SEC,
                                  .user_ns = r[i].user_ms * NS_PER_MS,
                                  .sys_ns = r[i].sys_ms * NS_PER_MS,
                                  .have = SAMPLE_ALL,
                                  .threads = 5,
                                  .rss_bytes = 4096,
                                  .vol_switches = 3,
                                  .invol_switches = 1,
                                  .runq_wait_ns = 1000};
        snprintf(rows[i].name, sizeof rows[i].name, "%s", r[i].name);
    }
}

static void check_order(void)
{
    static const struct {
        enum ps_sort sort;
        pid_t first, last;
    } cases[] = {{PS_BY_PID, 8, 7141},
                 {PS_BY_CPU, 7141, 12},
                 {PS_BY_USER, 7141, 12},
                 {PS_BY_SYSTEM, 300, 12},
                 {PS_BY_NAME, 8, 7141}};
    struct ps_style s = {.ncpu = 2};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        s.sort = cases[i].sort;
        CHECK_INT(ps_arrange(rows, 4, &s), 4);
        CHECK_INT(rows[0].pid, cases[i].first);
        CHECK_INT(rows[3].pid, cases[i].last);
    }
    reset();
    s.busy = true;
    CHECK_INT(ps_arrange(rows, 4, &s), 3);
    s.top = 2;
    CHECK_INT(ps_arrange(rows, 3, &s), 2);
    CHECK_INT(ps_arrange(rows, 0, &s), 0);
}

static void check_text(void)
{
    struct ps_style s = {.ncpu = 2, .command = 48};
    struct str out = STR_INIT;

    reset();
    ps_render(&out, rows, 2, &s, 0, true);
    CHECK_STR(str_cstr(&out),
              "UID          PID   %USR   %SYS COMMAND\n"
              "root        7141  44.15  3.400 /u/dist/mysql60-debug/bin/mysqld --defaults-file\n"
              "root          12  0.000  0.000 [idle]\n");
    str_reset(&out);
    s.unit = PS_OF_ONE_CPU;
    s.command = 0;
    ps_render(&out, rows, 1, &s, 0, false);
    CHECK_STR(str_cstr(&out), "\nUID          PID   %USR   %SYS COMMAND\n"
                              "root        7141  88.30  6.800 /u/dist/mysql60-debug/bin/mysqld "
                              "--defaults-file=/etc/my.cnf --more\n");
    str_reset(&out);
    s.unit = PS_SECONDS;
    s.threads = true;
    rows[0].tid = 7150;
    ps_render(&out, rows, 1, &s, 0, true);
    CHECK_STR(str_cstr(&out), "UID              PID/TID    USR    SYS THREAD\n"
                              "root           7141/7150  0.883  0.068 mysqld\n");
    str_free(&out);
}

static void check_csv(void)
{
    struct ps_style s = {.ncpu = 2, .format = PS_CSV};
    struct str out = STR_INIT;

    reset();
    rows[2].have = SAMPLE_CPU;
    ps_render(&out, rows + 2, 1, &s, 1500 * NS_PER_MS, true);
    CHECK_STR(
        str_cstr(&out),
        "time,seconds,user,pid,tid,usr_pct,sys_pct,usr_s,sys_s,threads,rss_bytes,vol_switches,"
        "invol_switches,runq_wait_s,command\n"
        "1.500,1.000000,\"root\",300,,5.000000,25.000000,0.100000000,0.500000000,,,,,,"
        "\"b \"\"quoted\"\" \\ \xc3\xbc \xff\"\n");
    str_free(&out);
}

static void check_json(void)
{
    struct ps_style s = {.ncpu = 2, .format = PS_JSON};
    struct str out = STR_INIT;

    reset();
    rows[2].have = SAMPLE_CPU;
    ps_render(&out, rows + 2, 2, &s, 1500 * NS_PER_MS, true);
    CHECK_STR(
        str_cstr(&out),
        "{\"time\":1.500,\"cpus\":2,\"processes\":["
        "{\"pid\":300,\"user\":\"root\",\"seconds\":1.000000,\"usr_pct\":5.000000,\"sys_pct\":25."
        "000000,"
        "\"usr_s\":0.100000000,\"sys_s\":0.500000000,\"threads\":null,\"rss_bytes\":null,\"vol_"
        "switches\":null,"
        "\"invol_switches\":null,\"runq_wait_s\":null,\"name\":\"b\",\"command\":\"b "
        "\\\"quoted\\\" \\\\ \xc3\xbc ?\"},"
        "{\"pid\":8,\"user\":\"root\",\"seconds\":1.000000,\"usr_pct\":15.000000,\"sys_pct\":10."
        "000000,"
        "\"usr_s\":0.300000000,\"sys_s\":0.200000000,\"threads\":5,\"rss_bytes\":4096,\"vol_"
        "switches\":3,"
        "\"invol_switches\":1,\"runq_wait_s\":0.000001000,\"name\":\"a\",\"command\":\"a\"}]}\n");
    str_reset(&out);
    ps_render(&out, rows, 0, &s, 0, true);
    CHECK_STR(str_cstr(&out), "{\"time\":0.000,\"cpus\":2,\"processes\":[]}\n");
    str_free(&out);
}

int main(void)
{
    check_figures();
    check_order();
    check_text();
    check_csv();
    check_json();
    return test_done("render");
}
