/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session, called as the engine calls it: snapshots are completed before the observers get them,
 * and one word says how the run ended.
 */
#include "session/session.h"

#include <stdlib.h>

#include "base/test_golden.h"

static struct {
    char calls[300];
    struct snapshot last;
    const char *status;
    char error[100];
    const struct environment *environment; /* in the record at the last call */
    size_t actions;
} seen;

static struct session s;

static void note(const char *call)
{
    strncat(seen.calls, call, sizeof seen.calls - strlen(seen.calls) - 1);
}

static int on_open(void *self, struct err *e)
{
    (void)self, (void)e;
    note("open ");
    return 0;
}

static void on(void *self, struct run_event *event)
{
    static const char *const names[] = {
        [RUN_HEADER] = "header ",     [RUN_READY] = "ready ",
        [RUN_STARTED] = "started ",   [RUN_WARMING_UP] = "warming_up ",
        [RUN_BEGINS] = "begin ",      [RUN_TICKER_OPENS] = "ticker_open ",
        [RUN_SNAPSHOT] = "snapshot ", [RUN_TICKER_CLOSES] = "ticker_close ",
        [RUN_FOUND] = "found ",       [RUN_FINAL_READING] = "final_reading ",
        [RUN_CLOSING] = "closing "};

    (void)self;
    note(names[event->kind]);
    if (event->kind == RUN_READY)
        seen.environment = s.record.info.record;
    if (event->kind == RUN_SNAPSHOT) {
        seen.last = *event->s;
        seen.actions = s.record.info.actions;
    }
}

static int on_close(void *self, const struct report_end *end, struct err *e)
{
    (void)self, (void)e;
    note("close ");
    seen.status = end->status;
    snprintf(seen.error, sizeof seen.error, "%s", end->error ? end->error : "-");
    return 0;
}

static const struct observer_ops witness = {
    .name = "witness", .open = on_open, .on = on, .close = on_close};

static void begin(const struct run_result *result)
{
    memset(&seen, 0, sizeof seen);
    memset(&s, 0, sizeof s);
    s.result = result;
    s.mark_on = "";
    s.marking = marking_new();
    s.attach.option = "off";
    observers_add(&s.run.list, &session_observer, &s);
    observers_add(&s.run.list, &witness, NULL);
}

/* The calls of a run in their order, and what they add. */
static void whole_run(void)
{
    struct run_result result = {.began = true, .measured = true};
    struct snapshot phase = {.kind = SNAPSHOT_PHASE}, v = {.kind = SNAPSHOT_INTERVAL};
    struct snapshot_phase phases[] = {{.s = &phase}};
    const struct observers *run = &s.run.list;
    struct run_event ready = {.kind = RUN_READY};
    struct err e = {0};

    begin(&result);
    CHECK_INT(session_open(&s, &e), 0);
    observers_tell(run, &ready);
    CHECK(ready.server == NULL);
    CHECK(seen.environment == NULL); /* not requested */
    observers_say(run, RUN_STARTED);
    observers_say(run, RUN_WARMING_UP);
    observers_tell(run, &(struct run_event){.kind = RUN_BEGINS, .from = clock_mono()});
    observers_say(run, RUN_TICKER_OPENS);
    observers_snapshot(run, &v);
    CHECK(seen.last.server.why_off == NULL);
    observers_say(run, RUN_TICKER_CLOSES);
    observers_say(run, RUN_FINAL_READING);
    snprintf(s.attach.why, sizeof s.attach.why, "it hid");
    s.attach.has_before = true;
    s.attach.before_pct = 12.5;
    marks_add(marking_list(s.marking), MARK_SCRIPT, 0, "late", 4);
    v.kind = SNAPSHOT_FINAL;
    v.marks = marks_at(marking_list(s.marking), 0); /* as the engine gives it */
    v.phases = phases;
    v.nphases = 1;
    observers_snapshot(run, &v);
    CHECK_STR(seen.last.server.why_off, "it hid");
    CHECK_STR(phase.server.why_off, "it hid");
    CHECK(phase.server.has_before && phase.server.before_pct == 12.5);
    CHECK_INT(seen.last.nmarks, 1);
    CHECK(v.server.why_off == NULL && v.nmarks == 0); /* the engine's own snapshot is unchanged */
    CHECK_INT(session_close(&s, 0, &e), 0);
    CHECK_STR(seen.calls, "open ready started warming_up begin ticker_open snapshot ticker_close "
                          "final_reading snapshot close ");
    CHECK_STR(seen.status, "completed");
    session_free(&s);
    CHECK(s.marking == NULL);
}

static void environment(void)
{
    struct run_result result = {0};

    begin(&result);
    s.record_environment = true;
    environment_add(&s.environment, "k", "v");
    observers_say(&s.run.list, RUN_READY);
    CHECK(seen.environment == &s.environment);
    session_free(&s);
}

static void endings(void)
{
#define WAS .began = true, .measured = true
    static const struct {
        struct run_result result;
        enum err_kind kind; /* ERR_NONE: no error */
    } t[] = {{{WAS}, ERR_NONE},
             {{WAS}, ERR_UNMET},
             {{WAS}, ERR_FAILED},
             {{WAS, .signal = 2}, ERR_NONE},
             {{WAS, .signal = 2, .forced = true}, ERR_TIMEOUT},
             {{.began = true}, ERR_FAILED},
             {{.began = false}, ERR_FAILED}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        int rc = t[i].kind ? err_set(&e, t[i].kind, "why") : 0;
        begin(&t[i].result);
        CHECK_INT(session_close(&s, rc, &e), rc);
        CHECK_INT(e.kind, t[i].kind);
        golden_line("ending %zu: %s, %s, %s", i + 1, seen.status, seen.error, seen.calls);
        session_free(&s);
    }
}

/* A FIFO that cannot be made: no observer is opened. */
static void no_marks(void)
{
    struct run_result result = {0};
    struct err e = {0};

    begin(&result);
    s.mark_on = "/nowhere/fifo";
    CHECK_INT(session_open(&s, &e), -1);
    CHECK_STR(seen.calls, "");
    CHECK(strstr(e.msg, "/nowhere/fifo") != NULL);
    session_free(&s);
}

TEST_MAIN(session_test)
{
    whole_run();
    environment();
    endings();
    no_marks();
    golden_done("session_test");
    return test_done("session");
}
