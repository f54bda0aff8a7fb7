/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The /proc readers on files that are odd, cut, huge or missing; proc_sum_test.c has captured
 * trees.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/test_tree.h"
#include "telemetry/proc.h"

#define STAT_REST                                                                                  \
    " 1 7 7 0 -1 4194304 11 12 13 14 15 16 17 18 20 0 5 0 1234 99 42 18446744073709551615 1\n"

static void odd_stats(int fd)
{
    static const struct {
        const char *text;
        int rc;
        const char *comm;
        char state;
    } table[] = {
        {"7 (a b) S" STAT_REST, 0, "a b", 'S'},
        {"7 (a) R 1 (b) S" STAT_REST, 0, "a) R 1 (b", 'S'},
        {"7 ()) R" STAT_REST, 0, ")", 'R'},
        {"7 () S" STAT_REST, 0, "", 'S'},
        {"7 (new\nline\033[2J) S" STAT_REST, 0, "new?line?[2J", 'S'},
        {"7 (0123456789012345678901234567890123456789012345678901234567890123456789) S" STAT_REST,
         0, "012345678901234567890123456789012345678901234567890123456789012", 'S'},
        {"", EBADMSG, NULL, 0},
        {"7", EBADMSG, NULL, 0},
        {"7 (a", EBADMSG, NULL, 0},
        {"7 )a( S" STAT_REST, EBADMSG, NULL, 0},
        {"7 (a)", EBADMSG, NULL, 0},
        {"7 (a) ", EBADMSG, NULL, 0},
        {"7 (a) S", EBADMSG, NULL, 0},
        {"7 (a) S ", EBADMSG, NULL, 0},
        {"7 (a) S 1 7 7 0 -1 4194304 11 12 13", EBADMSG, NULL, 0},
        {"7 (a) S 1 7 7 0 -1 4194304 11 12 13 14 15 16 17 18 20 0 5 0 1234 99 4", EBADMSG, NULL, 0},
        {"7 (a) S 1 7 7 0 -1 4194304 11 x 13 14 15 16 17 18 20 0 5 0 1234 99 42 1\n", EBADMSG, NULL,
         0},
        {"7 (a) S 1 7 7 0 -1 4194304 11 12 13 14 18446744073709551616 16 17 18 20 0 5 0 1234 99 42 "
         "1\n",
         EBADMSG, NULL, 0},
        {"7 (a) S 99999999999 7 7 0 -1 4194304 11 12 13 14 15 16 17 18 20 0 5 0 1234 99 42 1\n",
         EBADMSG, NULL, 0},
    };
    struct proc_stat st;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        tree_put("7/stat", "%s", table[i].text);
        CHECK_INT(proc_stat_read(fd, 7, &st), table[i].rc);
        if (table[i].rc)
            continue;
        CHECK_STR(st.comm, table[i].comm);
        CHECK_INT(st.state, table[i].state);
        CHECK(st.ppid == 1 && st.minor_faults == 11 && st.child_minor_faults == 12 &&
              st.major_faults == 13 && st.child_major_faults == 14 && st.utime == 15 &&
              st.stime == 16 && st.child_utime == 17 && st.child_stime == 18 && st.threads == 5 &&
              st.start_ticks == 1234 && st.rss_pages == 42);
    }
}

static void huge_and_negative(int fd)
{
    struct proc_stat st;

    tree_put(
        "7/stat",
        "7 (a) Z 1 7 7 0 -1 4194304 18446744073709551615 12 13 14 9223372036854775807 16 -17 18 20 "
        "0 1 "
        "0 18446744073709551615 99 42 1\n");
    CHECK_INT(proc_stat_read(fd, 7, &st), 0);
    CHECK(st.minor_faults == UINT64_MAX && st.start_ticks == UINT64_MAX);
    CHECK(st.utime == INT64_MAX);
    CHECK_INT(st.child_utime, 0);
    CHECK(proc_stat_ended(&st));
    CHECK(!proc_stat_is_kernel(&st));
    st.threads = 3; /* only the main thread has ended */
    CHECK(!proc_stat_ended(&st));
    st.threads = 0;
    CHECK(proc_stat_ended(&st));
    for (const char *state = "XxSRDTt"; *state; state++) {
        st.state = *state;
        CHECK_INT(proc_stat_ended(&st), *state == 'X' || *state == 'x');
    }
    st.flags = 0x200000;
    CHECK(proc_stat_is_kernel(&st));
    st.flags = ~UINT64_C(0x200000);
    CHECK(!proc_stat_is_kernel(&st));
}

