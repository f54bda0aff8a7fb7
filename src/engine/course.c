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

static mono_ns earlier(mono_ns a, mono_ns b)
{
    return a < b ? a : b;
}

mono_ns course_abandon_at(const struct course *c)
{
    mono_ns stopped = c->signalled ? c->signalled : c->overloaded ? c->overloaded : c->failed;

    return stopped ? earlier(c->forced, stopped + COURSE_GRACE) : c->forced;
}

static enum course_state after_warming(const struct course *c, const struct course_view *v)
{
    if (v->ended_warming)
        return COURSE_DRAINING;
    return v->now >= c->measure_from ? COURSE_MEASURING : COURSE_WARMING;
}

static enum course_state after_measuring(const struct course *c, const struct course_view *v)
{
    bool over = v->stopped != STOP_NONE || v->now >= c->deadline || v->looping == 0;

    return over ? COURSE_DRAINING : COURSE_MEASURING;
}

static enum course_state after_draining(const struct course *c, const struct course_view *v)
{
    if (v->alive == 0)
        return COURSE_OVER;
    if (v->looping == 0)
        return COURSE_CLOSING;
    return v->now >= course_abandon_at(c) ? COURSE_ABANDONED : COURSE_DRAINING;
}

static mono_ns close_until(const struct course *c)
{
    mono_ns abandon = course_abandon_at(c);

    return abandon > c->close_by ? abandon : c->close_by;
}

static enum course_state after_closing(const struct course *c, const struct course_view *v)
{
    if (v->alive == 0)
        return COURSE_OVER;
    return v->now >= close_until(c) ? COURSE_ABANDONED : COURSE_CLOSING;
}

static enum course_state next(const struct course *c, const struct course_view *v)
{
    switch (c->state) {
    case COURSE_WARMING: return after_warming(c, v);
    case COURSE_MEASURING: return after_measuring(c, v);
    case COURSE_DRAINING: return after_draining(c, v);
    case COURSE_CLOSING: return after_closing(c, v);
    case COURSE_OVER:
    case COURSE_ABANDONED: break;
    }
    return c->state;
}

bool course_step(struct course *c, const struct course_view *v)
{
    enum course_state was = c->state;

    c->state = next(c, v);
    return c->state != was;
}

mono_ns course_wake(const struct course *c, const struct course_view *v)
{
    mono_ns wake = c->state == COURSE_CLOSING ? close_until(c) : course_abandon_at(c);

    if (c->state == COURSE_WARMING && c->measure_from > v->now)
        wake = earlier(wake, c->measure_from);
    if (v->stopped == STOP_NONE && c->deadline > v->now)
        wake = earlier(wake, c->deadline);
    return wake;
}
