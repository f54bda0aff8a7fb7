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

/* A new item with one text, a value or a reason.  It is one line: values that are compared and
 * shown line by line must not contain line breaks. */
void environment_put(struct environment *e, const char *key, bool missing, const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = mem_strdup("");
    va_end(ap);
    str_printable(text, strlen(text), ' ');
    e->item = mem_append(e->item, e->n, sizeof *e->item);
    struct environment_item *item = &e->item[e->n++];
    *item = (struct environment_item){.key = mem_strdup(key)};
    *(missing ? &item->missing : &item->value) = text;
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

    if (!proc_word(root_fd, path, text, sizeof text))
        return false;
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

static bool take_system(char *line, void *arg)
{
    char *text = line + 12;

    if (strncmp(line, "PRETTY_NAME=", 12) != 0)
        return true;
    text += *text == '"';
    environment_add(arg, "host.system", "%.*s", (int)strcspn(text, "\""), text);
    return false;
}

static int is_visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

void environment_host(struct environment *e, const char *proc_root, const char *sys_root)
{
#define CPU "devices/system/cpu/"
    static const struct {
        const char *key, *path;
    } cpu[] = {{"host.cpu.driver", CPU "cpu0/cpufreq/scaling_driver"},
               {"host.cpu.no_turbo", CPU "intel_pstate/no_turbo"},
               {"host.cpu.boost", CPU "cpufreq/boost"},
               {"host.cpu.smt", CPU "smt/control"},
               {"host.numa_nodes", "devices/system/node/online"},
               {"host.clocksource", "devices/system/clocksource/clocksource0/current_clocksource"}};
    int proc_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), n;
    int sys_fd = open(sys_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct cpuinfo c = {0};
    struct dirent **name;
    struct utsname u;
    uint64_t kib;

    if (uname(&u) == 0) {
        environment_add(e, "host.name", "%s", u.nodename);
        environment_add(e, "host.kernel", "%s %s %s %s", u.sysname, u.release, u.version,
                        u.machine);
    }
    proc_each_line(-1, "/etc/os-release", take_system, e);
    add_file(e, "host.kernel_command", proc_fd, "cmdline");
    if (proc_each_line(proc_fd, "cpuinfo", take_cpuinfo, &c) == 0) {
        if (c.model[0])
            environment_add(e, "host.cpu.model", "%s", c.model);
        else
            environment_missing(e, "host.cpu.model", "/proc/cpuinfo does not name it");
        environment_add(e, "host.cpu.count", "%u", c.count);
    }
    add_file(e, "host.cpu.online", sys_fd, CPU "online");
    if (!add_file(e, "host.cpu.governor", sys_fd, CPU "cpu0/cpufreq/scaling_governor"))
        environment_missing(e, "host.cpu.governor", "no cpufreq: not reported by this machine");
    for (size_t i = 0; i < sizeof cpu / sizeof *cpu; i++)
        add_file(e, cpu[i].key, sys_fd, cpu[i].path);
    if (proc_keys(proc_fd, "meminfo", &(struct proc_key){"MemTotal", &kib}, 1, NULL) == 0)
        environment_add(e, "host.memory_bytes", "%llu", (ull)kib * 1024);
    add_file(e, "host.transparent_hugepage", sys_fd, "kernel/mm/transparent_hugepage/enabled");
    add_file(e, "host.transparent_hugepage_defrag", sys_fd,
             "kernel/mm/transparent_hugepage/defrag");
    add_file(e, "host.swappiness", proc_fd, "sys/vm/swappiness");
    add_file(e, "host.hypervisor", sys_fd, "hypervisor/type");
    n = sys_fd < 0 ? -1 : scandirat(sys_fd, CPU "vulnerabilities", &name, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[400], key[300];
        snprintf(path, sizeof path, CPU "vulnerabilities/%s", name[i]->d_name);
        snprintf(key, sizeof key, "host.mitigation.%s", name[i]->d_name);
        add_file(e, key, sys_fd, path);
        free(name[i]);
    }
    if (n >= 0)
        free(name);
    fd_close(proc_fd);
    fd_close(sys_fd);
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

void environment_process(struct environment *e, const char *proc_root, pid_t pid)
{
    int root_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
    struct libraries l = {.e = e};
    struct str s = STR_INIT;
    struct proc_stat st;
    char path[32];

    if (root_fd < 0)
        return;
    if (proc_stat_read(root_fd, pid, &st) == 0)
        environment_add(e, "server.process", "%s (pid %d)", st.comm, (int)pid);
    rc = proc_command_read(root_fd, pid, &s);
    if (rc)
        environment_missing(e, "server.command", "%s", strerror(rc));
    else
        environment_add(e, "server.command", "%.*s", (int)s.len, str_cstr(&s));
    str_free(&s);
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
