/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_via.h.
 */
#include "cli/run_via.h"

#include <string.h>

#include "base/log.h"
#include "cli/run_probe.h"

#define START_LIMIT  (10 * NS_PER_SEC) /* for a login on another host */
#define TARGET_LIMIT (5 * NS_PER_SEC)

int run_via_open(struct via **out, const struct opts *o, struct err *e)
{
    const char *command = opt_str(o, "server-via");

    *out = NULL;
    if (!*command || strcmp(opt_str(o, "server"), "off") == 0)
        return 0;
    if (via_open(out, command, run_probe_wants_server(o) ? opt_str(o, "server-events") : NULL,
                 START_LIMIT, e))
        return err_add(e, "Invalid value for --server-events");
    return 0;
}

void run_via_target(struct via *v, const char *server, struct discover *d)
{
    struct str targets = STR_INIT;
    struct err e = {0};

    if (d) {
        discover_addresses(d, "listen:", &targets);
        if (!targets.len)
            log_notice("Server: n/a (--server-via finds it by the address of a TCP connection, and "
                       "there is none; "
                       "name it with --server=PID or --server=NAME)\n");
    } else {
        str_adds(&targets, server);
        for (char *p = targets.s; p && (p = strchr(p, ',')); p++)
            *p = ' ';
    }
    if (targets.len && via_target(v, str_cstr(&targets), TARGET_LIMIT, &e))
        log_notice("Server: n/a (%s), retrying\n", e.msg);
    str_free(&targets);
}