static void odd_status(int fd)
{
    char text[20000] = "Name:\tTgid: 99\nTgid:\t7\nGroups:\t";
    struct proc_status st;
    size_t n = strlen(text);

    /* a groups line longer than any buffer of ours */
    for (int i = 0; i < 3000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d ", 1000 + i);
    snprintf(text + n, sizeof text - n,
             "\nThreads:\t3\nvoluntary_ctxt_switches:\t11\nnonvoluntary_ctxt_switches:\t22\n");
    tree_put("7/status", "%s", text);
    CHECK_INT(proc_status_read(fd, 7, 0, &st), 0);
    CHECK(st.tgid == 7 && st.threads == 3 && st.vol_switches == 11 && st.invol_switches == 22);

    text[strlen(text) - 1] = '\0'; /* "22" might have been "222" */
    tree_put("7/status", "%s", text);
    CHECK_INT(proc_status_read(fd, 7, 0, &st), EBADMSG);
    tree_put("7/status", "Tgid:\t7\nThreads:\tmany\n");
    CHECK_INT(proc_status_read(fd, 7, 0, &st), EBADMSG);
    tree_put("7/status", "%s", "");
    CHECK_INT(proc_status_read(fd, 7, 0, &st), EBADMSG);
    CHECK_INT(proc_status_read(fd, 8, 0, &st), ENOENT);
    CHECK_INT(proc_status_read(fd, 7, 8, &st), ENOENT);
}

static void odd_rows(int fd)
{
    uint64_t mem[3], sched[3], read_bytes, write_bytes;

    tree_put("7/statm", "1 2 3 0 0 0 0\n");
    CHECK_INT(proc_row_read(fd, 7, 0, "statm", mem), 0);
    CHECK(mem[STATM_RESIDENT] == 2 && mem[STATM_SHARED] == 3);
    tree_put("7/statm", "1 2 3");
    CHECK_INT(proc_row_read(fd, 7, 0, "statm", mem), EBADMSG);
    tree_put("7/schedstat", "18446744073709551615 18446744073709551614 3\n");
    CHECK_INT(proc_row_read(fd, 7, 0, "schedstat", sched), 0);
    CHECK(sched[SCHEDSTAT_RUN_NS] == UINT64_MAX && sched[SCHEDSTAT_WAIT_NS] == UINT64_MAX - 1 &&
          sched[SCHEDSTAT_RUNS] == 3);
    tree_put("7/schedstat", "1 2\n");
    CHECK_INT(proc_row_read(fd, 7, 0, "schedstat", sched), EBADMSG);
    tree_put("7/io", "rchar: 1\nread_bytes: 2\ncancelled_write_bytes: 4\nwrite_bytes: 3\n");
    CHECK_INT(proc_io_read(fd, 7, &read_bytes, &write_bytes), 0);
    CHECK(read_bytes == 2 && write_bytes == 3);
    tree_put("7/io", "rchar: 1\nread_bytes: 2\n");
    CHECK_INT(proc_io_read(fd, 7, &read_bytes, &write_bytes), EBADMSG);
    CHECK_INT(proc_io_read(fd, 9, &read_bytes, &write_bytes), ENOENT);
    CHECK(proc_is_gone(ENOENT) && proc_is_gone(ESRCH) && !proc_is_gone(EACCES));
}

static void odd_lists(int fd)
{
    struct proc_tree tree = {0};
    struct pid_list list = {0};
    struct str scratch = STR_INIT;

    tree_put("20/stat", "20 (x) S 21" STAT_REST);
    tree_put("20/task/20/children", "21 22 22 99999999999 0 2"); /* the last one is cut */
    CHECK_INT(proc_list_children(fd, 20, 0, &scratch, &list), 0);
    CHECK_INT(list.n, 3);
    tree_put("20/task/junk/x", "%s", "");
    tree_put("20/task/020/x", "%s", "");
    CHECK_INT(proc_list_tasks(fd, 20, &list), 0);
    CHECK(list.n == 1 && list.ids[0] == 20);
    CHECK_INT(proc_list_tasks(fd, 30, &list), ENOENT);
    /* a ring: 20 -> 21 -> 20 must end */
    tree_put("20/task/20/children", "21 ");
    tree_put("21/task/21/children", "20 ");
    CHECK_INT(proc_tree_find(&tree, fd, 20), 0);
    CHECK(tree.found.n >= 2 && tree.found.n <= PROC_TREE_DEEP + 2);
    tree_put("20/stat", "20 (x) S 21 1 1" STAT_REST);
    tree_put("21/stat", "21 (x) S 20 1 1" STAT_REST);
    tree.no_children_files = true;
    CHECK_INT(proc_tree_find(&tree, fd, 20), 0);
    CHECK(tree.found.n >= 1 && tree.found.n <= 8);
    proc_tree_free(&tree);
    pid_list_free(&list);
    str_free(&scratch);
}

static void odd_host(int fd)
{
    static const char tail[] = "\nctxt 5\nbtime 6\nprocesses 7\nprocs_running 8\nprocs_blocked 9\n";
    char text[30000] = "cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 77";
    struct proc_host h;
    struct err e = {0};

    for (int i = 0; i < 10000; i++)
        strcat(text, " 0");
    strcat(text, tail);
    tree_put("stat", "%s", text);
    CHECK_INT(proc_host_read(fd, &h, &e), 0);
    CHECK(h.online_cpus == 1 && h.interrupts == 77 && h.blocked == 9);
    CHECK_INT(proc_cpu_total(&h.cpu), 10);
    tree_put("stat", "cpu  1 2 4 8 16 32 64 128 256 512\ncpu0 1\ncpu11 1\ncpus 1\nintr 3 9\n"
                     "ctxt 5\nbtime 6\nprocesses 7\nprocs_running 8\nprocs_blocked 9\n");
    CHECK_INT(proc_host_read(fd, &h, &e), 0);
    for (size_t i = 0; i < CPU_COLUMNS; i++)
        CHECK_INT(h.cpu.column[i], 1 << i);
    CHECK_INT(proc_cpu_total(&h.cpu), 255);
    CHECK(h.online_cpus == 2 && h.interrupts == 3 && h.switches == 5 && h.boot_s == 6 &&
          h.forks == 7 && h.running == 8 && h.blocked == 9);
    static const char *const counter[] = {"intr 1",      "ctxt 5",          "btime 6",
                                          "processes 7", "procs_running 8", "procs_blocked 9"};
    for (size_t i = 0; i < 6; i++) {
        strcpy(text, "cpu  1 2 3 4\ncpu0 1\n");
        for (size_t k = 0; k < 6; k++)
            if (k != i)
                strcat(strcat(text, counter[k]), "\n");
        tree_put("stat", "%s", text);
        CHECK_INT(proc_host_read(fd, &h, &e), -1);
        CHECK_STR(e.msg, "the system's stat file lacks one of its counters");
    }
    tree_put("stat", "cpu  1 2 3 4\nintr 1\nctxt 5\n");
    CHECK_INT(proc_host_read(fd, &h, &e), -1);
    CHECK_STR(e.msg, "the system's stat file lacks the lines of single CPUs");
    tree_put("stat", "cpu  1 2 3\ncpu0 1 2 3\nintr 1\nctxt 5\n");
    CHECK_INT(proc_host_read(fd, &h, &e), -1);
    CHECK_STR(e.msg, "the system's stat file lacks the cpu line");
    tree_put("stat", "cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 1\nctxt 5\n");
    CHECK_INT(proc_host_read(fd, &h, &e), -1);
    CHECK_STR(e.msg, "the system's stat file lacks one of its counters");
    unlinkat(fd, "stat", 0);
    CHECK_INT(proc_host_read(fd, &h, &e), -1);
    CHECK_STR(e.msg, "cannot read the system's stat file: No such file or directory");
}

static unsigned lines_taken;

static bool take_two(char *line, void *arg)
{
    CHECK_STR(line, lines_taken ? "second" : "first");
    CHECK(arg == &lines_taken);
    return ++lines_taken < 2;
}

static bool take_all(char *line, void *arg)
{
    lines_taken++;
    return line != arg;
}

/* Files as lines, as words, as numbers, as a command. */
static void files(int fd)
{
    static const struct {
        const char *text, *word;
        bool number;
        uint64_t value;
    } t[] = {
        {"12\n", "12", true, 12},
        {"  7 x \n", "  7 x", true, 7},
        {"max\n", "max", false, 0},
        {"5", "5", true, 5},
        {"a b\n\n", "a b", false, 0},
        {"1234567", "1234567", true, 1234567},
        {"123456789\n", "1234567", true, 123456789},
    };
    char buf[8];
    struct str s = STR_INIT;
    uint64_t v, a = 0, b = 0;
    const struct proc_key key[] = {{"a", &a}, {"b", &b}};
    unsigned seen;
    size_t len;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tree_put("word", "%s", t[i].text);
        CHECK(proc_word(fd, "word", buf, sizeof buf));
        CHECK_STR(buf, t[i].word);
        v = 0;
        CHECK_INT(proc_file_number(fd, "word", &v), t[i].number);
        CHECK_INT(v, t[i].value);
    }
    tree_put("word", "%s", "");
    CHECK(!proc_word(fd, "word", buf, sizeof buf) && !proc_word(fd, "none", buf, sizeof buf));
    CHECK_INT(proc_read(fd, "word", buf, sizeof buf, &len), EBADMSG);
    CHECK_INT(proc_read(fd, "none", buf, sizeof buf, &len), ENOENT);
    CHECK_INT(len, 0);
    CHECK_STR(buf, "");
    tree_put("word", "one\ntwo");
    CHECK_INT(proc_read(fd, "word", buf, sizeof buf, &len), 0);
    CHECK_INT(len, 7);
    CHECK_STR(buf, "one\ntwo");
    CHECK_INT(proc_read_all(fd, "none", &s), ENOENT);
    CHECK_INT(s.len, 0);
    CHECK_INT(proc_read_all(fd, "word", &s), 0);
    CHECK_STR(str_cstr(&s), "one\ntwo");
    CHECK(!proc_open_dir(fd, "word"));
    CHECK_INT(errno, ENOTDIR);

    tree_put("lines", "first\nsecond\nthird\nno end");
    CHECK_INT(proc_each_line(fd, "lines", take_two, &lines_taken), 0);
    CHECK_INT(lines_taken, 2);
    lines_taken = 0;
    CHECK_INT(proc_each_line(fd, "lines", take_all, NULL), 0);
    CHECK_INT(lines_taken, 3);
    CHECK_INT(proc_each_line(fd, "none", take_all, NULL), ENOENT);
    CHECK_INT(proc_each_line(fd, ".", take_all, NULL), EISDIR);

    tree_put("keys", "ab: 9\na: 1\nb 2\na: 7\n");
    CHECK_INT(proc_keys(fd, "keys", key, 2, &seen), 0);
    CHECK_INT(seen, 3);
    CHECK(a == 1 && b == 2); /* no line is read after the last one needed */
    tree_put("keys", "b: x\na: 5\nB: 3\n");
    CHECK_INT(proc_keys(fd, "keys", key, 2, &seen), EBADMSG);
    CHECK_INT(seen, 1);
    CHECK(a == 5 && b == 2);
    CHECK_INT(proc_keys(fd, "none", key, 2, &seen), ENOENT);
    CHECK_INT(seen, 0);

    tree_put("7/cmdline", "%s", "");
    CHECK_INT(proc_command_read(fd, 7, &s), 0);
    CHECK_INT(s.len, 0);
    int file = openat(fd, "7/cmdline", O_WRONLY | O_TRUNC);
    CHECK_INT(write(file, "db\0--x\0y z\0\0", 12), 12);
    close(file);
    CHECK_INT(proc_command_read(fd, 7, &s), 0);
    CHECK_INT(s.len, 10);
    CHECK_INT(memcmp(s.s, "db --x y z", 10), 0);
    CHECK_INT(proc_command_read(fd, 99, &s), ENOENT);
    str_free(&s);

    CHECK_INT(proc_setting("/nowhere", -5), -5);
    CHECK(proc_setting("/proc/sys/kernel/pid_max", -5) > 0);
}

