/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the environment: from small made-up trees, and of this process.
 */
#include "telemetry/environment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_tree.h"

static char tree[] = "/tmp/sb-env-XXXXXX";

static void write_file(const char *path, const char *text)
{
    test_tree_put(tree, path, text);
}

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

static void check_host(void)
{
    int files = open_files();
    struct environment e = {0};
    char proc[100], sys[100];

    write_file(
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\n\nprocessor\t: 1\nmodel name\t: Other\n");
    write_file("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 5 kB\n");
    write_file("proc/cmdline", "BOOT_IMAGE=/vmlinuz mitigations=off\n");
    write_file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write_file("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
    write_file("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Vulnerable\n");
    write_file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    snprintf(proc, sizeof proc, "%s/proc", tree);
    snprintf(sys, sizeof sys, "%s/sys", tree);
    environment_host(&e, proc, sys);
    CHECK(environment_get(&e, "host.kernel") &&
          strstr(environment_get(&e, "host.kernel"), "Linux") != NULL);
    CHECK_STR(environment_get(&e, "host.cpu.model"), "Fast CPU @ 3 GHz");
    CHECK_STR(environment_get(&e, "host.cpu.count"), "2");
    CHECK_STR(environment_get(&e, "host.cpu.governor"), "powersave");
    CHECK_STR(environment_get(&e, "host.memory_bytes"), "16777216");
    CHECK_STR(environment_get(&e, "host.kernel_command"), "BOOT_IMAGE=/vmlinuz mitigations=off");
    CHECK_STR(environment_get(&e, "host.transparent_hugepage"), "always [madvise] never");
    CHECK_STR(environment_get(&e, "host.mitigation.meltdown"), "Mitigation: PTI");
    CHECK_STR(environment_get(&e, "host.mitigation.spectre_v2"), "Vulnerable");
    CHECK(environment_get(&e, "host.swappiness") == NULL);
    check_system(&e);
    environment_free(&e);
    CHECK_INT(open_files(), files);
    write_file("proc/cpuinfo", "processor\t: 0\nflags\t: fast\n");
    environment_host(&e, proc, sys);
    check_missing(&e, "host.cpu.model", "/proc/cpuinfo does not name it");
    CHECK_STR(environment_get(&e, "host.cpu.count"), "1");
    environment_free(&e);
    environment_host(&e, "/nowhere", "/nowhere");
    CHECK(environment_find(&e, "host.cpu.model") == NULL);
    check_missing(&e, "host.cpu.governor", "no cpufreq: not reported by this machine");
    environment_free(&e);
}

static void check_process(void)
{
    struct environment e = {0};
    char proc[100];
    int libraries = 0;

    write_file("proc/77/stat",
               "77 (db) S 1 77 77 0 -1 0 0 0 0 0 1 1 0 0 20 0 5 0 100 0 10 0 0 0 0 0 0 0 "
               "0 0 0 0 0 0 0 0\n");
    write_file("proc/77/cmdline", "/usr/sbin/db");
    write_file("proc/77/maps", "55e0-55e1 r--p 00000000 fe:00 1 /usr/sbin/db\n"
                               "55e1-55e2 r-xp 00001000 fe:00 1 /usr/sbin/db\n"
                               "7f00-7f01 r-xp 00000000 fe:00 2 /usr/lib/libjemalloc.so.2\n"
                               "7f01-7f02 rw-p 00000000 fe:00 3 /dev/shm/data\n"
                               "7f02-7f03 r-xp 00000000 00:00 0 [vdso]\n"
                               "7f03-7f04 r-xp 00000000 fe:00 2 /usr/lib/libjemalloc.so.2\n");
    snprintf(proc, sizeof proc, "%s/proc", tree);
    environment_process(&e, proc, 77);
    CHECK_STR(environment_get(&e, "server.process"), "db (pid 77)");
    CHECK_STR(environment_get(&e, "server.command"), "/usr/sbin/db");
    for (size_t i = 0; i < e.n; i++)
        libraries += strcmp(e.item[i].key, "server.library") == 0;
    CHECK_INT(libraries, 2);
    CHECK_STR(e.item[e.n - 1].value, "/usr/lib/libjemalloc.so.2");
    environment_free(&e);
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
    char command[60];

    CHECK(mkdtemp(tree) != NULL);
    check_list();
    check_text();
    check_host();
    check_process();
    snprintf(command, sizeof command, "rm -rf %s", tree);
    CHECK_INT(system(command), 0);
    return test_done("environment");
}
