/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the environment: from small made-up trees, and of this process.
 */
#include "telemetry/environment.h"

#include <fcntl.h>

#include "base/test_golden.h"
#include "base/test_tree.h"
#include "telemetry/test_rights.h"

/* All items from number `first` on, a line each. */
static void show(const char *title, const struct environment *e, size_t first)
{
    struct str s = STR_INIT;

    golden_line("=== %s", title);
    for (size_t i = first; i < e->n; i++) {
        str_reset(&s);
        environment_to_text(&s, &e->item[i]);
        golden_line("%s %s %s", e->item[i].key, e->item[i].missing ? "lacks" : "is", str_cstr(&s));
    }
    str_free(&s);
}

/* Items as one line of text, and back. */
static void check_text(void)
{
    struct environment e = {0}, back = {0};
    struct str s = STR_INIT;

    environment_add(&e, "k", "%s", "");
    environment_add(&e, "k", "a value");
    environment_add(&e, "k", "two\nlines");
    environment_add(&e, "k", "n/a (");
    environment_add(&e, "k", "n/a (open");
    environment_missing(&e, "k", "why");
    environment_missing(&e, "k", "%s", "");
    environment_missing(&e, "k", "a\tb (c)");
    for (size_t i = 0; i < e.n; i++) {
        str_reset(&s);
        environment_to_text(&s, &e.item[i]);
        environment_from_text(&back, "k", str_cstr(&s));
    }
    show("items", &e, 0);
    show("items, and back", &back, 0);
    str_free(&s);
    environment_free(&e);
    environment_free(&back);
}

static void check_list(void)
{
    struct environment e = {0};
    char want[2001];

    memset(want, 'x', 2000);
    want[2000] = '\0';
    environment_add(&e, "a", "%s", want); /* any length */
    environment_add(&e, "b", "%s", "two\nlines\tand more");
    for (int i = 0; i < 100; i++)
        environment_add(&e, "c", "%d", i);
    CHECK_INT(e.n, 102);
    CHECK_STR(environment_get(&e, "a"), want);
    CHECK_STR(environment_get(&e, "b"), "two lines and more");
    CHECK_STR(environment_get(&e, "c"), "0");
    CHECK(environment_get(&e, "d") == NULL);
    environment_free(&e);
    CHECK(e.n == 0 && e.item == NULL);
}

/* What this machine's /etc/os-release calls its system. */
static void check_system(const struct environment *e)
{
    char line[300], name[300] = "";
    FILE *f = fopen("/etc/os-release", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "PRETTY_NAME=\"%299[^\"]\"", name) == 1)
            break;
    if (f)
        fclose(f);
    if (*name)
        CHECK_STR(environment_get(e, "host.system"), name);
    else
        CHECK(environment_get(e, "host.system") == NULL);
}

