/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of observers: every call reaches each that has the function, in order, with the same
 * snapshot; closing goes backwards, and no failure keeps another observer from being closed.
 */
#include "session/observer.h"

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

#define NOTE(call)                                                                                 \
    static void r_##call(void *self)                                                               \
    {                                                                                              \
        note(self, #call);                                                                         \
    }
NOTE(header)
NOTE(ready)
NOTE(started)
NOTE(warming_up)
NOTE(ticker_open)
NOTE(ticker_close)
NOTE(final_reading)
NOTE(closing)

static void r_begin(void *self, mono_ns from)
{
    note(self, from == 5 ? "begin" : "begin at another time");
}

static void r_snapshot(void *self, const struct snapshot *s)
{
    const struct recorder *r = self;

    note(self, "snapshot");
    seen[r->name == 'b'] = s;
}

static const struct observer_ops all = {.name = "all",
                                        .open = r_open,
                                        .header = r_header,
                                        .ready = r_ready,
                                        .started = r_started,
                                        .warming_up = r_warming_up,
                                        .begin = r_begin,
                                        .ticker_open = r_ticker_open,
                                        .snapshot = r_snapshot,
                                        .ticker_close = r_ticker_close,
                                        .final_reading = r_final_reading,
                                        .closing = r_closing,
                                        .close = r_close};
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
    observers_header(&o);
    observers_ready(&o);
    observers_started(&o);
    observers_warming_up(&o);
    observers_begin(&o, 5);
    CHECK_STR(calls, "a.open b.open a.header b.header a.ready b.ready a.started b.started "
                     "a.warming_up b.warming_up a.begin b.begin ");
    *calls = '\0';
    observers_ticker_open(&o);
    observers_snapshot(&o, &s);
    observers_ticker_close(&o);
    observers_final_reading(&o);
    observers_closing(&o);
    CHECK_INT(observers_close(&o, &end, 0, &e), 0);
    CHECK_STR(calls, "a.ticker_open b.ticker_open a.snapshot b.snapshot a.ticker_close "
                     "b.ticker_close a.final_reading b.final_reading a.closing b.closing b.end "
                     "a.end ");
    CHECK(seen[0] == &s && seen[1] == &s);
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
