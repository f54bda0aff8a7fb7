/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the options about transactions that meet an error into the plan.
 */
#include "engine/plan.h"

#include <string.h>

#include "base/units.h"

#define MOST_RETRIES 1000000

static const struct opt_row rows[] = {
    {.name = "trx-retries",
     .type = OPT_STRING,
     .def = "unlimited",
     .help = "how often a transaction is run again after an error before it counts as failed, a "
             "number or 'unlimited'",
     .flags = OPT_OPEN,
     .choices = "unlimited"},
    {.name = "error-backoff",
     .type = OPT_INT,
     .def = "1000",
     .help = "longest pause, in milliseconds, of a client whose errors repeat without a success "
             "between them. 0 disables the pauses",
     .max = 3600000},
};

void plan_retry_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_CLIENTS, rows, sizeof rows / sizeof *rows);
}

int plan_read_retry(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "trx-retries");
    int64_t n = 0;

    p->limits_retries = strcmp(v, "unlimited") != 0;
    if (p->limits_retries && units_int(v, 0, MOST_RETRIES, &n, NULL)) {
        err_set(e, ERR_USAGE, "Invalid value for --trx-retries: '%s' (unlimited, or 0 to %d)", v,
                MOST_RETRIES);
        return opt_explain(o, "trx-retries", e);
    }
    p->trx_retries = (unsigned)n;
    p->error_backoff = opt_int(o, "error-backoff") * NS_PER_MS;
    return 0;
}
