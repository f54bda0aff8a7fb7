/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flame graphs: boxes and their sums, places and widths, boxes left out, colours of a difference,
 * and that no name can break the XML.
 */
#include "profile/flame.h"

#include <stdlib.h>

#include "base/test.h"
#include "profile/folded.h"

static void add(struct folded *f, const char *stack, uint64_t weight)
{
    folded_add(f, stack, strlen(stack), weight, 0);
}

static const struct flame_box *find(const struct flame_tree *t, const char *name, int depth)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->box[i].depth == depth && t->box[i].len == strlen(name) &&
            memcmp(t->box[i].name, name, t->box[i].len) == 0)
            return &t->box[i];
    return NULL;
}

static void check_box(const struct flame_tree *t, const char *name, int depth, uint64_t at,
                      uint64_t weight)
{
    const struct flame_box *b = find(t, name, depth);

    CHECK(b != NULL);
    if (b) {
        CHECK_INT(b->at, at);
        CHECK_INT(b->weight, weight);
    }
}

static void test_tree(void)
{
    struct folded f = {0};
    struct flame_tree t;

    add(&f, "a", 1);
    add(&f, "a;b", 2);
    add(&f, "a;b;c", 4);
    add(&f, "a;bb;c", 8);
    add(&f, "d;b", 16);
    folded_finish(&f);
    flame_tree_build(&t, &f);
    CHECK_INT(t.n, 8);
    check_box(&t, "", 0, 0, 31);
    check_box(&t, "a", 1, 0, 15);
    check_box(&t, "b", 2, 1, 6);
    check_box(&t, "c", 3, 3, 4);
    check_box(&t, "bb", 2, 7, 8);
    check_box(&t, "d", 1, 15, 16);
    flame_tree_free(&t);
    folded_free(&f);
    flame_tree_build(&t, &f);
    CHECK_INT(t.n, 1);
    flame_tree_free(&t);
}

static void check_escaped(const char *text, size_t n, const char *want)
{
    struct str s = STR_INIT;

    flame_escape(&s, text, n);
    CHECK_STR(str_cstr(&s), want);
    str_free(&s);
}

static void test_escape(void)
{
    check_escaped("a<b>&\"'c", 8, "a&lt;b&gt;&amp;&quot;'c");
    check_escaped("\x01\n\x7f]]>", 6, "???]]&gt;");
    check_escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5", 9,
                  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5");
    check_escaped("\xff\xc3", 2, "??");      /* no UTF-8, and cut */
    check_escaped("\xed\xa0\x80", 3, "???"); /* half of a surrogate pair */
    check_escaped("\xef\xbf\xbf", 3, "???"); /* no character of XML */
    check_escaped("\xc0\x80", 2, "??");
}

static char *draw(const struct folded *f, const struct flame_style *style)
{
    struct str s = STR_INIT;

    flame_svg(&s, f, style);
    return s.s;
}

static void test_picture(void)
{
    struct flame_style style = {.unit = "samples", .width = 1020};
    struct folded f = {0};
    char *a, *b;

    add(&f, "main;half", 500);
    add(&f, "main;other", 499);
    add(&f, "main;tiny", 1);
    folded_finish(&f);
    a = draw(&f, &style);
    CHECK(strstr(a, "<title>main (1000 samples, 100.00%)</title>") != NULL);
    CHECK(strstr(a, "<title>half (500 samples, 50.00%)</title><rect x=\"10.00\" ") != NULL);
    CHECK(strstr(a, "<title>other (499 samples, 49.90%)</title><rect x=\"510.00\" ") != NULL);
    CHECK(strstr(a, "width=\"499.00\"") != NULL);
    CHECK(strstr(a, ">tiny (1 ") != NULL);
    b = draw(&f, &style);
    CHECK_STR(a, b);
    free(b);
    style.min_width = 2;
    b = draw(&f, &style);
    CHECK(strstr(b, ">tiny (1 ") == NULL);
    CHECK(strstr(b, ">half (500 ") != NULL);
    free(a);
    free(b);
    folded_free(&f);
    a = draw(&f, &style);
    CHECK(strstr(a, "no stacks") != NULL);
    free(a);
}

