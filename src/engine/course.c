/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See course.h.
 */
#include "engine/course.h"

void course_begin(struct course *c, const struct plan *p, mono_ns measure_from, mono_ns deadline)
{
    *c = (struct course){.state = p->warmup ? COURSE_WARMING : COURSE_MEASURING,
                         .measure_from = measure_from,
                         .deadline = deadline,
                         .forced = MONO_NEVER};
    if (p->forced == FORCED_ON && deadline != MONO_NEVER)
        c->forced = deadline + p->forced_grace;
}

void course_move(struct course *c, mono_ns measure_from, mono_ns deadline)
{
    if (c->forced != MONO_NEVER)
        c->forced += deadline - c->deadline;
    c->measure_from = measure_from;
    c->deadline = deadline;
}

mono_ns course_abandon_at(const struct course *c)
{
    mono_ns stopped = c->signalled ? c->signalled : c->overloaded ? c->overloaded : c->failed;

    return stopped ? sooner(c->forced, stopped + COURSE_GRACE) : c->forced;
}

static mono_ns close_until(const struct course *c)
{
    mono_ns abandon = course_abandon_at(c);

    return abandon > c->close_by ? abandon : c->close_by;
}

bool course_step(struct course *c, const struct course_view *v)
{
    enum course_state was = c->state;

    switch (was) {
    case COURSE_WARMING:
        if (v->ended_warming)
            c->state = COURSE_DRAINING;
        else if (v->now >= c->measure_from)
            c->state = COURSE_MEASURING;
        break;
    case COURSE_MEASURING:
        if (v->stopped != STOP_NONE || v->now >= c->deadline || v->looping == 0)
            c->state = COURSE_DRAINING;
        break;
    case COURSE_DRAINING:
        if (v->alive == 0)
            c->state = COURSE_OVER;
        else if (v->looping == 0)
            c->state = COURSE_CLOSING;
        else if (v->now >= course_abandon_at(c))
            c->state = COURSE_ABANDONED;
        break;
    case COURSE_CLOSING:
        if (v->alive == 0)
            c->state = COURSE_OVER;
        else if (v->now >= close_until(c))
            c->state = COURSE_ABANDONED;
        break;
    case COURSE_OVER:
    case COURSE_ABANDONED: break;
    }
    return c->state != was;
}

mono_ns course_wake(const struct course *c, const struct course_view *v)
{
    mono_ns wake = c->state == COURSE_CLOSING ? close_until(c) : course_abandon_at(c);

    if (c->state == COURSE_WARMING && c->measure_from > v->now)
        wake = sooner(wake, c->measure_from);
    if (v->stopped == STOP_NONE && c->deadline > v->now)
        wake = sooner(wake, c->deadline);
    return wake;
}
