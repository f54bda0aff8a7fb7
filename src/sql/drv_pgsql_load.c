/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * COPY FROM STDIN for sql_load().
 */
#include <stdlib.h>

#include "base/mem.h"
#include "sql/drv_pgsql.h"
#include "sql/sql.h"

#define PART (64 * 1024)

/* An error of the server ends the sending, and is in the result. */
static void send_rows(PGconn *lib, struct sql_feed *feed)
{
    char *part = mem_alloc(PART);
    size_t n;

    while ((n = feed->read(feed->arg, part, PART)) > 0 && PQputCopyData(lib, part, (int)n) == 1)
        ;
    free(part);
    PQputCopyEnd(lib, NULL);
}

enum sql_outcome pgdrv_load(struct sql_conn *c, const char *text, size_t len, struct sql_feed *feed)
{
    PGconn *lib = pgdrv_lib(c);
    PGresult *r = pgdrv_answer(c, PQsendQuery(lib, text));

    (void)len;
    if (PQresultStatus(r) == PGRES_COPY_IN) {
        PQclear(r);
        feed->begun = true;
        send_rows(lib, feed);
        r = pgdrv_answer(c, 1);
    }
    return pgdrv_store_result(c, r, "PQexec", NULL, 0);
}
