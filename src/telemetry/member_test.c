/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One process, from a made-up /proc: all that a reading of it says, what is missing and why when
 * one of its files is, and when it has ended or is another one.
 */
#include "telemetry/member.h"

#include <errno.h>

#include "base/test_tree.h"

#define MS   NS_PER_MS
#define COPY "taskstats cannot be asked about a copy of /proc"

static void put_stat(char state, int threads, int minor, int start)
{
    tree_put("50/stat", "50 (db) %c 7 50 50 0 -1 0 %d 20 30 40 5 6 7 8 20 0 %d 0 %d 99 42 1 1\n",
             state, minor, threads, start);
}

static void put_task(int tid, int vol, int invol, int wait)
{
    char path[60];

    snprintf(path, sizeof path, "50/task/%d/status", tid);
    tree_put(path,
             "Tgid:\t50\nThreads:\t3\nvoluntary_ctxt_switches:\t%d\n"
             "nonvoluntary_ctxt_switches:\t%d\n",
             vol, invol);
    snprintf(path, sizeof path, "50/task/%d/schedstat", tid);
    tree_put(path, "1 %d 3\n", wait);
}

/* A process of that many threads with all its files. */
static void put_process(int threads)
{
    tree_remove("50");
    put_stat('S', threads, 10, 1234);
    tree_put("50/statm", "100 60 20 0 0 0 0\n");
    tree_put("50/io", "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\n");
    for (int i = 0; i < threads && i < 3; i++)
        put_task(50 + i, 100 << i, 10 << i, 1000 << i);
}

static struct reader r;
static struct member m;

static int read_it(bool fresh)
{
    if (fresh) {
        member_fini(&m);
        CHECK_INT(member_init(&m, &r, 50), 0);
    }
    reader_begin(&r);
    return member_read(&m, &r, true);
}

/* What is always read. */
static void check_times(void)
{
    CHECK(m.was_read && !m.has_clock);
    CHECK_INT(m.now.cpu_ns, 110 * MS);
    CHECK_INT(m.now.utime, 5);
    CHECK_INT(m.now.stime, 6);
    CHECK_INT(m.now.child_user_ns, 75 * MS); /* each with half a tick */
    CHECK_INT(m.now.child_cpu_ns, 160 * MS);
    CHECK_INT(m.child_ticks, 15);
    CHECK_INT(member_user_ns(&m, &r, 0.9), 50 * MS);
    CHECK(member_ran(&m)); /* nobody knows */
}

static void check(unsigned have, unsigned lower, uint64_t vol, uint64_t invol, int64_t wait,
                  const char *reason)
{
    bool io = have & SAMPLE_IO, memory = have & SAMPLE_MEMORY;

    check_times();
    CHECK_INT(m.now.have, have);
    CHECK_INT(m.now.lower, lower);
    CHECK_INT(m.now.minor_faults, 10);
    CHECK_INT(m.now.major_faults, 30);
    CHECK_INT(m.now.child_minor_faults, 20);
    CHECK_INT(m.now.child_major_faults, 40);
    CHECK_INT(m.now.rss_bytes, memory ? 60 * r.page_bytes : 0);
    CHECK_INT(m.now.shared_bytes, memory ? 20 * r.page_bytes : 0);
    CHECK_INT(m.now.read_bytes, io ? 4096 : 0);
    CHECK_INT(m.now.write_bytes, io ? 8192 : 0);
    CHECK_INT(m.now.vol_switches, vol);
    CHECK_INT(m.now.invol_switches, invol);
    CHECK_INT(m.now.runq_wait_ns, wait);
    CHECK_STR(r.reason, reason);
}

