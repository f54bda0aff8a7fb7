/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See labels.h.
 */
#include "report/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static int bad(const char *text, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --label: '%s' (%s)", text, why);
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t n = strspn(name, letters);

    return n > 0 && n + strspn(name + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                         "0123456789") == strlen(name);
}

/* Those of our metrics. */
static bool is_taken(const char *name)
{
    static const char *const ours[] = {"test",     "command", "version",   "type",     "mode",
                                       "outcome",  "state",   "direction", "resource", "event",
                                       "variable", "mark",    "text",      "statement", "quantile",
                                       "le"};

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
        return bad(text, "KEY=VALUE is wanted; a value has no comma in it", e);
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

int report_labels_parse(struct report_label **out, char *const *text, size_t n, struct err *e)
{
    struct report_label *list = n ? mem_array(n, sizeof *list) : NULL;

    *out = NULL;
    for (size_t i = 0; i < n; i++) {
        int rc = read_one(&list[i], text[i], e);
        if (rc == 0 && is_double(list, i))
            rc = bad(text[i], "the key is given twice", e);
        if (rc) {
            report_labels_free(list, i + 1);
            return -1;
        }
    }
    *out = list;
    return 0;
}

void report_labels_free(struct report_label *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i].name);
        free(list[i].value);
    }
    free(list);
}
