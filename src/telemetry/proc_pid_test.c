/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The /proc readers on files that are odd, cut, huge or missing; proc_sum_test.c has captured
 * trees.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/test_golden.h"
#include "base/test_tree.h"
#include "telemetry/proc.h"
#include "telemetry/spin_test.h"

#define REST                                                                                       \
    " 1 7 7 0 -1 4194304 11 12 13 14 15 16 17 18 20 0 5 0 1234 99 42 18446744073709551615 1\n"

static int root;

static void show_stat(const char *text)
{
    struct proc_stat st;

    tree_put("7/stat", "%s", text);
    int rc = proc_stat_read(root, 7, &st);
    golden_line("%s", text);
    if (rc)
        golden_line("  %s", strerror(rc));
    else
        golden_line("  %s: %c, parent %d, flags %#llx, faults %llu %llu %llu %llu, times %llu %llu "
                    "%llu %llu, threads %llu, start %llu, pages %llu, ended %d, kernel's %d",
                    st.comm, st.state, (int)st.ppid, (ull)st.flags, (ull)st.minor_faults,
                    (ull)st.child_minor_faults, (ull)st.major_faults, (ull)st.child_major_faults,
                    (ull)st.utime, (ull)st.stime, (ull)st.child_utime, (ull)st.child_stime,
                    (ull)st.threads, (ull)st.start_ticks, (ull)st.rss_pages, proc_stat_ended(&st),
                    proc_stat_is_kernel(&st));
}

static void odd_stats(void)
{
    static const char *const t[] = {
        "7 (a b) S" REST,
        "7 (a) R 1 (b) S" REST,
        "7 ()) R" REST,
        "7 () S" REST,
        "7 (new\nline\033[2J) S" REST,
        "7 (0123456789012345678901234567890123456789012345678901234567890123456789) S" REST,
        "",
        "7",
        "7 (a",
        "7 )a( S" REST,
        "7 (a)",
        "7 (a) ",
        "7 (a) S",
        "7 (a) S ",
        "7 (a) S 1 7 7 0 -1 4194304 11 12 13",
        "7 (a) S 1 7 7 0 -1 4194304 11 12 13 14 15 16 17 18 20 0 5 0 1234 99 4",
        "7 (a) S 1 7 7 0 -1 4194304 11 x 13 14 15 16 17 18 20 0 5 0 1234 99 42 1\n",
        "7 (a) S 1 7 7 0 -1 0 11 12 13 14 18446744073709551616 16 17 18 20 0 5 0 1234 99 42 1\n",
        "7 (a) S 99999999999 7 7 0 -1 4194304 11 12 13 14 15 16 17 18 20 0 5 0 1234 99 42 1\n",
        /* huge and negative */
        "7 (a) Z 1 7 7 0 -1 4194304 18446744073709551615 12 13 14 9223372036854775807 16 -17 18 20 "
        "0 1 0 18446744073709551615 99 42 1\n",
        /* the flag of the kernel's threads, and all others */
        "7 (a) S 1 7 7 0 -1 2097152 1 1 1 1 1 1 1 1 20 0 1 0 1 1 1 1\n",
        "7 (a) S 1 7 7 0 -1 18446744073707454463 1 1 1 1 1 1 1 1 20 0 1 0 1 1 1 1\n",
    };
    golden_line("=== stat");
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        show_stat(t[i]);
    golden_line("=== which has ended"); /* perhaps only the main thread has */
    for (const char *state = "XxSRDTtZ"; *state; state++)
        for (uint64_t threads = 0; threads < 4; threads++)
            golden_line("%c, %llu threads: %d", *state, (ull)threads,
                        proc_stat_ended(&(struct proc_stat){.state = *state, .threads = threads}));
}

static void show_status(const char *what, const char *text)
{
    struct proc_status st = {0};

    if (text)
        tree_put("7/status", "%s", text);
    int rc = proc_status_read(root, 7, text ? 0 : 8, &st);
    golden_line("%s: %s, tgid %d, threads %llu, switches %llu %llu", what, strerror(rc),
                (int)st.tgid, (ull)st.threads, (ull)st.vol_switches, (ull)st.invol_switches);
}

