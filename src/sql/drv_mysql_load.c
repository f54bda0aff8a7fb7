/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * LOAD DATA LOCAL for sql_load().  The server answers the statement with a file name and asks the
 * client for that file.  The library would open it; here it asks us, and we never open anything:
 * rows come from the feed, whatever the name, and where no sql_load() is running (a server may ask
 * after any statement) the request is refused.
 */
#include <errmsg.h>
#include <stdio.h>

#include "sql/drv_mysql.h"
#include "sql/sql.h"

/* Packets of the library are 4 KiB of rows; so many bytes of them go in one write. */
#define WRITE_BUFFER (64u * 1024)

static int begin(void **out, const char *name, void *arg)
{
    struct sql_conn *c = arg;

    (void)name;
    *out = c;
    if (!c->feed)
        return 1;
    c->feed->begun = true;
    return 0;
}

static int next_bytes(void *arg, char *out, unsigned int room)
{
    const struct sql_conn *c = arg;

    return (int)c->feed->read(c->feed->arg, out, room);
}

static void end(void *arg)
{
    (void)arg;
}

static int why(void *arg, char *out, unsigned int size)
{
    (void)arg;
    snprintf(out, size, "The server asked for a file of the client");
    return CR_UNKNOWN_ERROR;
}

void mydrv_allow_load(struct sql_conn *c, MYSQL *m)
{
    unsigned on = 1;

    mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
#if SB_LIBMARIADB
    mysql_options(m, MYSQL_OPT_NET_BUFFER_LENGTH, &(size_t){WRITE_BUFFER});
#endif
    mysql_set_local_infile_handler(m, begin, next_bytes, end, why, c);
}

enum sql_outcome mydrv_load(struct sql_conn *c, const char *text, size_t len, struct sql_feed *feed)
{
    MYSQL *m = mydrv_lib(c);

    (void)feed; /* c->feed */
    if (mysql_real_query(m, text, len))
        return mydrv_report_failure(c, "mysql_real_query()", NULL, 0);
    mydrv_store_status(c, mysql_affected_rows(m));
    return SQL_DONE;
}
