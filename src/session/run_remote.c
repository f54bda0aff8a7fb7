/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_remote.h.
 */
#include "session/run_remote.h"

#include <string.h>

#include "base/log.h"
#include "engine/run.h"

#define START_LIMIT  (10 * NS_PER_SEC) /* for a login on another host */
#define TARGET_LIMIT (5 * NS_PER_SEC)

int run_remote_open(struct remote **out, const struct server_options *o, struct err *e)
{
    const struct remote_wants wants = {.events = o->events,
                                       .system = o->system,
                                       .syscalls = server_options_syscalls(o),
                                       .cancelled = run_is_signalled};

    *out = NULL;
    if (!*o->remote || strcmp(o->server, "off") == 0)
        return 0;
    if (remote_open(out, o->remote, &wants, START_LIMIT, e))
        return err_add(e, "Invalid value for --server-events");
    return 0;
}

void run_remote_target(struct remote *v, const char *server, struct discover *d)
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
    if (targets.len && remote_target(v, str_cstr(&targets), TARGET_LIMIT, &e))
        log_notice("Server: n/a (%s), retrying\n", e.msg);
    str_free(&targets);
}
