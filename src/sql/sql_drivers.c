/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of drivers that were compiled in.  It has a file of its own so that a program can be
 * linked with another list: the build without optional libraries, and the tests with their scripted
 * driver.
 */
#ifdef HAVE_CONFIG_H /* sysbench_minimal has none */
#include "config.h"
#endif

#include <stddef.h>

#include "sql/sql_driver.h"

static const struct sql_driver_class *const classes[] = {
#ifdef HAVE_MYSQL
    &sql_class_mysql,
#endif
#ifdef HAVE_PGSQL
    &sql_class_pgsql,
#endif
    NULL,
};

const struct sql_driver_class *sql_class_at(size_t i)
{
    size_t n = sizeof classes / sizeof *classes - 1;

    return i < n ? classes[i] : NULL;
}
