/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the environment as a JSON object: a key that occurs several times has a list, a
 * missing value is null and its reason a member of "missing".
 */
#include <string.h>

#include "report/json.h"
#include "report/json_doc.h"
#include "telemetry/environment.h"

static bool met_before(const struct environment *e, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(e->item[k].key, e->item[i].key) == 0)
            return true;
    return false;
}

/* All values of item i's key.  Returns the reason of the last one that is missing, or NULL. */
static const char *values(struct str *out, const struct environment *e, size_t i)
{
    const char *why = NULL;
    size_t n = 0;

    for (size_t k = i; k < e->n; k++)
        n += strcmp(e->item[k].key, e->item[i].key) == 0;
    str_adds(out, n > 1 ? "[" : "");
    for (size_t k = i, m = 0; k < e->n; k++) {
        if (strcmp(e->item[k].key, e->item[i].key) != 0)
            continue;
        str_adds(out, m++ ? "," : "");
        json_string(out, e->item[k].value);
        if (e->item[k].missing)
            why = e->item[k].missing;
    }
    str_adds(out, n > 1 ? "]" : "");
    return why;
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
        const char *why;
        if (met_before(e, i))
            continue;
        json_name(out, &first, e->item[i].key);
        why = values(out, e, i);
        if (why) {
            json_name(&missing, &first_missing, e->item[i].key);
            json_string(&missing, why);
        }
    }
    json_name(out, &first, "missing");
    str_printf(out, "{%s}}", str_cstr(&missing));
    str_free(&missing);
}
