/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See report_options.h.
 */
#include "report/report_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void report_options_read(struct report_options *r, const struct opts *o)
{
    r->histogram = opt_bool(o, "histogram");
    r->debug = opt_bool(o, "debug");
    r->validate = opt_bool(o, "validate");
}

int report_options_check(const struct report_options *r, size_t percentiles, struct err *e)
{
    if (r->histogram && !percentiles)
        return err_set(e, ERR_USAGE, "--histogram cannot be used with --percentile=0");
    return 0;
}

int report_stamp_decimals(dur_ns interval)
{
    double s = dur_sec(interval), unit = s;
    int decimals = 0;

    while (decimals < 3 && fabs(unit - round(unit)) > 1e-9 * s) {
        decimals++;
        unit *= 10;
    }
    return decimals;
}

/* --- labels --- */

static int bad(const char *text, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --label: '%s' (%s)", text, why);
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t n = strspn(name, letters);

    return n > 0 && n + strspn(name + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                         "0123456789") ==
                        strlen(name);
}

/* Those of our metrics. */
static bool is_taken(const char *name)
{
    static const char *const ours[] = {
        "test",     "command", "version",  "type", "mode", "outcome",   "state",    "direction",
        "resource", "event",   "variable", "mark", "text", "statement", "quantile", "le"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(ours[i], name) == 0)
            return true;
    return false;
}

static bool is_text(const char *value)
{
    for (size_t n; *value; value += n) {
        n = str_utf8(value);
        if (n == 0 || (unsigned char)*value < 0x20 || *value == 0x7f)
            return false;
    }
    return true;
}

static int check(const struct report_label *l, const char *text, struct err *e)
{
    if (!is_name(l->name))
        return bad(text, "a key is letters, digits and _, and begins with no digit", e);
    if (strncmp(l->name, "__", 2) == 0)
        return bad(text, "keys that begin with __ are reserved for Prometheus", e);
    if (is_taken(l->name))
        return bad(text, "the metrics have a label of this name already", e);
    if (!*l->value)
        return bad(text, "the value is empty", e);
    if (!is_text(l->value))
        return bad(text, "the value is not printable UTF-8 text", e);
    return 0;
}

static int read_one(struct report_label *l, const char *text, struct err *e)
{
    const char *eq = strchr(text, '=');

    if (!eq)
        return bad(text, "must be KEY=VALUE; a value cannot contain a comma", e);
    l->name = mem_strndup(text, (size_t)(eq - text));
    l->value = mem_strdup(eq + 1);
    return check(l, text, e);
}

static bool is_double(const struct report_label *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, list[n].name) == 0)
            return true;
    return false;
}

/* Adds one label to the list, valid or not. */
static int add(struct report_label **list, size_t *n, const char *text, struct err *e)
{
    int rc;

    *list = mem_grow(*list, *n + 1, sizeof **list);
    (*list)[*n] = (struct report_label){NULL, NULL};
    rc = read_one(&(*list)[*n], text, e);
    if (rc == 0 && is_double(*list, *n))
        rc = bad(text, "the key is given twice", e);
    ++*n;
    return rc;
}

int report_labels_parse(struct report_label **out, size_t *n, const char *text, struct err *e)
{
    const char *all = text;
    int rc = 0;

    *out = NULL;
    *n = 0;
    while (*text && rc == 0) {
        size_t len = strcspn(text, ",");
        char *one = mem_strndup(text, len);
        if (len)
            rc = add(out, n, one, e);
        free(one);
        text += len + (text[len] == ',');
    }
    if (rc == 0 && *all && *n == 0)
        rc = bad(all, "must be KEY=VALUE", e);
    if (rc) {
        report_labels_free(*out, *n);
        *out = NULL;
        *n = 0;
    }
    return rc;
}

void report_labels_free(struct report_label *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i].name);
        free(list[i].value);
    }
    free(list);
}
