/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See environment.h.  It is read once per run, so files are opened one by one.
 */
#include "telemetry/environment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "telemetry/proc.h"

/* Makes one line: values that are compared and shown line by line must not contain line breaks. */
static char *formatted(const char *fmt, va_list ap)
{
    char small[512], *text;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(small, sizeof small, fmt, ap);
    if (n >= (int)sizeof small) {
        text = mem_alloc((size_t)n + 1);
        vsnprintf(text, (size_t)n + 1, fmt, again);
    } else {
        text = mem_strdup(n >= 0 ? small : "");
    }
    va_end(again);
    str_printable(text, strlen(text), ' ', "");
    return text;
}

static struct environment_item *new_item(struct environment *e, const char *key)
{
    if (e->n == e->cap) {
        e->cap = e->cap ? 2 * e->cap : 32;
        e->item = mem_grow(e->item, e->cap, sizeof *e->item);
    }
    e->item[e->n] = (struct environment_item){.key = mem_strdup(key)};
    return &e->item[e->n++];
}

void environment_add(struct environment *e, const char *key, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    new_item(e, key)->value = formatted(fmt, ap);
    va_end(ap);
}

void environment_missing(struct environment *e, const char *key, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    new_item(e, key)->missing = formatted(fmt, ap);
    va_end(ap);
}

const struct environment_item *environment_find(const struct environment *e, const char *key)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->item[i].key, key) == 0)
            return &e->item[i];
    return NULL;
}

const char *environment_get(const struct environment *e, const char *key)
{
    const struct environment_item *item = environment_find(e, key);

    return item ? item->value : NULL;
}

void environment_to_text(struct str *out, const struct environment_item *item)
{
    if (item->missing)
        str_printf(out, "n/a (%s)", item->missing);
    else
        str_adds(out, item->value);
}

void environment_from_text(struct environment *e, const char *key, const char *text)
{
    size_t n = strlen(text);

    if (strncmp(text, "n/a (", 5) == 0 && text[n - 1] == ')')
        environment_missing(e, key, "%.*s", (int)(n - 6), text + 5);
    else
        environment_add(e, key, "%s", text);
}

void environment_free(struct environment *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->item[i].key);
        free(e->item[i].value);
        free(e->item[i].missing);
    }
    free(e->item);
    *e = (struct environment){0};
}

/* --- the host --- */

/* A file of one line; false when it is not there. */
static bool add_file(struct environment *e, const char *key, int root_fd, const char *path)
{
    char text[512];
    size_t len;

    if (root_fd < 0 || proc_read(root_fd, path, text, sizeof text, &len) != 0)
        return false;
    while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
        text[--len] = '\0';
    environment_add(e, key, "%s", text);
    return true;
}

struct cpuinfo {
    char model[160];
    unsigned count;
};

/* "model name" (x86), "cpu" (POWER), "Model" (some ARM); the first one is enough. */
static bool take_cpuinfo(char *line, void *arg)
{
    struct cpuinfo *c = arg;
    char *colon = strchr(line, ':');

    c->count += strncmp(line, "processor", 9) == 0;
    if (!c->model[0] && colon &&
        (strncmp(line, "model name", 10) == 0 || strncmp(line, "cpu\t", 4) == 0 ||
         strncmp(line, "Model\t", 6) == 0))
        snprintf(c->model, sizeof c->model, "%s", colon + 1 + strspn(colon + 1, " "));
    return true;
}

static void add_cpu(struct environment *e, int proc_fd, int sys_fd)
{
    struct cpuinfo c = {0};
    char path[] = "devices/system/cpu/cpu0/cpufreq/scaling_governor";

    if (proc_fd >= 0 && proc_each_line(proc_fd, "cpuinfo", take_cpuinfo, &c) == 0) {
        if (c.model[0])
            environment_add(e, "host.cpu.model", "%s", c.model);
        else
            environment_missing(e, "host.cpu.model", "/proc/cpuinfo does not name it");
        environment_add(e, "host.cpu.count", "%u", c.count);
    }
    add_file(e, "host.cpu.online", sys_fd, "devices/system/cpu/online");
    if (!add_file(e, "host.cpu.governor", sys_fd, path))
        environment_missing(e, "host.cpu.governor", "no cpufreq: not reported by this machine");
    add_file(e, "host.cpu.driver", sys_fd, "devices/system/cpu/cpu0/cpufreq/scaling_driver");
    add_file(e, "host.cpu.no_turbo", sys_fd, "devices/system/cpu/intel_pstate/no_turbo");
    add_file(e, "host.cpu.boost", sys_fd, "devices/system/cpu/cpufreq/boost");
    add_file(e, "host.cpu.smt", sys_fd, "devices/system/cpu/smt/control");
    add_file(e, "host.numa_nodes", sys_fd, "devices/system/node/online");
    add_file(e, "host.clocksource", sys_fd,
             "devices/system/clocksource/clocksource0/current_clocksource");
}

