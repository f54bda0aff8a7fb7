/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See observer.h.
 */
#include "engine/observer.h"

#include <assert.h>

void observers_add(struct observers *o, const struct observer_ops *ops, void *self)
{
    assert(o->n < OBSERVERS_MAX);
    o->item[o->n].ops = ops;
    o->item[o->n++].self = self;
}

int observers_open(struct observers *o, struct err *e)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->item[i].ops->open && o->item[i].ops->open(o->item[i].self, e))
            return -1;
    return 0;
}

void observers_tell(const struct observers *o, struct run_event *event)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->item[i].ops->on)
            o->item[i].ops->on(o->item[i].self, event);
}

void observers_say(const struct observers *o, enum run_event_kind kind)
{
    observers_tell(o, &(struct run_event){.kind = kind});
}

void observers_snapshot(const struct observers *o, const struct snapshot *s)
{
    struct snapshot completed = *s;

    observers_tell(o, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &completed});
}

int observers_close(struct observers *o, const struct report_end *end, int rc, struct err *e)
{
    for (size_t i = o->n; i-- > 0;) {
        struct err why = {0};
        if (!o->item[i].ops->close || o->item[i].ops->close(o->item[i].self, end, &why) == 0)
            continue;
        if (rc == 0 || e->kind == ERR_UNMET) {
            *e = why;
            rc = -1;
        }
    }
    return rc;
}
