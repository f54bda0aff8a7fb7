/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_text.h.
 */
#include "report/metrics_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/json.h"

struct metrics_family {
    char *name, *help;
    enum metrics_type type;
    struct str samples; /* the same in both formats */
};

/* Escapes as both formats require; bytes that are not UTF-8 become '?', because parsers would
 * reject the whole text. */
static void label(struct str *out, const char *name, const char *value)
{
    str_printf(out, "%s%s=\"", out->len && out->s[out->len - 1] != '{' ? "," : "", name);
    for (const char *p = value; *p;) {
        size_t n = str_utf8(p);
        if (*p == '\n')
            str_adds(out, "\\n");
        else if (*p == '"' || *p == '\\')
            str_printf(out, "\\%c", *p);
        else if (n == 0)
            str_adds(out, "?");
        else
            str_add(out, p, n);
        p += n ? n : 1;
    }
    str_adds(out, "\"");
}

void metrics_labels(struct metrics *m, const char *test, const struct report_label *list, size_t n)
{
    str_reset(&m->labels);
    label(&m->labels, "test", test);
    for (size_t i = 0; i < n; i++)
        label(&m->labels, list[i].name, list[i].value);
}

size_t metrics_family(struct metrics *m, const char *name, enum metrics_type type, const char *help)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->family[i].name, name) == 0)
            return i;
    m->family = mem_grow(m->family, m->n + 1, sizeof *m->family);
    m->family[m->n] = (struct metrics_family){
        .name = mem_strdup(name), .help = mem_strdup(help), .type = type, .samples = STR_INIT};
    return m->n++;
}

static const char *type_ending(enum metrics_type type)
{
    return type == METRICS_COUNTER ? "_total" : type == METRICS_INFO ? "_info" : "";
}

/* The sample up to its value. */
static struct str *sample(struct metrics *m, size_t family, const char *ending,
                          const struct metrics_label *list, size_t n)
{
    const struct metrics_family *f = &m->family[family];
    struct str *out = &m->family[family].samples;

    str_printf(out, "sysbench_%s%s%s{%s", f->name, type_ending(f->type), ending,
               str_cstr(&m->labels));
    for (size_t i = 0; i < n; i++)
        label(out, list[i].name, list[i].value);
    str_adds(out, "} ");
    return out;
}

void metrics_number(struct metrics *m, size_t family, const char *ending,
                    const struct metrics_label *list, size_t n, double value)
{
    struct str *out = sample(m, family, ending, list, n);

    json_number(out, value);
    str_adds(out, "\n");
}

void metrics_count(struct metrics *m, size_t family, const char *ending,
                   const struct metrics_label *list, size_t n, uint64_t value)
{
    struct str *out = sample(m, family, ending, list, n);

    str_printf(out, "%llu\n", (unsigned long long)value);
}

static const char *type_name(enum metrics_type type, enum metrics_form form)
{
    static const char *const names[] = {[METRICS_GAUGE] = "gauge",
                                        [METRICS_COUNTER] = "counter",
                                        [METRICS_SUMMARY] = "summary",
                                        [METRICS_HISTOGRAM] = "histogram",
                                        [METRICS_INFO] = "info"};

    return names[type == METRICS_INFO && form == METRICS_PROMETHEUS ? METRICS_GAUGE : type];
}

/* NULL: a number of things. */
static const char *unit(const char *name)
{
    static const char *const units[] = {"seconds", "bytes", "ratio", "hertz"};
    const char *last = strrchr(name, '_');

    for (size_t i = 0; last && i < sizeof units / sizeof *units; i++)
        if (strcmp(last + 1, units[i]) == 0)
            return units[i];
    return NULL;
}

static void help_text(struct str *out, const char *text, enum metrics_form form)
{
    for (; *text; text++) {
        if (*text == '\n')
            str_adds(out, "\\n");
        else if (*text == '\\' || (*text == '"' && form == METRICS_OPENMETRICS))
            str_printf(out, "\\%c", *text);
        else
            str_add(out, text, 1);
    }
}

static void head(struct str *out, const struct metrics_family *f, enum metrics_form form)
{
    const char *ending = form == METRICS_PROMETHEUS ? type_ending(f->type) : "";
    const char *base = unit(f->name);

    str_printf(out, "# HELP sysbench_%s%s ", f->name, ending);
    help_text(out, f->help, form);
    str_printf(out, "\n# TYPE sysbench_%s%s %s\n", f->name, ending, type_name(f->type, form));
    if (base && form == METRICS_OPENMETRICS)
        str_printf(out, "# UNIT sysbench_%s %s\n", f->name, base);
}

void metrics_render(const struct metrics *m, enum metrics_form form, struct str *out)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct metrics_family *f = &m->family[i];
        if (!f->samples.len)
            continue;
        head(out, f, form);
        str_add(out, f->samples.s, f->samples.len);
    }
}

void metrics_clear(struct metrics *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->family[i].name);
        free(m->family[i].help);
        str_free(&m->family[i].samples);
    }
    free(m->family);
    m->family = NULL;
    m->n = 0;
}

void metrics_free(struct metrics *m)
{
    metrics_clear(m);
    str_free(&m->labels);
}