static void lists(void)
{
    static const pid_t given[] = {5, 3, 9, 3, 1, 9, 9}, want[] = {1, 3, 5, 9};
    struct pid_list list = {0};
    pid_t self = getpid();
    struct proc_tree tree = {0};

    pid_list_sort(&list);
    CHECK_INT(list.n, 0);
    for (size_t i = 0; i < 7; i++)
        pid_list_add(&list, given[i]);
    pid_list_sort(&list);
    CHECK_INT(list.n, 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK_INT(list.ids[i], want[i]);
        CHECK(pid_is_one_of(want[i], want, 4));
        CHECK_INT(pid_is_one_of(want[i], want, i), false);
    }
    pid_list_free(&list);
    CHECK(list.n == 0 && !list.ids);
    proc_tree_list(&tree, &self, 1, true, &list);
    CHECK(list.n == 1 && list.ids[0] == self);
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    pid_list_free(&list);
    proc_tree_list(&tree, &self, 1, true, &list);
    CHECK(list.n == 2 && pid_is_one_of(self, list.ids, 2) && pid_is_one_of(child, list.ids, 2));
    pid_list_free(&list);
    proc_tree_list(&tree, (const pid_t[]){child, self, child}, 3, false, &list);
    CHECK_INT(list.n, 2);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    pid_list_free(&list);
    proc_tree_free(&tree);
}

