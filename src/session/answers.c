/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See answers.h.
 */
#include "session/answers.h"

#include <stdlib.h>
#include <string.h>

sql_row *answer_row(sql_result *res)
{
    sql_row *row = res ? sql_fetch_row(res) : NULL;

    if (res && !row)
        sql_free_results(res);
    return row;
}

bool answer_number(const sql_value *v, double *out)
{
    char text[40], *end;

    if (!v->ptr || v->len == 0 || v->len >= sizeof text)
        return false;
    memcpy(text, v->ptr, v->len);
    text[v->len] = '\0';
    *out = strtod(text, &end);
    return *end == '\0';
}

double answer_one(sql_connection *con, const char *question)
{
    double v = 0;

    sql_result *res = sql_query(con, question, strlen(question));
    for (sql_row *row; (row = answer_row(res)) != NULL;)
        if (res->nfields < 1 || !answer_number(&row->values[0], &v))
            v = 0;
    return v;
}

bool answers_lost(const sql_connection *con)
{
    const enum error_class class = sql_error_class(con);

    return !sql_connection_is_up(con) || class == ERROR_CONNECTION || class == ERROR_SHUTDOWN;
}