static void whole(void)
{
    put_process(3);
    CHECK_INT(read_it(true), 0);
    CHECK_INT(m.pid, 50);
    CHECK_INT(m.ppid, 7);
    CHECK_STR(m.comm, "db");
    CHECK_INT(m.start_ticks, 1234);
    CHECK(!m.ended);
    CHECK_INT(m.now.threads, 3);
    check(SAMPLE_ALL, SAMPLE_SWITCHES | SAMPLE_RUNQ, 700, 70, 7000,
          "context switches, run-queue wait: lower bounds, ended threads cannot be seen (" COPY
          ")");
    put_process(1);
    CHECK_INT(read_it(true), 0);
    CHECK_INT(m.now.threads, 1);
    check(SAMPLE_ALL, 0, 100, 10, 1000, "");
    /* a thread that has ended meanwhile makes it a lower bound */
    put_process(3);
    CHECK_INT(read_it(true), 0);
    put_process(1);
    CHECK_INT(read_it(false), 0);
    check(SAMPLE_ALL, SAMPLE_SWITCHES | SAMPLE_RUNQ, 700, 70, 7000,
          "context switches, run-queue wait: lower bounds, ended threads cannot be seen (" COPY
          ")");
}

static void without_a_file(void)
{
    static const struct {
        const char *file;
        unsigned lost;
        const char *reason;
    } t[] = {
        {"50/io", SAMPLE_IO, "bytes read and written: /proc/50/io is for its own user and root"},
        {"50/statm", SAMPLE_MEMORY, "memory: process 50 ends, or its statm cannot be read"},
        {"50/task/50/schedstat", SAMPLE_RUNQ, "run-queue wait: no schedstat, and " COPY},
        {"50/task/50/status", SAMPLE_SWITCHES | SAMPLE_RUNQ,
         "context switches, run-queue wait: the status of process 50's threads cannot be read"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        bool switches = !(t[i].lost & SAMPLE_SWITCHES);
        put_process(1);
        tree_remove(t[i].file);
        CHECK_INT(read_it(true), 0);
        check(SAMPLE_ALL & ~t[i].lost, 0, switches ? 100 : 0, switches ? 10 : 0,
              t[i].lost & SAMPLE_RUNQ ? 0 : 1000, t[i].reason);
    }
    put_process(1); /* more of them than are asked one by one */
    put_stat('S', TASK_MEMORY_LIMIT + 1, 10, 1234);
    CHECK_INT(read_it(true), 0);
    char want[200];
    snprintf(want, sizeof want,
             "context switches, run-queue wait: too many threads (%d) to ask one by one, and " COPY,
             TASK_MEMORY_LIMIT + 1);
    check(SAMPLE_ALL & ~(SAMPLE_SWITCHES | SAMPLE_RUNQ), 0, 0, 0, 0, want);
    CHECK_INT(m.now.threads, TASK_MEMORY_LIMIT + 1);
}

/* In a tree, statm is read only when a fault says that memory may have grown. */
static void memory(void)
{
    put_process(1);
    r.shared_memory = true;
    CHECK_INT(read_it(true), 0);
    CHECK_INT(m.now.rss_bytes, 60 * r.page_bytes);
    tree_put("50/statm", "100 70 90 0 0 0 0\n");
    CHECK_INT(read_it(false), 0);
    CHECK_INT(m.now.rss_bytes, 60 * r.page_bytes);
    CHECK_INT(m.now.shared_bytes, 20 * r.page_bytes);
    put_stat('S', 1, 11, 1234);
    CHECK_INT(read_it(false), 0);
    CHECK_INT(m.now.rss_bytes, 70 * r.page_bytes);
    CHECK_INT(m.now.shared_bytes, 70 * r.page_bytes); /* not more than there is */
    CHECK_INT(m.now.minor_faults, 11);
    r.shared_memory = false;
    put_process(1);
    CHECK_INT(read_it(true), 0);
    tree_put("50/statm", "100 70 20 0 0 0 0\n");
    CHECK_INT(read_it(false), 0);
    CHECK_INT(m.now.rss_bytes, 70 * r.page_bytes);
    tree_put("50/statm", "0 0 0 0 0 0 0\n"); /* killed, and not a zombie yet */
    CHECK_INT(read_it(false), 0);
    CHECK(!(m.now.have & SAMPLE_MEMORY));
}

static void only_times(void)
{
    put_process(3);
    r.cpu_only = true;
    CHECK_INT(read_it(true), 0);
    check_times();
    CHECK_INT(m.now.have, SAMPLE_CPU);
    CHECK_INT(m.now.lower, 0);
    CHECK_INT(m.now.threads + m.now.rss_bytes + m.now.minor_faults, 0);
    CHECK_STR(r.reason, "");
    r.cpu_only = false;
}

/* A zombie keeps what it had, a successor with its number is another one. */
static void ended(void)
{
    put_process(3);
    CHECK_INT(read_it(true), 0);
    put_stat('Z', 1, 12, 1234);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(read_it(false), 0);
        check_times();
        CHECK(m.ended);
        CHECK_INT(m.now.have, ~0u);
        CHECK_INT(m.now.lower, SAMPLE_SWITCHES | SAMPLE_RUNQ | SAMPLE_IO);
        CHECK_INT(m.now.threads + m.now.rss_bytes + m.now.shared_bytes, 0);
        CHECK_INT(m.now.minor_faults, 12);
        CHECK_INT(m.now.vol_switches, 700);
        CHECK_INT(m.now.read_bytes, 4096);
    }
    put_stat('S', 1, 99, 1235);
    CHECK_INT(read_it(false), ESTALE);
    CHECK_INT(m.now.minor_faults, 12);
    tree_put("50/stat", "50 (db) S\n");
    CHECK_INT(read_it(false), EBADMSG);
    CHECK_INT(member_init(&m, &r, 50), EBADMSG);
    tree_remove("50");
    CHECK_INT(read_it(false), ESRCH);
    CHECK_INT(member_init(&m, &r, 50), ESRCH);
    put_stat('Z', 1, 12, 1234);
    CHECK_INT(member_init(&m, &r, 50), 0);
    CHECK(m.ended);
}

