/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See facts.h.
 */
#include "session/facts.h"

#include <luajit.h>
#include <stdio.h>
#include <string.h>

#include "sql/sql.h"

static const char not_reported[] = "not reported by the system";

static void add(struct facts *v, const char *name, const char *value, const char *missing,
                bool number)
{
    if (v->n < FACTS_MAX)
        v->fact[v->n++] = (struct report_fact){
            .name = name, .value = value, .missing = value ? NULL : missing, .number = number};
}

/* The last word of the text from uname(2). */
static const char *machine_of(const struct environment *host)
{
    const char *kernel = environment_get(host, "host.kernel");
    const char *word = kernel ? strrchr(kernel, ' ') : NULL;

    return word ? word + 1 : NULL;
}

static void add_item(struct facts *v, const char *name, const struct environment *host,
                     const char *key, bool number)
{
    const struct environment_item *item = environment_find(host, key);

    add(v, name, item ? item->value : NULL, item ? item->missing : not_reported, number);
}

void facts_read(struct facts *v, const struct environment *host)
{
    v->n = 0;
    add_item(v, "host", host, "host.name", false);
    add_item(v, "kernel", host, "host.kernel", false);
    add(v, "machine", machine_of(host), not_reported, false);
    add_item(v, "cpu_model", host, "host.cpu.model", false);
    add_item(v, "cpus_online", host, "host.cpu.count", true);
    add_item(v, "cpu_governor", host, "host.cpu.governor", false);
    add_item(v, "memory_bytes", host, "host.memory_bytes", true);
    add(v, "luajit", LUAJIT_VERSION, NULL, false);
    for (size_t i = 0; i < FACTS_DRIVERS && sql_driver_at(i); i++) {
        snprintf(v->library[i], sizeof v->library[i], "%s_library", sql_driver_at(i)->sname);
        add(v, v->library[i], sql_driver_library(i), NULL, false);
    }
}
