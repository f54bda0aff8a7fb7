/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See observer.h.
 */
#include "session/observer.h"

#include <assert.h>

/* Calls the function of each observer that has it. */
#define EACH(o, function, ...)                                                                     \
    for (size_t i = 0; i < (o)->n; i++)                                                            \
        if ((o)->item[i].ops->function)                                                            \
    (o)->item[i].ops->function(__VA_ARGS__)

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

void observers_header(const struct observers *o)
{
    EACH(o, header, o->item[i].self);
}

void observers_ready(const struct observers *o)
{
    EACH(o, ready, o->item[i].self);
}

void observers_started(const struct observers *o)
{
    EACH(o, started, o->item[i].self);
}

void observers_warming_up(const struct observers *o)
{
    EACH(o, warming_up, o->item[i].self);
}

void observers_begin(const struct observers *o, mono_ns from)
{
    EACH(o, begin, o->item[i].self, from);
}

void observers_ticker_open(const struct observers *o)
{
    EACH(o, ticker_open, o->item[i].self);
}

void observers_snapshot(const struct observers *o, const struct snapshot *s)
{
    EACH(o, snapshot, o->item[i].self, s);
}

void observers_ticker_close(const struct observers *o)
{
    EACH(o, ticker_close, o->item[i].self);
}

void observers_found(const struct observers *o, const struct find_record *r, size_t step)
{
    EACH(o, found, o->item[i].self, r, step);
}

void observers_final_reading(const struct observers *o)
{
    EACH(o, final_reading, o->item[i].self);
}

void observers_closing(const struct observers *o)
{
    EACH(o, closing, o->item[i].self);
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