/* Three generations, found from above and from below, breadth first. */
static void generations(int fd)
{
    static const int process[][2] = {{40, 1},  {41, 40}, {42, 40}, {43, 41},
                                     {44, 42}, {45, 43}, {46, 1},  {47, 47}};
    static const pid_t want[] = {41, 42, 43, 44, 45};
    struct proc_tree tree = {0};
    char path[40], text[200], children[40];

    for (size_t i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "%d/stat", process[i][0]);
        snprintf(text, sizeof text, "%d (x) S %d%s", process[i][0], process[i][1], STAT_REST + 2);
        tree_put(path, "%s", text);
        children[0] = '\0';
        for (size_t k = 0; k < 7; k++)
            if (process[k][1] == process[i][0])
                snprintf(children + strlen(children), sizeof children - strlen(children), "%d ",
                         process[k][0]);
        snprintf(path, sizeof path, "%d/task/%d/children", process[i][0], process[i][0]);
        tree_put(path, "%s", children);
    }
    for (int round = 0; round < 3; round++) {
        CHECK_INT(proc_tree_find(&tree, fd, 40), 0);
        CHECK_INT(tree.found.n, 5);
        for (size_t i = 0; i < 5 && i < tree.found.n; i++)
            CHECK_INT(tree.found.ids[i], want[i]);
        CHECK_INT(tree.no_children_files, round > 0);
        CHECK_INT(proc_tree_find(&tree, fd, 47), 0);
        CHECK_INT(tree.found.n, 0); /* not its own child */
        if (round == 0)             /* a kernel without these files */
            for (size_t i = 0; i < 8; i++) {
                snprintf(path, sizeof path, "%d/task/%d/children", process[i][0], process[i][0]);
                CHECK_INT(unlinkat(fd, path, 0), 0);
            }
    }
    proc_tree_free(&tree);
    CHECK_INT(proc_tree_find(&tree, fd, 99), ENOENT);
    CHECK(!tree.no_children_files);
    proc_tree_free(&tree);
}

