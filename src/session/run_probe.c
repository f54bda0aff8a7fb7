/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_probe.h.
 */
#include "session/run_probe.h"

#include <stdlib.h>
#include <string.h>

static int read_events(struct probe_config *c, const struct server_options *o, struct err *e)
{
    struct perf_names names;
    int rc;

    if (!o->events)
        return o->system ? err_set(e, ERR_USAGE, "--events-of=system needs --server-events") : 0;
    perf_names_open(&names, NULL);
    rc = perf_names_parse(&names, o->events, c->event, &c->events, e);
    perf_names_close(&names);
    if (rc && e)
        err_add(e, "Invalid value for --server-events");
    return rc;
}

static int read_syscalls(struct probe_config *c, const struct server_options *o, struct err *e)
{
    enum { USUAL = 10 };
    const char *text = o->syscalls;
    char *end;
    long n;

    if (!server_options_syscalls(o))
        return 0;
    n = strtol(text, &end, 10);
    if (!*text || strcmp(text, "on") == 0)
        n = USUAL;
    else if (*end || n < 1 || n > SYSCALLS_LISTED)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --server-syscalls: '%s' (allowed: on, off, 1 to %d)",
                       text, SYSCALLS_LISTED);
    c->syscalls = (size_t)n;
    return 0;
}

int run_probe_check_events(const struct server_options *o, struct err *e)
{
    struct probe_config c = {0};

    return read_events(&c, o, e);
}

int run_probe_new(struct probe **out, const struct server_options *o,
                  const struct status_source *status, struct remote *remote, size_t keep,
                  struct err *e)
{
    struct probe_config c = {.status = status,
                             .remote = remote,
                             .system = o->system,
                             .keep = keep,
                             .remote_events = remote && o->events};

    *out = NULL;
    if (read_events(&c, o, remote ? NULL : e) && !remote) /* the other host must know them */
        return -1;
    if (read_syscalls(&c, o, e))
        return -1;
    c.host = o->host;
    if (c.events || c.remote_events || c.syscalls || c.host || c.status)
        *out = probe_new(&c);
    return 0;
}
