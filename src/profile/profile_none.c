/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of profile.c in a build without elfutils: there are no profiles.
 */
#include <stddef.h>

#include "profile/profile.h"

const char *profile_library(void)
{
    return "no";
}

int profile_open(struct profile **out, const struct profile_config *c, struct err *e)
{
    (void)c;
    *out = NULL;
    return err_set(e, ERR_USAGE, "built without elfutils");
}

void profile_close(struct profile *p)
{
    (void)p;
}

void profile_start(struct profile *p, const pid_t *pids, size_t n, bool tree, mono_ns begin,
                   mono_ns end)
{
    (void)p, (void)pids, (void)n, (void)tree, (void)begin, (void)end;
}

void profile_stop_at(struct profile *p, mono_ns now)
{
    (void)p, (void)now;
}

const struct profile_result *profile_finish(struct profile *p)
{
    (void)p;
    return NULL;
}
