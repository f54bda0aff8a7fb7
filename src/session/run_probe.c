/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_probe.h.
 */
#include "session/run_probe.h"

static int read_events(struct probe_config *c, const struct server_options *o, struct err *e)
{
    struct perf_names names;
    int rc;

    if (!o->events)
        return 0;
    perf_names_open(&names, NULL);
    rc = perf_names_parse(&names, o->events, c->event, &c->events, e);
    perf_names_close(&names);
    if (rc && e)
        err_add(e, "Invalid value for --server-events");
    return rc;
}

int run_probe_check_events(const struct server_options *o, struct err *e)
{
    struct probe_config c = {0};

    return read_events(&c, o, e);
}

int run_probe_new(struct probe **out, const struct server_options *o,
                  const struct status_source *status, struct remote *remote, struct err *e)
{
    struct probe_config c = {
        .status = status, .remote = remote, .remote_events = remote && o->events};

    *out = NULL;
    if (read_events(&c, o, remote ? NULL : e) && !remote) /* the other host must know them */
        return -1;
    c.host = o->host;
    if (c.events || c.remote_events || c.host || c.status)
        *out = probe_new(&c);
    return 0;
}