/* Twice as long, and `grew` had a quarter before and a half now: shares count, not weights. */
static void test_difference(void)
{
    struct flame_style style = {.unit = "samples", .diff = true};
    struct folded before = {0}, after = {0}, both;
    char *svg;

    add(&before, "m;grew", 25);
    add(&before, "m;same", 25);
    add(&before, "m;shrank", 25);
    add(&before, "m;gone", 25);
    add(&after, "m;grew", 100);
    add(&after, "m;same", 50);
    add(&after, "m;shrank", 25);
    add(&after, "m;new", 25);
    folded_finish(&before);
    folded_finish(&after);
    folded_join(&both, &before, &after);
    svg = draw(&both, &style);
    CHECK(strstr(svg, "<title>grew (100 samples, 50.00%; before 25.00%, +25.00)</title>") != NULL);
    CHECK(strstr(svg, "<title>same (50 samples, 25.00%; before 25.00%, +0.00)</title>") != NULL);
    CHECK(strstr(svg, "<title>shrank (25 samples, 12.50%; before 25.00%, -12.50)</title>") != NULL);
    CHECK(strstr(svg, "<title>new (25 samples, 12.50%; before 0.00%, +12.50)</title>") != NULL);
    CHECK(strstr(svg, ">gone (") == NULL); /* no width */
    CHECK(strstr(strstr(svg, ">grew ("), "fill=\"#f43636\"") != NULL);
    CHECK(strstr(strstr(svg, ">same ("), "fill=\"#f4f4f4\"") != NULL);
    CHECK(strstr(strstr(svg, ">shrank ("), "fill=\"#95acf4\"") != NULL);
    free(svg);
    folded_free(&before);
    folded_free(&after);
    folded_free(&both);
}

/* Stacks from MariaDB 10.11 and PostgreSQL 15, without debugging symbols. */
static void test_idle(void)
{
#define SYSCALL ";entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];"
#define FUTEX   SYSCALL "__x64_sys_futex_[k];do_futex_[k];futex_wait_[k];schedule_[k]"
    static const struct {
        const char *stack;
        bool idle;
    } t[] = {
        {"mariadbd;start_thread;do_command;my_net_read_packet;vio_read;poll" SYSCALL
         "__x64_sys_poll_[k];schedule_[k]",
         true},
        {"mariadbd;start_thread;[mariadbd];pthread_cond_timedwait;__futex_abstimed_wait_common" FUTEX,
         true},
        {"mariadbd;tpool::thread_pool_generic::wait_for_tasks;pthread_cond_clockwait;x" FUTEX,
         true},
        {"mariadbd;clone3;clock_nanosleep;el0_svc_[k];__arm64_sys_clock_nanosleep_[k];schedule_[k]",
         true},
        {"mariadbd;io_getevents" SYSCALL "__x64_sys_io_getevents_[k];read_events_[k];schedule_[k]",
         true},
        {"postgres;main;PostmasterMain;[postgres];WaitEventSetWait;epoll_wait" SYSCALL
         "__x64_sys_epoll_wait_[k];x_[k]",
         true},
        {"postgres;PostgresMain;pq_getbyte;[postgres];secure_read;WaitEventSetWait;epoll_wait;x",
         true},
        {"mariadbd;[no stack sampled]", true},
        {"mariadbd;do_command;dispatch_command;mysql_execute_command;[mariadbd];pthread_cond_timedwait;x" FUTEX,
         false},
        {"mariadbd;do_command;dispatch_command(COM);fdatasync" SYSCALL
         "__x64_sys_fdatasync_[k];schedule_[k]",
         false},
        {"mariadbd;do_command;my_net_read_packet;poll" SYSCALL
         "__x64_sys_poll_[k];schedule_[k];[waiting for a CPU]",
         false},
        {"mariadbd;start_thread;[mariadbd];pthread_mutex_lock;__lll_lock_wait" FUTEX, false},
        {"postgres;PostgresMain;ProcSleep;WaitLatch;epoll_wait" SYSCALL
         "__x64_sys_epoll_wait_[k];schedule_[k]",
         false},
        {"postgres;PostgresMain;PortalRun;[postgres];pg_usleep;x" SYSCALL
         "__x64_sys_select_[k];schedule_[k]",
         false},
        {"postgres;PostgresMain;LWLockAcquire;sem_wait" FUTEX, false},
    };
    struct err e = {0};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct folded f = {0};
        add(&f, t[i].stack, 1);
        CHECK_INT(idle_mark(&f, NULL, &e), 0);
        TEST_REPORT(f.row[0].idle == t[i].idle, "idle: %d: %s", f.row[0].idle, t[i].stack);
        CHECK_INT(idle_mark(&f, "^(mariadbd|postgres);", &e), 0);
        CHECK(f.row[0].idle);
        folded_free(&f);
    }
}

TEST_MAIN(flame_test)
{
    test_idle();
    test_tree();
    test_escape();
    test_picture();
    test_difference();
    return test_done("flame");
}
