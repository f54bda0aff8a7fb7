/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See facts.h.
 */
#include "cli/facts.h"

#include <ctype.h>
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql/sql.h"

/* `value` is the environment's from now on; NULL: missing. */
static void add(struct facts *v, const char *name, char *value, const char *missing, bool number)
{
    if (v->n < FACTS_MOST)
        v->fact[v->n++] = (struct report_fact){.name = name, .value = value, .missing = missing, .number = number};
    else
        free(value);
}

/* The rest of the first line that begins with `key`, or with "" the first line; NULL: there is none. */
static char *line_of(const char *path, const char *key)
{
    FILE *f = fopen(path, "r");
    char line[512], *found = NULL;

    if (!f)
        return NULL;
    while (!found && fgets(line, sizeof line, f)) {
        char *p = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        p += strspn(p, " \t:");
        p[strcspn(p, "\n")] = '\0';
        found = mem_strdup(p);
    }
    fclose(f);
    return found;
}

static void machine(struct facts *v)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct utsname u;
    bool known = uname(&u) == 0;

    add(v, "host", known ? mem_strdup(u.nodename) : NULL, "uname failed", false);
    add(v, "kernel", known ? mem_printf("%s %s %s", u.sysname, u.release, u.version) : NULL, "uname failed", false);
    add(v, "machine", known ? mem_strdup(u.machine) : NULL, "uname failed", false);
    add(v, "cpu_model", line_of("/proc/cpuinfo", "model name"), "/proc/cpuinfo does not name it", false);
    add(v, "cpus_online", cpus > 0 ? mem_printf("%ld", cpus) : NULL, "the system does not say", true);
    add(v, "cpu_governor", line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""),
        "the kernel shows no frequency scaling", false);
    add(v, "memory_bytes", pages > 0 && page > 0 ? mem_printf("%lld", (long long)pages * page) : NULL,
        "the system does not say", true);
}

static void libraries(struct facts *v)
{
    add(v, "luajit", mem_strdup(LUAJIT_VERSION), NULL, false);
    for (size_t i = 0; sql_driver_at(i); i++)
        add(v, strcmp(sql_driver_at(i)->sname, "mysql") == 0 ? "mysql_library" : "pgsql_library",
            mem_strdup(sql_driver_library(i)), NULL, false);
}

void facts_read(struct facts *v)
{
    v->n = 0;
    machine(v);
    libraries(v);
}

void facts_free(struct facts *v)
{
    for (size_t i = 0; i < v->n; i++)
        free((char *)(uintptr_t)v->fact[i].value);
    v->n = 0;
}