/* This process, by both ways. */
static void self(void)
{
    struct sample a, b;
    volatile unsigned long work = 0;
    mono_ns begin = clock_mono();

    self_read(&a);
    for (int i = 0; i < 1000000; i++)
        work += (unsigned long)i;
    self_read(&b);
    CHECK(work > 0);
    for (int i = 0; i < 2; i++) {
        const struct sample *s = i ? &b : &a;
        const unsigned all =
            SAMPLE_CPU | SAMPLE_SWITCHES | SAMPLE_FAULTS | SAMPLE_THREADS | SAMPLE_MEMORY;
        CHECK_INT(s->have & all, all);
        CHECK_INT(s->processes, 1);
        CHECK_INT(s->threads, 1);
        CHECK_INT(s->cpu_ns, s->user_ns + s->sys_ns);
        /* before 6.2 the kernel's count may lack 64 pages for each kind of memory */
        CHECK(s->rss_bytes >= (1 << 18) && s->rss_bytes < UINT64_C(1) << 36);
        CHECK(s->minor_faults > 0 && s->cost_ns > 0);
        CHECK_INT(s->lower & ~(unsigned)SAMPLE_RUNQ, 0);
        CHECK(!(s->have & SAMPLE_THROTTLE) == !!s->no_throttle);
    }
    CHECK(b.cpu_ns > a.cpu_ns && a.at >= begin && b.at > a.at && b.at <= clock_mono());
    CHECK(b.vol_switches >= a.vol_switches && b.minor_faults >= a.minor_faults);
}

TEST_MAIN(member_test)
{
    struct err e = {0};

    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    self();
    CHECK_INT(reader_open(&r, "/nowhere", &e), -1);
    CHECK_STR(e.msg, "cannot open /nowhere: No such file or directory");
    tree_begin();
    CHECK_INT(reader_open(&r, test_tree, &e), 0);
    CHECK(!r.live && r.taskstats.fd == -1);
    CHECK_STR(r.taskstats_why, COPY);
    CHECK_INT(r.tick_ns, NS_PER_SEC / sysconf(_SC_CLK_TCK));
    whole();
    without_a_file();
    memory();
    only_times();
    ended();
    member_fini(&m);
    reader_close(&r);
    CHECK_INT(r.root_fd, -1);
    reader_close(&r);
    return test_done("member");
}