static void odd_status(void)
{
    char text[20000] = "Name:\tTgid: 99\nTgid:\t7\nGroups:\t";
    size_t n = strlen(text);

    golden_line("=== status");
    for (int i = 0; i < 3000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d ", 1000 + i);
    snprintf(text + n, sizeof text - n,
             "\nThreads:\t3\nvoluntary_ctxt_switches:\t11\nnonvoluntary_ctxt_switches:\t22\n");
    show_status("a line of groups that is longer than any buffer of ours", text);
    text[strlen(text) - 1] = '\0';
    show_status("cut: 22 might have been 222", text);
    show_status("a word for a number", "Tgid:\t7\nThreads:\tmany\n");
    show_status("empty", "");
    show_status("a thread that is not there", NULL);
}

static void show_row(const char *text)
{
    const char *file = strstr(text, "bytes") ? "io" : "schedstat";
    uint64_t v[3] = {0};
    char path[20];

    snprintf(path, sizeof path, "7/%s", file);
    tree_put(path, "%s", text);
    int rc =
        *file == 'i' ? proc_io_read(root, 7, &v[0], &v[1]) : proc_row_read(root, 7, 0, file, v);
    golden_line("%s: %s  %s: %llu %llu %llu", file, text, strerror(rc), (ull)v[0], (ull)v[1],
                (ull)v[2]);
}

static void odd_lists(void)
{
    struct proc_tree tree = {0};
    struct pid_list list = {0};
    struct str scratch = STR_INIT;

    tree_put("20/stat", "20 (x) S 21" REST);
    tree_put("20/task/20/children", "21 22 22 99999999999 0 2"); /* the last one is cut */
    CHECK_INT(proc_list_children(root, 20, 0, &scratch, &list), 0);
    CHECK_INT(list.n, 3);
    tree_put("20/task/junk/x", "%s", "");
    tree_put("20/task/020/x", "%s", "");
    CHECK_INT(proc_list_tasks(root, 20, &list), 0);
    CHECK(list.n == 1 && list.ids[0] == 20);
    CHECK_INT(proc_list_tasks(root, 30, &list), ENOENT);
    /* a ring: 20 -> 21 -> 20 must end */
    tree_put("20/task/20/children", "21 ");
    tree_put("21/task/21/children", "20 ");
    CHECK_INT(proc_tree_find(&tree, root, 20), 0);
    CHECK(tree.found.n >= 2 && tree.found.n <= PROC_TREE_DEEP + 2);
    tree_put("20/stat", "20 (x) S 21 1 1" REST);
    tree_put("21/stat", "21 (x) S 20 1 1" REST);
    tree.no_children_files = true;
    CHECK_INT(proc_tree_find(&tree, root, 20), 0);
    CHECK(tree.found.n >= 1 && tree.found.n <= 8);
    proc_tree_free(&tree);
    pid_list_free(&list);
    str_free(&scratch);
}

static void show_host(const char *what, const char *text)
{
    struct proc_host h;
    struct err e = {0};

    if (text)
        tree_put("stat", "%s", text);
    if (proc_host_read(root, &h, &e)) {
        golden_line("%s: %s", what, e.msg);
        return;
    }
    golden_line("%s: %d CPUs, in %llu, cs %llu, boot %llu, forks %llu, r %llu, b %llu, ticks %llu",
                what, h.online_cpus, (ull)h.interrupts, (ull)h.switches, (ull)h.boot_s,
                (ull)h.forks, (ull)h.running, (ull)h.blocked, (ull)proc_cpu_total(&h.cpu));
    for (size_t i = 0; i < CPU_COLUMNS; i++)
        golden_line("  column %zu: %llu", i, (ull)h.cpu.column[i]);
}

static void odd_host(void)
{
    static const char *const counter[] = {"intr 3 9",    "ctxt 5",          "btime 6",
                                          "processes 7", "procs_running 8", "procs_blocked 9"};
    char text[30000] = "cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 77";

    golden_line("=== stat of the machine");
    for (int i = 0; i < 10000; i++)
        strcat(text, " 0");
    strcat(text, "\nctxt 5\nbtime 6\nprocesses 7\nprocs_running 8\nprocs_blocked 9\n");
    show_host("four columns, a long line of interrupts", text);
    for (size_t i = 0; i <= 6; i++) {
        strcpy(text, "cpu  1 2 4 8 16 32 64 128 256 512\ncpu0 1\ncpu11 1\ncpus 1\n");
        for (size_t k = 0; k < 6; k++)
            if (k != i)
                strcat(strcat(text, counter[k]), "\n");
        show_host(i < 6 ? counter[i] : "all", text); /* the one that is missing */
    }
    show_host("no line of a CPU", "cpu  1 2 3 4\nintr 1\nctxt 5\n");
    show_host("three columns", "cpu  1 2 3\ncpu0 1 2 3\nintr 1\nctxt 5\n");
    unlinkat(root, "stat", 0);
    show_host("no file", NULL);
}

static bool take_line(char *line, void *left)
{
    golden_line("  line '%s'", line);
    return --*(int *)left > 0;
}

static void show_word(const char *text)
{
    const char *file = strcmp(text, "none") == 0 ? "none" : "word";
    char buf[8];
    struct str s = STR_INIT;
    uint64_t v = 0;
    size_t len;

    tree_put("word", "%s", text);
    bool word = proc_word(root, file, buf, sizeof buf), number = proc_file_number(root, file, &v);
    golden_line("%s: %s '%s', %s %llu", text, word ? "word" : "no word", buf,
                number ? "number" : "no number", (ull)v);
    errno = EINTR; /* of another call: no reason to read on */
    int rc = proc_read(root, file, buf, sizeof buf, &len), all = proc_read_all(root, file, &s);
    golden_line("  read: %s, %zu '%s'; whole: %s, %zu '%s'", strerror(rc), len, buf, strerror(all),
                s.len, str_cstr(&s));
    str_free(&s);
}

static void show_keys(const char *text)
{
    uint64_t a = 8, b = 8;
    const struct proc_key key[] = {{"a", &a}, {"b", &b}};
    unsigned seen;

    tree_put("keys", "%s", text);
    int rc = proc_keys(root, *text ? "keys" : "none", key, 2, &seen);
    golden_line("%s  %s: seen %u, a %llu, b %llu", text, strerror(rc), seen, (ull)a, (ull)b);
}

/* Files as lines, as words, as numbers, as a command. */
static void files(void)
{
    char buf[8];
    struct str s = STR_INIT;
    size_t len;
    int left = 2;

    golden_line("=== words and numbers");
    golden_each("12\n|  7 x \n|max\n|5|a b\n\n|1234567|123456789\n||none", show_word);
    tree_put("word", "one\ntwo"); /* not one line: no need to stop before the end */
    CHECK_INT(proc_read(root, "word", buf, sizeof buf, &len), 0);
    CHECK_STR(buf, "one\ntwo");
    CHECK_INT(proc_read(root, ".", buf, sizeof buf, &len), EISDIR);
    CHECK(!proc_open_dir(root, "word"));
    CHECK_INT(errno, ENOTDIR);

    golden_line("=== lines");
    tree_put("lines", "first\nsecond\nthird\nno end");
    CHECK_INT(proc_each_line(root, "lines", take_line, &left), 0);
    CHECK_INT(proc_each_line(root, "lines", take_line, &(int){9}), 0);
    CHECK_INT(proc_each_line(root, "none", take_line, &left), ENOENT);
    CHECK_INT(proc_each_line(root, ".", take_line, &left), EISDIR);

    golden_line("=== keys: no line is read after the last one needed");
    golden_each("ab: 9\na: 1\nb 2\na: 7\n|b: x\na: 5\nB: 3\n|", show_keys);

    tree_put("7/cmdline", "%s", "");
    CHECK_INT(proc_command_read(root, 7, &s), 0);
    CHECK_INT(s.len, 0);
    int file = openat(root, "7/cmdline", O_WRONLY | O_TRUNC);
    CHECK_INT(write(file, "db\0--x\0y z\0\0", 12), 12);
    close(file);
    CHECK_INT(proc_command_read(root, 7, &s), 0);
    CHECK_STR(str_cstr(&s), "db --x y z");
    CHECK_INT(proc_command_read(root, 99, &s), ENOENT);
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
    pid_t child = idle_start();
    pid_list_free(&list);
    proc_tree_list(&tree, &self, 1, true, &list);
    CHECK(list.n == 2 && pid_is_one_of(self, list.ids, 2) && pid_is_one_of(child, list.ids, 2));
    pid_list_free(&list);
    proc_tree_list(&tree, (const pid_t[]){child, self, child}, 3, false, &list);
    CHECK_INT(list.n, 2);
    idle_end(child);
    pid_list_free(&list);
    proc_tree_free(&tree);
}

/* Three generations, found from above and from below, breadth first. */
static void generations(void)
{
    static const int process[][2] = {{40, 1},  {41, 40}, {42, 40}, {43, 41},
                                     {44, 42}, {45, 43}, {46, 1},  {47, 47}};
    static const pid_t want[] = {41, 42, 43, 44, 45};
    struct proc_tree tree = {0};
    char path[40], text[200], children[40];

    for (size_t i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "%d/stat", process[i][0]);
        snprintf(text, sizeof text, "%d (x) S %d%s", process[i][0], process[i][1], REST + 2);
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
        CHECK_INT(proc_tree_find(&tree, root, 40), 0);
        CHECK_INT(tree.found.n, 5);
        for (size_t i = 0; i < 5 && i < tree.found.n; i++)
            CHECK_INT(tree.found.ids[i], want[i]);
        CHECK_INT(tree.no_children_files, round > 0);
        CHECK_INT(proc_tree_find(&tree, root, 47), 0);
        CHECK_INT(tree.found.n, 0); /* not its own child */
        if (round == 0)             /* a kernel without these files */
            for (size_t i = 0; i < 8; i++) {
                snprintf(path, sizeof path, "%d/task/%d/children", process[i][0], process[i][0]);
                CHECK_INT(unlinkat(root, path, 0), 0);
            }
    }
    proc_tree_free(&tree);
    CHECK_INT(proc_tree_find(&tree, root, 99), ENOENT);
    CHECK(!tree.no_children_files);
    proc_tree_free(&tree);
}