static int open_files(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

/* A machine that tells everything, and one that tells nothing. */
static void check_all(void)
{
    static const char *const file[][2] = {
        {"all/proc/cmdline", "quiet\n"},
        {"all/proc/cpuinfo", "processor : 0\ncpu\t\t: POWER9\nmodel name : later\n"},
        {"all/proc/meminfo", "MemTotal: 2 kB\n"},
        {"all/proc/sys/vm/swappiness", "60\n"},
        {"all/sys/devices/system/cpu/online", "0-7\n"},
        {"all/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n"},
        {"all/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"},
        {"all/sys/devices/system/cpu/cpufreq/boost", "1\n"},
        {"all/sys/devices/system/cpu/smt/control", "on\n"},
        {"all/sys/devices/system/node/online", "0-1\n"},
        {"all/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
        {"all/sys/kernel/mm/transparent_hugepage/enabled", "[always]\n"},
        {"all/sys/kernel/mm/transparent_hugepage/defrag", "[defer]\n"},
        {"all/sys/hypervisor/type", "xen\n"},
        {"all/sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n"},
        {"all/sys/devices/system/cpu/vulnerabilities/.hidden", "x\n"},
    };
    static const char *const cpuinfo[] = {
        "Model\t\t: Raspberry Pi 4\nprocessor : 0\n", "model name\t:X\n",
        "model names: no\nModel : no\ncpu : no\ncpux\t: no\nmodel name\t: yes\n",
        "Models\t: no\ncpu MHz: 1\nmodel nam: no\n"};
    struct environment e = {0}, none = {0};
    const char *proc = tree_path("all/proc"), *sys = tree_path("all/sys");

    environment_host(&none, "/nowhere", "/nowhere");
    CHECK_STR(none.item[0].key, "host.name");
    CHECK_STR(none.item[1].key, "host.kernel");
    show("a machine that tells nothing", &none, none.n - 1);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        tree_put(file[i][0], "%s", file[i][1]);
    environment_host(&e, proc, sys);
    show("a machine that tells everything", &e, none.n - 1);
    environment_free(&e);
    tree_remove("all/sys");
    for (size_t i = 0; i < sizeof cpuinfo / sizeof *cpuinfo; i++) {
        tree_put("all/proc/cpuinfo", "%s", cpuinfo[i]);
        environment_host(&e, proc, sys);
        show(cpuinfo[i], &e, none.n - 1);
        environment_free(&e);
    }
    environment_free(&none);
}

/* The first of two CPUs, a governor, and no file that stays open. */
static void check_host(void)
{
    int files = open_files();
    struct environment e = {0};

    tree_put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\n\nprocessor\t: 1\n"
                             "model name\t: Other\n");
    tree_put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    environment_host(&e, tree_path("proc"), tree_path("sys"));
    CHECK(strstr(environment_get(&e, "host.kernel"), "Linux") != NULL);
    CHECK_STR(environment_get(&e, "host.cpu.model"), "Fast CPU @ 3 GHz");
    CHECK_STR(environment_get(&e, "host.cpu.count"), "2");
    CHECK_STR(environment_get(&e, "host.cpu.governor"), "powersave");
    CHECK(environment_get(&e, "host.swappiness") == NULL);
    check_system(&e);
    environment_free(&e);
    CHECK_INT(open_files(), files);
}

static void check_foreign(void *root)
{
    struct environment e = {0};

    environment_process(&e, "/proc", *(pid_t *)root);
    CHECK_INT(e.n, 3);
    CHECK_STR(e.item[2].missing, "only the server's own user and root may see what it maps");
    environment_free(&e);
}

static void check_process(void)
{
    struct environment e = {0};
    const char *proc = tree_path("proc");

    tree_put("proc/77/stat",
             "77 (db) S 1 77 77 0 -1 0 0 0 0 0 1 1 0 0 20 0 5 0 100 0 10 0 0 0 0 0 0 0 "
             "0 0 0 0 0 0 0 0\n");
    tree_put("proc/77/cmdline", "/usr/sbin/db");
    tree_put("proc/77/maps", "55e0-55e1 r--p 00000000 fe:00 1 /usr/sbin/db\n"
                             "55e1-55e2 r-xp 00001000 fe:00 1 /usr/sbin/db\n"
                             "7f00-7f01 r-xp 00000000 fe:00 2 /usr/lib/libjemalloc.so.2\n"
                             "7f01-7f02 rw-p 00000000 fe:00 3 /dev/shm/data\n"
                             "7f02-7f03 r-xp 00000000 00:00 0 [vdso]\n"
                             "7f03-7f04 r-xp 00000000 fe:00 2 /usr/lib/libjemalloc.so.2\n");
    environment_process(&e, proc, 77);
    show("a process", &e, 0);
    environment_free(&e);
    tree_put("proc/77/cmdline", "%s", "");
    tree_put("proc/77/maps", "%s", "");
    environment_add(&e, "other", "/usr/sbin/db");
    environment_process(&e, proc, 77);
    show("a process without a command and libraries", &e, 0);
    environment_free(&e);
    environment_process(&e, "/nowhere", 77);
    CHECK_INT(e.n, 0);
    environment_process(&e, "/proc", getpid());
    CHECK(strstr(environment_get(&e, "server.command"), "environment_test") != NULL);
    CHECK(environment_get(&e, "server.library")[0] == '/');
    environment_free(&e);
    environment_process(&e, proc, 78);
    show("no process", &e, 0);
    environment_free(&e);
    if (geteuid() == 0)
        test_without_rights(false, check_foreign, &(pid_t){getpid()});
}

TEST_MAIN(environment_test)
{
    tree_begin();
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    check_list();
    check_text();
    check_all();
    check_host();
    check_process();
    golden_done("environment_test");
    return test_done("environment");
}
