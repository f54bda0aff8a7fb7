/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See facts.h.  The machine is looked at in one place (telemetry/environment.h); here its record
 * gets the names and types of the result files.
 */
#include "cli/facts.h"

#include <luajit.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sql/sql.h"
#include "telemetry/environment.h"

/* Both are the facts' from now on; value NULL: missing. */
static void add(struct facts *v, const char *name, char *value, char *missing, bool number)
{
    if (v->n < FACTS_MOST) {
        v->fact[v->n++] = (struct report_fact){
            .name = name, .value = value, .missing = missing, .number = number};
        return;
    }
    free(value);
    free(missing);
}

/* The record's text of that key, or the reason that it gives in "n/a (reason)". */
static void add_known(struct facts *v, const char *name, const struct environment *e,
                      const char *key, bool number)
{
    const char *text = environment_get(e, key);
    size_t n = text ? strlen(text) : 0;

    if (!text)
        add(v, name, NULL, mem_strdup("not reported by the system"), number);
    else if (strncmp(text, "n/a (", 5) == 0 && text[n - 1] == ')')
        add(v, name, NULL, mem_strndup(text + 5, n - 6), number);
    else
        add(v, name, mem_strdup(text), NULL, number);
}

/* The last word of what uname(2) says. */
static void add_machine(struct facts *v, const struct environment *e)
{
    const char *text = environment_get(e, "host.kernel"), *word = text ? strrchr(text, ' ') : NULL;

    add(v, "machine", word ? mem_strdup(word + 1) : NULL,
        word ? NULL : mem_strdup("not reported by the system"), false);
}

static void machine(struct facts *v)
{
    struct environment e = {0};

    environment_host(&e, "/proc", "/sys");
    add_known(v, "host", &e, "host.name", false);
    add_known(v, "kernel", &e, "host.kernel", false);
    add_machine(v, &e);
    add_known(v, "cpu_model", &e, "host.cpu.model", false);
    add_known(v, "cpus_online", &e, "host.cpu.count", true);
    add_known(v, "cpu_governor", &e, "host.cpu.governor", false);
    add_known(v, "memory_bytes", &e, "host.memory_bytes", true);
    environment_free(&e);
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
    for (size_t i = 0; i < v->n; i++) {
        free((char *)(uintptr_t)v->fact[i].value);
        free((char *)(uintptr_t)v->fact[i].missing);
    }
    v->n = 0;
}
