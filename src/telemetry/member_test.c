/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One process, from a made-up /proc: all that a reading of it says, what is missing and why when
 * one of its files is, and when it has ended or is another one.
 */
#include "telemetry/member.h"

#include <errno.h>

#include "base/mem.h"
#include "base/test_golden.h"
#include "base/test_tree.h"
#include "telemetry/test_rights.h"

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

/* All that was read; memory in pages. */
static void show(const char *title, int rc)
{
    const struct counts *c = &m.now;
    const ull page = r.page_bytes;

    golden_line("=== %s\n%s: pid %d, parent %d, '%s', start %llu%s%s%s%s", title, strerror(rc),
                (int)m.pid, (int)m.ppid, m.comm, (ull)m.start_ticks, m.ended ? ", ended" : "",
                m.was_read ? ", read" : "", m.has_clock ? ", clock" : "",
                member_ran(&m) ? ", ran" : "");
    golden_line("have %#x, lower %#x, '%s'", c->have, c->lower, r.reason);
    golden_line("cpu %lld, user %lld, ticks %llu %llu; of children %lld, user %lld, ticks %llu",
                (long long)c->cpu_ns, (long long)member_user_ns(&m, &r, 0.9), (ull)c->utime,
                (ull)c->stime, (long long)c->child_cpu_ns, (long long)c->child_user_ns,
                (ull)m.child_ticks);
    golden_line("faults %llu %llu, of children %llu %llu; threads %llu, resident %llu, shared %llu",
                (ull)c->minor_faults, (ull)c->major_faults, (ull)c->child_minor_faults,
                (ull)c->child_major_faults, (ull)c->threads, (ull)c->rss_bytes / page,
                (ull)c->shared_bytes / page);
    golden_line("read %llu, written %llu, switches %llu %llu, waited %lld", (ull)c->read_bytes,
                (ull)c->write_bytes, (ull)c->vol_switches, (ull)c->invol_switches,
                (long long)c->runq_wait_ns);
}

static void whole(void)
{
    put_process(3);
    show("three threads", read_it(true));
    put_process(1);
    show("one thread", read_it(true));
    put_process(3);
    CHECK_INT(read_it(true), 0);
    put_process(1);
    show("a thread that has ended meanwhile", read_it(false));
}

static void without_a_file(void)
{
    static const char *const t[] = {"50/io", "50/statm", "50/task/50/schedstat",
                                    "50/task/50/status"};

    for (size_t i = 0; i < COUNT(t); i++) {
        put_process(1);
        tree_remove(t[i]);
        show(t[i], read_it(true));
    }
    put_process(1);
    put_stat('S', TASK_MEMORY_LIMIT + 1, 10, 1234);
    show("more threads than are asked one by one", read_it(true));
}

/* In a tree, statm is read only when a fault says that memory may have grown. */
static void memory(void)
{
    put_process(1);
    r.shared_memory = true;
    CHECK_INT(read_it(true), 0);
    tree_put("50/statm", "100 70 90 0 0 0 0\n");
    show("no fault: as it was", read_it(false));
    put_stat('S', 1, 11, 1234);
    show("a fault; not more is shared than there is", read_it(false));
    r.shared_memory = false;
    put_process(1);
    CHECK_INT(read_it(true), 0);
    tree_put("50/statm", "100 70 20 0 0 0 0\n");
    show("no tree", read_it(false));
    tree_put("50/statm", "0 0 0 0 0 0 0\n");
    show("killed, and not a zombie yet", read_it(false));
}

static void only_times(void)
{
    put_process(3);
    r.cpu_only = true;
    show("only times", read_it(true));
    r.cpu_only = false;
}

/* A zombie keeps what it had, a successor with its number is another one. */
static void ended(void)
{
    put_process(3);
    CHECK_INT(read_it(true), 0);
    put_stat('Z', 1, 12, 1234);
    show("a zombie", read_it(false));
    show("a zombie, again", read_it(false));
    put_stat('S', 1, 99, 1235);
    show("a successor", read_it(false));
    tree_put("50/stat", "50 (db) S\n");
    CHECK_INT(read_it(false), EBADMSG);
    member_fini(&m);
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
    struct err e = {0};

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
    /* whoever may ask for all threads knows the ended ones, too */
    CHECK_INT(reader_open(&r, "/proc", &e), 0);
    CHECK(r.taskstats.fd < 0 || !r.taskstats.has_runq || b.lower == 0);
    reader_close(&r);
}

/* Whoever may not ask for all threads adds up those that there are. */
static void self_only(void *arg)
{
    struct sample *s = arg;

    self_read(s);
    CHECK_INT(s->have & s->lower, access("/proc/self/schedstat", R_OK) ? 0 : SAMPLE_RUNQ);
}

TEST_MAIN(member_test)
{
    struct err e = {0};

    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    self();
    test_without_rights(false, self_only, &(struct sample){0});
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
    golden_done("member_test");
    return test_done("member");
}
