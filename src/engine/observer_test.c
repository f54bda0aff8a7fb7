/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of observers: every call reaches each that has the function, in order, with the same
 * snapshot; closing goes backwards, and no failure keeps another observer from being closed.
 */
#include "engine/observer.h"

#include "base/test.h"

struct recorder {
    char name;
    bool open_fails, close_fails;
};

static char calls[400];
static const struct snapshot *seen[2];

static void note(void *self, const char *call)
{
    const struct recorder *r = self;

    snprintf(calls + strlen(calls), sizeof calls - strlen(calls), "%c.%s ", r->name, call);
}

static int r_open(void *self, struct err *e)
{
    const struct recorder *r = self;

    note(self, "open");
    return r->open_fails ? err_set(e, ERR_FAILED, "%c cannot open", r->name) : 0;
}

static int r_close(void *self, const struct report_end *end, struct err *e)
{
    const struct recorder *r = self;

    note(self, end->status);
    return r->close_fails ? err_set(e, ERR_OUTPUT, "%c cannot close", r->name) : 0;
}

static void r_on(void *self, struct run_event *event)
{
    static const char *const names[] = {
        [RUN_HEADER] = "header",     [RUN_READY] = "ready",
        [RUN_STARTED] = "started",   [RUN_WARMING_UP] = "warming_up",
        [RUN_BEGINS] = "begin",      [RUN_TICKER_OPENS] = "ticker_open",
        [RUN_SNAPSHOT] = "snapshot", [RUN_TICKER_CLOSES] = "ticker_close",
        [RUN_FOUND] = "found",       [RUN_FINAL_READING] = "final_reading",
        [RUN_CLOSING] = "closing"};
    const struct recorder *r = self;

    CHECK_INT(event->from, event->kind == RUN_BEGINS ? 5 : 0);
    note(self, names[event->kind]);
    if (event->kind == RUN_SNAPSHOT) {
        seen[r->name == 'b'] = event->s;
        CHECK_INT(event->s->events, r->name == 'b'); /* what those before it have added */
        event->s->events++;
    }
}

static const struct observer_ops all = {
    .name = "all", .open = r_open, .on = r_on, .close = r_close};
static const struct observer_ops none = {.name = "none"};

static const struct report_end end = {.status = "end"};

static void order(void)
{
    struct recorder a = {.name = 'a'}, n = {.name = 'n'}, b = {.name = 'b'};
    struct observers o = {0};
    struct snapshot s = {0};
    struct err e = {0};

    observers_add(&o, &all, &a);
    observers_add(&o, &none, &n);
    observers_add(&o, &all, &b);
    *calls = '\0';
    CHECK_INT(observers_open(&o, &e), 0);
    observers_say(&o, RUN_HEADER);
    observers_say(&o, RUN_READY);
    observers_say(&o, RUN_STARTED);
    observers_say(&o, RUN_WARMING_UP);
    observers_tell(&o, &(struct run_event){.kind = RUN_BEGINS, .from = 5});
    CHECK_STR(calls, "a.open b.open a.header b.header a.ready b.ready a.started b.started "
                     "a.warming_up b.warming_up a.begin b.begin ");
    *calls = '\0';
    observers_say(&o, RUN_TICKER_OPENS);
    observers_snapshot(&o, &s);
    observers_say(&o, RUN_TICKER_CLOSES);
    observers_say(&o, RUN_FINAL_READING);
    observers_say(&o, RUN_CLOSING);
    CHECK_INT(observers_close(&o, &end, 0, &e), 0);
    CHECK_STR(calls, "a.ticker_open b.ticker_open a.snapshot b.snapshot a.ticker_close "
                     "b.ticker_close a.final_reading b.final_reading a.closing b.closing b.end "
                     "a.end ");
    CHECK(seen[0] == seen[1]);
    CHECK_INT(s.events, 0); /* they got a copy */
}

/* An observer that was not opened is not closed. */
static void open_fails(void)
{
    struct recorder a = {.name = 'a'}, b = {.name = 'b', .open_fails = true}, c = {.name = 'c'};
    struct observers o = {0};
    struct err e = {0};

    observers_add(&o, &all, &a);
    observers_add(&o, &all, &b);
    observers_add(&o, &all, &c);
    *calls = '\0';
    CHECK_INT(observers_open(&o, &e), -1);
    CHECK_STR(calls, "a.open b.open ");
    CHECK_STR(e.msg, "b cannot open");
}

/* `kind`: how the run itself ended. */
static void close_fails(void)
{
    static const struct {
        int rc;
        enum err_kind kind;
        const char *want;
    } t[] = {
        {0, ERR_NONE, "b cannot close"},
        {-1, ERR_UNMET, "b cannot close"}, /* a lost file is worse */
        {-1, ERR_FAILED, "the run"},
        {-1, ERR_TIMEOUT, "the run"},
    };
    struct recorder a = {.name = 'a', .close_fails = true}, b = {.name = 'b', .close_fails = true};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct observers o = {0};
        struct err e = {0};
        if (t[i].rc)
            err_set(&e, t[i].kind, "the run");
        observers_add(&o, &all, &a);
        observers_add(&o, &all, &b);
        *calls = '\0';
        CHECK_INT(observers_close(&o, &end, t[i].rc, &e), -1);
        CHECK_STR(calls, "b.end a.end ");
        CHECK_STR(e.msg, t[i].want);
        CHECK_INT(e.kind, t[i].rc && t[i].kind != ERR_UNMET ? t[i].kind : ERR_OUTPUT);
    }
}

TEST_MAIN(observer_test)
{
    order();
    open_fails();
    close_fails();
    return test_done("observer");
}