static void numbers(void)
{
    static const struct {
        const char *text;
        bool ok, whole;
        uint64_t value;
    } table[] = {
        {"0", true, false, 0},
        {" \t12 ", true, true, 12},
        {"-5 ", true, true, 0},
        {"18446744073709551615\n", true, true, UINT64_MAX},
        {"18446744073709551616\n", false, false, 0},
        {"99999999999999999999999999 ", false, false, 0},
        {"", false, false, 0},
        {"-", false, false, 0},
        {"x", false, false, 0},
        {"/", false, false, 0},
        {":", false, false, 0},
        {"19x", true, true, 19},
        {"18446744073709551609 ", true, true, UINT64_MAX - 6},
        {"28446744073709551615 ", false, false, 0},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *p = table[i].text;
        uint64_t v = 0;
        CHECK_INT(proc_number(&p, &v), table[i].ok);
        CHECK_INT(v, table[i].value);
        p = table[i].text;
        CHECK_INT(proc_whole_number(&p, &v), table[i].whole);
    }
}

/* A process that ends between two readings, and one that never existed: errors, no figures. */
static void vanishing(void)
{
    int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    struct proc_stat st;
    struct pid_list list = {0};
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    CHECK_INT(proc_stat_read(fd, pid, &st), 0);
    CHECK_INT(st.ppid, getpid());
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK(proc_is_gone(proc_stat_read(fd, pid, &st)));
    CHECK(proc_is_gone(proc_list_tasks(fd, pid, &list)));
    pid_list_free(&list);
    close(fd);
}

TEST_MAIN(proc_pid_test)
{
    int fd;

    tree_begin();
    numbers();
    lists();
    vanishing();
    fd = open(test_tree, O_RDONLY | O_DIRECTORY);
    CHECK(fd >= 0);
    if (fd >= 0) {
        odd_stats(fd);
        files(fd);
        huge_and_negative(fd);
        odd_status(fd);
        odd_rows(fd);
        odd_lists(fd);
        odd_host(fd);
        generations(fd);
        close(fd);
    }
    return test_done("proc_pid");
}