static int by_text(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static void add_mitigations(struct environment *e, int sys_fd)
{
    static const char folder[] = "devices/system/cpu/vulnerabilities";
    struct dirent **name;
    int n = sys_fd < 0 ? -1 : scandirat(sys_fd, folder, &name, is_visible, by_text);

    for (int i = 0; i < n; i++) {
        char path[400], key[300];
        snprintf(path, sizeof path, "%s/%s", folder, name[i]->d_name);
        snprintf(key, sizeof key, "host.mitigation.%s", name[i]->d_name);
        add_file(e, key, sys_fd, path);
        free(name[i]);
    }
    if (n >= 0)
        free(name);
}

static bool take_memory(char *line, void *arg)
{
    const char *p = line + 9;
    uint64_t kib;

    if (strncmp(line, "MemTotal:", 9) != 0 || !proc_number(&p, &kib))
        return true;
    environment_add(arg, "host.memory_bytes", "%llu", (unsigned long long)kib * 1024);
    return false;
}

static bool take_system(char *line, void *arg)
{
    char *text = line + 12;
    size_t n;

    if (strncmp(line, "PRETTY_NAME=", 12) != 0)
        return true;
    text += *text == '"';
    n = strcspn(text, "\"");
    environment_add(arg, "host.system", "%.*s", (int)n, text);
    return false;
}

static void add_system(struct environment *e)
{
    int etc = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (etc >= 0) {
        proc_each_line(etc, "os-release", take_system, e);
        close(etc);
    }
}

void environment_host(struct environment *e, const char *proc_root, const char *sys_root)
{
    int proc_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int sys_fd = open(sys_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct utsname u;

    if (uname(&u) == 0) {
        environment_add(e, "host.name", "%s", u.nodename);
        environment_add(e, "host.kernel", "%s %s %s %s", u.sysname, u.release, u.version,
                        u.machine);
    }
    add_system(e);
    add_file(e, "host.kernel_command", proc_fd, "cmdline");
    add_cpu(e, proc_fd, sys_fd);
    if (proc_fd >= 0)
        proc_each_line(proc_fd, "meminfo", take_memory, e);
    add_file(e, "host.transparent_hugepage", sys_fd, "kernel/mm/transparent_hugepage/enabled");
    add_file(e, "host.transparent_hugepage_defrag", sys_fd,
             "kernel/mm/transparent_hugepage/defrag");
    add_file(e, "host.swappiness", proc_fd, "sys/vm/swappiness");
    add_file(e, "host.hypervisor", sys_fd, "hypervisor/type");
    add_mitigations(e, sys_fd);
    if (proc_fd >= 0)
        close(proc_fd);
    if (sys_fd >= 0)
        close(sys_fd);
}

/* --- the server's process --- */

struct libraries {
    struct environment *e;
    size_t first; /* items before it are of others */
};

/* address perms offset dev inode path */
static bool take_map(char *line, void *arg)
{
    struct libraries *l = arg;
    char *path = strchr(line, '/'), *perms = strchr(line, ' ');

    if (!path || !perms || perms > path || perms[3] != 'x')
        return true;
    for (size_t i = l->first; i < l->e->n; i++)
        if (strcmp(l->e->item[i].value, path) == 0)
            return true;
    environment_add(l->e, "server.library", "%s", path);
    return true;
}

static void add_command(struct environment *e, const char *key, int root_fd, pid_t pid)
{
    struct str s = STR_INIT;
    char path[32];
    int rc;

    snprintf(path, sizeof path, "%d/cmdline", (int)pid);
    rc = proc_read_all(root_fd, path, &s);
    for (size_t i = 0; i + 1 < s.len; i++)
        if (s.s[i] == '\0')
            s.s[i] = ' ';
    if (rc)
        environment_missing(e, key, "%s", strerror(rc));
    else
        environment_add(e, key, "%s", str_cstr(&s));
    str_free(&s);
}

void environment_process(struct environment *e, const char *proc_root, pid_t pid)
{
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
    struct libraries l = {.e = e};
    struct proc_stat st;
    char path[32];

    if (root_fd < 0)
        return;
    if (proc_stat_read(root_fd, pid, &st) == 0)
        environment_add(e, "server.process", "%s (pid %d)", st.comm, (int)pid);
    add_command(e, "server.command", root_fd, pid);
    l.first = e->n;
    snprintf(path, sizeof path, "%d/maps", (int)pid);
    rc = proc_each_line(root_fd, path, take_map, &l);
    if (rc)
        environment_missing(e, "server.library", "%s",
                            rc == EACCES || rc == EPERM
                                ? "only the server's own user and root may see what it maps"
                                : strerror(rc));
    close(root_fd);
}