static void show_number(const char *text)
{
    const char *p = text, *q = p;
    uint64_t v = 0;
    bool ok = proc_number(&p, &v), whole = proc_whole_number(&q, &(uint64_t){0});

    golden_line("'%s': %s %llu%s, then '%s'", text, ok ? "number" : "none", (ull)v,
                whole ? " whole" : "", p);
}

/* A process that ends between two readings, and one that never existed: errors, no figures. */
static void vanishing(void)
{
    int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    struct proc_stat st;
    struct pid_list list = {0};
    pid_t pid = idle_start();

    CHECK_INT(proc_stat_read(fd, pid, &st), 0);
    CHECK_INT(st.ppid, getpid());
    idle_end(pid);
    CHECK(proc_is_gone(proc_stat_read(fd, pid, &st)));
    CHECK(proc_is_gone(proc_list_tasks(fd, pid, &list)));
    pid_list_free(&list);
    close(fd);
}

TEST_MAIN(proc_pid_test)
{
    tree_begin();
    golden_line("=== numbers");
    golden_each("0| \t12 |-5 |18446744073709551615\n|18446744073709551616\n|"
                "99999999999999999999999999 ||-|x|/|:|19x|18446744073709551609 |"
                "28446744073709551615 ",
                show_number);
    lists();
    vanishing();
    root = open(test_tree, O_RDONLY | O_DIRECTORY);
    CHECK(root >= 0);
    odd_stats();
    files();
    odd_status();
    golden_line("=== rows of numbers");
    golden_each("1 2 3 0 0 0 0\n|1 2 3|18446744073709551615 18446744073709551614 3\n|1 2\n|"
                "rchar: 1\nread_bytes: 2\ncancelled_write_bytes: 4\nwrite_bytes: 3\n|"
                "rchar: 1\nread_bytes: 2\n",
                show_row);
    CHECK_INT(proc_io_read(root, 9, &(uint64_t){0}, &(uint64_t){0}), ENOENT);
    CHECK(proc_is_gone(ENOENT) && proc_is_gone(ESRCH) && !proc_is_gone(EACCES));
    odd_lists();
    odd_host();
    generations();
    close(root);
    golden_done("proc_pid_test");
    return test_done("proc_pid");
}
