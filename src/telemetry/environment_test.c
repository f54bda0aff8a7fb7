/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the environment: from small made-up trees, and of this process.
 */
#include "telemetry/environment.h"

#include <fcntl.h>

#include "base/test_tree.h"

static void check_missing(const struct environment *e, const char *key, const char *why)
{
    const struct environment_item *item = environment_find(e, key);

    CHECK(item != NULL);
    CHECK(environment_get(e, key) == NULL);
    if (item)
        CHECK_STR(item->missing, why);
}

/* Items as one line of text, and back. */
static void check_text(void)
{
    static const struct {
        const char *value, *missing, *text;
    } t[] = {
        {"", NULL, ""},
        {"a value", NULL, "a value"},
        {"two\nlines", NULL, "two lines"},
        {"n/a", NULL, "n/a"},
        {"n/a (", NULL, "n/a ("},
        {"n/a (open", NULL, "n/a (open"},
        {NULL, "why", "n/a (why)"},
        {NULL, "", "n/a ()"},
        {NULL, "a\tb (c)", "n/a (a b (c))"},
    };
    struct environment e = {0}, back = {0};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str s = STR_INIT;
        if (t[i].value)
            environment_add(&e, "k", "%s", t[i].value);
        else
            environment_missing(&e, "k", "%s", t[i].missing);
        environment_to_text(&s, &e.item[i]);
        CHECK_STR(str_cstr(&s), t[i].text);
        environment_from_text(&back, "k", str_cstr(&s));
        CHECK(!back.item[i].value == !t[i].value && !back.item[i].missing == !t[i].missing);
        CHECK_STR(t[i].value ? back.item[i].value : back.item[i].missing,
                  t[i].value ? e.item[i].value : e.item[i].missing);
        str_free(&s);
    }
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

/* All items from `first` on, a line each. */
static void check_items(const struct environment *e, size_t first, const char *want)
{
    struct str s = STR_INIT;

    for (size_t i = first; i < e->n; i++) {
        str_printf(&s, "%s=", e->item[i].key);
        environment_to_text(&s, &e->item[i]);
        str_adds(&s, "\n");
    }
    CHECK_STR(str_cstr(&s), want);
    str_free(&s);
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
    static const char *const model[][2] = {
        {"Model\t\t: Raspberry Pi 4\nprocessor : 0\n", "Raspberry Pi 4"},
        {"model name\t:X\n", "X"},
        {"model names: no\nModel : no\ncpu : no\ncpux\t: no\nmodel name\t: yes\n", "no"},
        {"Models\t: no\ncpu MHz: 1\nmodel nam: no\n", NULL},
    };
    struct environment e = {0}, none = {0};
    const char *proc = tree_path("all/proc"), *sys = tree_path("all/sys");

    environment_host(&none, "/nowhere", "/nowhere");
    CHECK_STR(none.item[0].key, "host.name");
    CHECK_STR(none.item[1].key, "host.kernel");
    check_items(&none, none.n - 1,
                "host.cpu.governor=n/a (no cpufreq: not reported by this machine)\n");
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        tree_put(file[i][0], "%s", file[i][1]);
    environment_host(&e, proc, sys);
    check_items(&e, none.n - 1,
                "host.kernel_command=quiet\nhost.cpu.model=POWER9\nhost.cpu.count=1\n"
                "host.cpu.online=0-7\n"
                "host.cpu.governor=n/a (no cpufreq: not reported by this machine)\n"
                "host.cpu.driver=intel_pstate\nhost.cpu.no_turbo=0\nhost.cpu.boost=1\n"
                "host.cpu.smt=on\nhost.numa_nodes=0-1\nhost.clocksource=tsc\n"
                "host.memory_bytes=2048\nhost.transparent_hugepage=[always]\n"
                "host.transparent_hugepage_defrag=[defer]\nhost.swappiness=60\n"
                "host.hypervisor=xen\nhost.mitigation.mds=Not affected\n");
    environment_free(&e);
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
        tree_put("all/proc/cpuinfo", "%s", model[i][0]);
        environment_host(&e, proc, sys);
        if (model[i][1])
            CHECK_STR(environment_get(&e, "host.cpu.model"), model[i][1]);
        else
            check_missing(&e, "host.cpu.model", "/proc/cpuinfo does not name it");
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
    CHECK_STR(environment_get(&e, "server.process"), "db (pid 77)");
    CHECK_STR(environment_get(&e, "server.command"), "/usr/sbin/db");
    check_items(&e, 0,
                "server.process=db (pid 77)\nserver.command=/usr/sbin/db\n"
                "server.library=/usr/sbin/db\nserver.library=/usr/lib/libjemalloc.so.2\n");
    environment_free(&e);
    tree_put("proc/77/cmdline", "%s", "");
    tree_put("proc/77/maps", "%s", "");
    environment_add(&e, "other", "/usr/sbin/db");
    environment_process(&e, proc, 77);
    check_items(&e, 0, "other=/usr/sbin/db\nserver.process=db (pid 77)\nserver.command=\n");
    environment_free(&e);
    environment_process(&e, "/nowhere", 77);
    CHECK_INT(e.n, 0);
    environment_process(&e, "/proc", getpid());
    CHECK(strstr(environment_get(&e, "server.command"), "environment_test") != NULL);
    CHECK(environment_get(&e, "server.library")[0] == '/');
    environment_free(&e);
    environment_process(&e, proc, 78); /* it is not there */
    check_missing(&e, "server.command", "No such file or directory");
    check_missing(&e, "server.library", "No such file or directory");
    environment_free(&e);
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
    return test_done("environment");
}
