/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The system calls of --server-syscalls as a JSON object: all of them, then the most frequent ones.
 */
#include "report/json.h"
#include "report/json_doc.h"

static void count(struct str *out, bool *first, const char *name, uint64_t v)
{
    json_name(out, first, name);
    str_printf(out, "%llu", (unsigned long long)v);
}

/* null: nothing to divide by */
static void quotient(struct str *out, bool *first, const char *name, double v, uint64_t n)
{
    json_name(out, first, name);
    if (n)
        json_number(out, v / (double)n);
    else
        str_adds(out, "null");
}

static void figures(struct str *out, bool *first, const struct snapshot *s,
                    const struct syscall_count *c)
{
    count(out, first, "count", c->began);
    quotient(out, first, "count_per_transaction", (double)c->began, snapshot_sampled(s));
    count(out, first, "ended", c->ended);
    count(out, first, "errors", c->errors);
    quotient(out, first, "sum_s", (double)c->ns, 1000000000);
    quotient(out, first, "mean_s", (double)c->ns / 1e9, c->ended);
}

void json_doc_syscalls(struct str *out, const struct snapshot *s)
{
    const struct syscalls_delta *d = &s->probe->syscalls;
    bool first = true;
    char name[24];

    str_adds(out, "{");
    count(out, &first, "kinds", d->kinds);
    figures(out, &first, s, &d->all);
    json_name(out, &first, "most_frequent");
    str_adds(out, "[");
    for (size_t i = 0; i < d->n; i++) {
        bool inner = true;
        str_adds(out, i ? ",{" : "{");
        json_name(out, &inner, "name");
        json_string(out, syscall_name(d->f[i].number, name));
        count(out, &inner, "number", d->f[i].number);
        figures(out, &inner, s, &d->f[i].c);
        str_adds(out, "}");
    }
    str_adds(out, "]}");
}
