/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a script changes of its handles: what a connection leaves to it, what a statement counts as.
 * sql_conn.c and the drivers act on it.
 */
#include "sql/sql.h"
#include "sql/sql_driver.h"

void sql_set_manners(sql_connection *pub, unsigned manners)
{
    ((struct sql_conn *)pub)->manners = manners; /* pub is the first member */
}

void sql_count_as(sql_statement *pub, int counter)
{
    ((struct sql_stmt *)pub)->count_as = counter; /* likewise */
}
