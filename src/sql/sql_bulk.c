/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_bulk.h.  The text grows in place; after sending it is truncated to its prefix.
 */
#include "sql/sql_bulk.h"

#include "base/log.h"

static int too_long(void)
{
    log_fatal("Query length exceeds the maximum value (%u), aborting", SQL_BULK_PACKET);
    return -1;
}

/* Length and terminating NUL within the packet, without overflow for absurd lengths. */
static bool fits(size_t have, size_t more)
{
    return more < SQL_BULK_PACKET && have + more < SQL_BULK_PACKET;
}

static int flush(struct sql_bulk *b, sql_bulk_send send, void *arg)
{
    int rc = 0;

    if (b->rows > 0)
        rc = send(arg, b->text.s, b->text.len) ? -1 : 0;
    b->rows = 0;
    b->text.len = b->prefix_len;
    return rc;
}

int sql_bulk_begin(struct sql_bulk *b, const char *prefix, size_t len, sql_bulk_send send,
                   void *arg)
{
    int rc = sql_bulk_end(b, send, arg);

    if (rc)
        return rc;
    if (!fits(0, len))
        return too_long();
    str_add(&b->text, prefix, len);
    b->prefix_len = len;
    b->active = true;
    return 0;
}

int sql_bulk_add(struct sql_bulk *b, const char *row, size_t len, sql_bulk_send send, void *arg)
{
    int rc = 0;

    if (!b->active) {
        log_alert("attempt to call bulk_insert_next() before bulk_insert_init()");
        return -1;
    }
    if (!fits(b->prefix_len, len))
        return too_long();
    if (b->rows > 0 && !fits(b->text.len + 1, len))
        rc = flush(b, send, arg);
    if (rc)
        return rc;
    if (b->rows > 0)
        str_add(&b->text, ",", 1);
    str_add(&b->text, row, len);
    b->rows++;
    return 0;
}

int sql_bulk_end(struct sql_bulk *b, sql_bulk_send send, void *arg)
{
    int rc = b->active ? flush(b, send, arg) : 0;

    sql_bulk_drop(b);
    return rc;
}

void sql_bulk_drop(struct sql_bulk *b)
{
    str_free(&b->text);
    *b = (struct sql_bulk){.text = STR_INIT};
}
