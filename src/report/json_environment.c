/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the surroundings as a JSON object: a key that occurs several times has a list, "n/a
 * (reason)" is null and the reason a member of "missing".
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/json.h"
#include "report/json_doc.h"
#include "telemetry/environment.h"

/* "n/a (why)": why, without the parenthesis that ends it; NULL: it is known. */
static char *unknown(const char *text)
{
    size_t n = strlen(text);

    return strncmp(text, "n/a (", 5) == 0 && n > 5 && text[n - 1] == ')'
               ? mem_strndup(text + 5, n - 6)
               : NULL;
}

static bool met_before(const struct environment *e, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(e->item[k].key, e->item[i].key) == 0)
            return true;
    return false;
}

/* All texts of item i's key; *why: that of the last which is unknown. */
static void fact(struct str *out, const struct environment *e, size_t i, char **why)
{
    size_t n = 0;

    for (size_t k = i; k < e->n; k++)
        n += strcmp(e->item[k].key, e->item[i].key) == 0;
    str_adds(out, n > 1 ? "[" : "");
    for (size_t k = i, m = 0; k < e->n; k++) {
        char *unknown_why;
        if (strcmp(e->item[k].key, e->item[i].key) != 0)
            continue;
        unknown_why = unknown(e->item[k].text);
        str_adds(out, m++ ? "," : "");
        json_string(out, unknown_why ? NULL : e->item[k].text);
        if (unknown_why) {
            free(*why);
            *why = unknown_why;
        }
    }
    str_adds(out, n > 1 ? "]" : "");
}

void json_doc_environment(struct str *out, const struct environment *e)
{
    struct str missing = STR_INIT;
    bool first = true, first_missing = true;

    if (!e || e->n == 0) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    for (size_t i = 0; i < e->n; i++) {
        char *why = NULL;
        if (met_before(e, i))
            continue;
        json_name(out, &first, e->item[i].key);
        fact(out, e, i, &why);
        if (why)
            json_name(&missing, &first_missing, e->item[i].key), json_string(&missing, why);
        free(why);
    }
    json_name(out, &first, "missing");
    str_printf(out, "{%s}}", str_cstr(&missing));
    str_free(&missing);
}
