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

/* Adds one label to the list, valid or not; returns why it is not. */
static const char *add(struct report_label **list, size_t *n, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    static const char *const ours[] = {
        /* of the metrics */
        "test",     "command", "version",  "type", "mode", "outcome",   "state",    "direction",
        "resource", "event",   "variable", "mark", "text", "statement", "quantile", "le"};
    const char *eq = strchr(text, '=');

    *list = mem_grow(*list, *n + 1, sizeof **list);
    struct report_label *l = &(*list)[(*n)++];
    *l = (struct report_label){NULL, NULL};
    if (!eq)
        return "must be KEY=VALUE; a value cannot contain a comma";
    l->name = mem_strndup(text, (size_t)(eq - text));
    l->value = mem_strdup(eq + 1);
    if (!*l->name || (*l->name >= '0' && *l->name <= '9') || l->name[strspn(l->name, letters)])
        return "a key is letters, digits and _, and begins with no digit";
    if (strncmp(l->name, "__", 2) == 0)
        return "keys that begin with __ are reserved for Prometheus";
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(ours[i], l->name) == 0)
            return "the metrics have a label of this name already";
    if (!*l->value)
        return "the value is empty";
    for (size_t at = 0, k; l->value[at]; at += k) {
        k = str_utf8(l->value + at);
        if (k == 0 || (unsigned char)l->value[at] < 0x20 || l->value[at] == 0x7f)
            return "the value is not printable UTF-8 text";
    }
    for (size_t i = 0; i + 1 < *n; i++)
        if (strcmp((*list)[i].name, l->name) == 0)
            return "the key is given twice";
    return NULL;
}

int report_labels_parse(struct report_label **list, size_t *n, const char *text, struct err *e)
{
    const char *why = *text && !text[strspn(text, ",")] ? "must be KEY=VALUE" : NULL;
    char *copy = mem_strdup(text), *rest = copy, *one = copy;

    while (!why && (one = strsep(&rest, ",")))
        why = *one ? add(list, n, one) : NULL;
    if (why) {
        err_set(e, ERR_USAGE, "Invalid value for --label: '%s' (%s)", one, why);
        report_labels_free(*list, *n);
        *list = NULL;
        *n = 0;
    }
    free(copy);
    return why ? -1 : 0;
}

void report_labels_free(struct report_label *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i].name);
        free(list[i].value);
    }
    free(list);
}
