/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See actions.h.  The thread sleeps in poll until the next instant, or until a command prints or
 * ends.  A timer descriptor announces the instant: a timeout would be late by the time that the
 * program was stopped meanwhile (SIGSTOP).
 *
 * The thread owns an action; `r`, which reports copy, changes under the lock.  Texts that `r`
 * points to do not change once its state says that they exist, so copies may keep the pointers.
 */
#include "session/actions.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/units.h"
#include "opt/secret.h"
#include "report/run_info.h"
#include "session/process.h"
#include "stats/marks.h"

struct action {
    struct report_action r;
    const char *command; /* as given */
    char *shown;         /* the same with passwords masked, as in r */
    const char *text;    /* its --at as given */
    char *when;          /* the same without r.name */
    dur_ns at;
    mono_ns begun;
    struct child child;
    struct str output;
    size_t printed; /* kept or not */
    bool reaped;
    char why[80]; /* r.why: strerror()'s text ends with the thread */
};

struct actions {
    struct action *action;
    struct report_action *record;
    size_t n;
    dur_ns time, interval; /* of the plan; 0: none */
    struct marks *marks;
    char *servers;
    int wake, timer; /* eventfd, timerfd */
    bool running;
    pthread_t thread;
    pthread_mutex_t lock; /* action[].r, servers */
    _Atomic int64_t from; /* 0: measuring has not begun */
    _Atomic int64_t read_at;
    _Atomic bool final_reading, no_grace;
    _Atomic int64_t over; /* end of the run; 0: not yet */
    mono_ns sent;         /* thread: the signal that ends what still runs; 0: not yet */
};

static const struct opt_row rows[] = {
    {OPT_ROW("at", LIST, NULL, OPT_PER_RANK | OPT_ADDS | OPT_OWN,
             "run the next --do command at this time after the start of measuring: 30 or 30s, "
             "500ms, 2m, 50% of --time; TIME:NAME names its mark; may be given several times, "
             "each with its own --do")},
    {OPT_ROW("do", STRING, NULL, OPT_PER_RANK | OPT_ADDS | OPT_OWN | OPT_COMMAND,
             "shell command for --at; its start is a mark in all reports, which also show its "
             "output; may be given several times")},
};

void actions_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
}

static int bad_at(const char *text, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --at: '%s' (%s)", text, why);
}

static int read_at(const char *text, const struct plan *p, dur_ns *at, struct err *e)
{
    char why[80];
    double pct;

    if (strchr(text, '%')) {
        if (units_percent(text, 0, 1e6, &pct, NULL))
            return bad_at(text, "not a percentage of --time", e);
        if (!p->time_limit)
            return bad_at(text, "a percentage needs a time limit: --time=N", e);
        *at = pct < 100 ? (dur_ns)(pct / 100 * (double)p->time_limit + 0.5) : p->time_limit;
    } else if (units_duration(text, NS_PER_SEC, at, NULL)) {
        return bad_at(text,
                      "a time after the start of measuring, such as 30, 1.5s, 500ms, 2m or 50%", e);
    }
    if (p->time_limit && *at >= p->time_limit) {
        snprintf(why, sizeof why, "the run is over by then: --time=%.12g", dur_sec(p->time_limit));
        return bad_at(text, why, e);
    }
    return 0;
}

#define NAME_MOST 60 /* bytes: of a mark, beside "end of: " */

/* What is behind the colon of "200s:small pool" is the name of the marks.  It begins with a letter,
 * so that 1:30, for a minute and a half, is not taken for one second. */
static int read_name(struct action *v, struct err *e)
{
    size_t n = strcspn(v->text, ":");
    const char *name = v->text + n + (v->text[n] == ':');
    bool letter = isalpha((unsigned char)*name) || (unsigned char)*name >= 0x80;

    v->when = mem_strndup(v->text, n);
    if (!v->text[n])
        return 0;
    for (const char *c = name; *c; c++)
        letter = letter && (unsigned char)*c >= ' ' && *c != 0x7f;
    if (!letter || strlen(name) > NAME_MOST)
        return bad_at(v->text, "a name begins with a letter and has up to 60 printable bytes", e);
    v->r.name = name;
    return 0;
}

/* The text of its marks. */
static const char *marked(const struct action *v)
{
    return v->r.name ? v->r.name : v->r.command;
}

int actions_new(struct actions **out, const struct opts *o, const struct plan *p,
                struct marks *marks, struct err *e)
{
    size_t n, commands;
    char **at = opt_list(o, "at", &n), **command = opt_list(o, "do", &commands);

    *out = NULL;
    if (n > commands)
        return err_set(e, ERR_USAGE, "--at=%s has no --do=COMMAND", at[commands]);
    if (commands > n)
        return err_set(e, ERR_USAGE, "--do='%s' has no --at=TIME", command[n]);
    if (n == 0)
        return 0;
    struct actions *a = *out = mem_alloc(sizeof *a);
    a->action = mem_array(n, sizeof *a->action);
    a->record = mem_array(n, sizeof *a->record);
    a->n = n;
    a->time = p->time_limit;
    a->interval = p->report_interval;
    a->marks = marks;
    a->servers = mem_strdup("");
    a->wake = a->timer = -1;
    pthread_mutex_init(&a->lock, NULL);
    for (size_t i = 0; i < n; i++) {
        struct action *v = &a->action[i];
        if (!command[i][strspn(command[i], " \t\n")])
            return err_set(e, ERR_USAGE, "Invalid value for --do: '%s' (no command)", command[i]);
        v->text = at[i];
        if (read_name(v, e) || read_at(v->when, p, &v->at, e))
            return -1;
        v->child = (struct child){.out = -1, .pidfd = -1};
        v->command = command[i];
        v->shown = secret_shown_text(command[i]);
        v->r = (struct report_action){
            .at_s = dur_sec(v->at), .name = v->r.name, .command = v->shown, .exit_status = -1};
    }
    return 0;
}

extern char **environ;

static void action_start(struct actions *a, struct action *v)
{
    size_t n = 0, own = 0;

    /* our environment with the command's variables in front, which must be freed */
    while (environ[n])
        n++;
    char **env = mem_array(n + 6, sizeof *env);
    env[own++] = mem_printf("SB_PID=%ld", (long)getpid());
    pthread_mutex_lock(&a->lock);
    env[own++] = mem_printf("SB_SERVER_PIDS=%s", a->servers);
    pthread_mutex_unlock(&a->lock);
    env[own++] = mem_printf("SB_AT=%.15g", dur_sec(v->at));
    env[own++] = a->time ? mem_printf("SB_TIME=%.15g", dur_sec(a->time)) : mem_strdup("SB_TIME=");
    env[own++] = mem_printf(CHILD_COMMAND "=%s", v->command);
    for (size_t i = 0, k = own; i < n; i++) {
        size_t name = strcspn(environ[i], "="), j = 0;
        while (j < own && strncmp(env[j], environ[i], name + 1) != 0)
            j++;
        if (j == own)
            env[k++] = environ[i];
    }

    v->begun = marks_hold(a->marks);
    int rc = child_start(&v->child, env);
    marks_release(a->marks, MARK_COMMAND, v->begun, rc ? NULL : marked(v));
    explicit_bzero(env[own - 1], strlen(env[own - 1]));
    for (size_t i = 0; i < own; i++)
        free(env[i]);
    free(env);
    if (rc) {
        snprintf(v->why, sizeof v->why, "%s", strerror(rc));
        log_warn("--at=%s: cannot start '%s': %s", v->text, v->r.command, v->why);
        v->reaped = true;
    }
    pthread_mutex_lock(&a->lock);
    v->r.state = rc ? ACTION_FAILED : ACTION_RUNNING;
    v->r.why = rc ? v->why : NULL;
    v->r.begin_s = rc ? 0 : dur_sec(v->begun - atomic_load(&a->from));
    pthread_mutex_unlock(&a->lock);
}

/* Reads what it has printed. */
static void action_read_output(struct action *v)
{
    char text[8192];
    ssize_t n = -1;

    for (int k = 0; v->child.out >= 0 && k < 64; k++) {
        n = read(v->child.out, text, sizeof text);
        if (n <= 0)
            break;
        if (v->r.state != ACTION_RUNNING) /* from processes that it left running */
            continue;
        size_t left = ACTION_OUTPUT_MAX - v->output.len;
        for (ssize_t i = 0; i < n; i++)
            if (text[i] == '\0')
                text[i] = '?';
        str_add(&v->output, text, (size_t)n < left ? (size_t)n : left);
        v->printed += (size_t)n;
    }
    if (n == 0) {
        close(v->child.out);
        v->child.out = -1;
    }
}

/* Has it ended?  Then records its outcome and logs a failure. */
static void action_check(struct actions *a, struct action *v)
{
    mono_ns now = clock_mono();
    int status, sig;

    if (v->r.state != ACTION_RUNNING)
        return;
    if (!child_ended(&v->child, &status, &sig))
        return;
    action_read_output(v); /* all its output has arrived by now */
    /* was there an interval report meanwhile?  If one is in progress, its time decides */
    mono_ns from = atomic_load(&a->from);
    if (a->interval && !atomic_load(&a->over) &&
        (atomic_load(&a->read_at) >= v->begun ||
         (v->begun - from) / a->interval != (now - from) / a->interval)) {
        char *text = mem_printf("end of: %s", marked(v));
        marks_add(a->marks, MARK_COMMAND, now, text, strlen(text));
        free(text);
    }
    pthread_mutex_lock(&a->lock);
    v->r.output = str_cstr(&v->output);
    v->r.output_bytes = v->printed;
    v->r.duration_s = dur_sec(now - v->begun);
    v->r.exit_status = status;
    v->r.signal = sig;
    v->r.stopped = a->sent > 0;
    v->r.state = ACTION_ENDED;
    pthread_mutex_unlock(&a->lock);
    const struct report_action *r = &v->r;
    int line = (int)strcspn(r->output, "\r\n");
    const char *colon = line ? ": " : "";
    if (r->stopped || r->exit_status == 0)
        return;
    if (r->signal)
        log_warn("--at=%s: '%s' was ended by signal %d%s%.*s", v->text, r->command, r->signal,
                 colon, line, r->output);
    else
        log_warn("--at=%s: '%s' failed with status %d%s%.*s", v->text, r->command, r->exit_status,
                 colon, line, r->output);
}

#define GRACE       (2 * NS_PER_SEC) /* for commands that still run when the run is over */
#define CHECK_EVERY (20 * NS_PER_MS) /* for an end that no descriptor announces */

/* --- the thread --- */

/* The instant at which it is due; MONO_NEVER if the clock cannot reach it. */
static mono_ns due(const struct action *v, mono_ns from)
{
    return v->at < MONO_NEVER - from ? from + v->at : MONO_NEVER;
}

/* Starts the actions that are due; returns the next instant. */
static mono_ns start_due(struct actions *a)
{
    mono_ns from = atomic_load(&a->from), next = MONO_NEVER;

    if (!from || atomic_load(&a->over) || atomic_load(&a->final_reading))
        return next;
    for (size_t i = 0; i < a->n; i++) {
        struct action *v = &a->action[i];
        if (v->r.state != ACTION_WAITING)
            continue;
        if (due(v, from) <= clock_mono())
            action_start(a, v);
        else if (due(v, from) < next)
            next = due(v, from);
    }
    return next;
}

/* Ends commands that run longer than they may; returns when to check again. */
static mono_ns end_late(struct actions *a, mono_ns now)
{
    mono_ns over = atomic_load(&a->over), until = over + (atomic_load(&a->no_grace) ? 0 : GRACE);
    int sig = a->sent ? SIGKILL : SIGTERM;

    if (!over)
        return MONO_NEVER;
    if (a->sent)
        until = a->sent + GRACE;
    if (now < until)
        return until;
    for (size_t i = 0; i < a->n; i++)
        if (a->action[i].r.state == ACTION_RUNNING)
            child_signal(&a->action[i].child, sig);
    a->sent = now;
    return now + GRACE;
}

static void wait_for_news(struct actions *a, struct pollfd *p, mono_ns until)
{
    mono_ns check = clock_mono() + CHECK_EVERY;
    struct itimerspec t = {0};
    nfds_t n = 0;
    uint64_t news;

    p[n++] = (struct pollfd){.fd = a->wake, .events = POLLIN};
    p[n++] = (struct pollfd){.fd = a->timer, .events = POLLIN};
    for (size_t i = 0; i < a->n; i++) {
        const struct action *v = &a->action[i];
        bool running = v->r.state == ACTION_RUNNING;
        p[n++] = (struct pollfd){.fd = v->child.out, .events = POLLIN};
        p[n++] = (struct pollfd){.fd = running ? v->child.pidfd : -1, .events = POLLIN};
        if (running && v->child.pidfd < 0 && check < until)
            until = check;
    }
    if (until != MONO_NEVER)
        t.it_value = (struct timespec){.tv_sec = (time_t)(until / NS_PER_SEC),
                                       .tv_nsec = (long)(until % NS_PER_SEC)};
    timerfd_settime(a->timer, TFD_TIMER_ABSTIME, &t, NULL); /* also clears its expiry */
    poll(p, n, -1);
    if (p[0].revents && read(a->wake, &news, sizeof news) < 0)
        return; /* its value does not matter */
}

static void *actions_thread(void *arg)
{
    struct actions *a = arg;
    struct pollfd *p = mem_array(2 * a->n + 2, sizeof *p);

    for (;;) {
        mono_ns next = start_due(a);
        bool runs = false;
        for (size_t i = 0; i < a->n; i++)
            runs = runs || a->action[i].r.state == ACTION_RUNNING;
        if (atomic_load(&a->over) && !runs)
            break;
        mono_ns late = end_late(a, clock_mono());
        wait_for_news(a, p, late < next ? late : next);
        for (size_t i = 0; i < a->n; i++) {
            action_read_output(&a->action[i]);
            action_check(a, &a->action[i]);
        }
    }
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < a->n; i++) {
        struct action *v = &a->action[i];
        if (v->r.state == ACTION_WAITING)
            v->r.state = ACTION_NOT_RUN;
        else if (v->r.state == ACTION_ENDED && !v->reaped)
            v->r.left = child_reap(&v->child) && !v->r.stopped;
        v->reaped = true;
    }
    pthread_mutex_unlock(&a->lock);
    free(p);
    return NULL;
}

/* --- from outside --- */

void actions_free(struct actions *a)
{
    if (!a)
        return;
    actions_end(a, true);
    for (size_t i = 0; i < a->n; i++) {
        str_free(&a->action[i].output);
        free(a->action[i].shown);
        free(a->action[i].when);
    }
    free(a->action);
    free(a->record);
    free(a->servers);
    fd_close(a->wake);
    fd_close(a->timer);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

int actions_open(struct actions *a, struct err *e)
{
    if (!a)
        return 0;
    a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (a->wake < 0)
        return err_sys(e, errno, "--at: cannot create an eventfd");
    a->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (a->timer < 0)
        return err_sys(e, errno, "--at: cannot create a timer");
    signal(SIGCHLD, SIG_DFL); /* some parents leave it ignored: then waitid never reports an end */
    int rc = thread_start_deaf(&a->thread, actions_thread, a);
    if (rc)
        return err_sys(e, rc, "--at: cannot create its thread");
    a->running = true;
    return 0;
}

void actions_server(struct actions *a, const pid_t *pids, size_t n)
{
    struct str s = STR_INIT;

    if (!a)
        return;
    for (size_t i = 0; i < n; i++)
        str_printf(&s, "%s%ld", i ? " " : "", (long)pids[i]);
    pthread_mutex_lock(&a->lock);
    free(a->servers);
    a->servers = mem_strdup(str_cstr(&s));
    pthread_mutex_unlock(&a->lock);
    str_free(&s);
}

static void wake(struct actions *a)
{
    const uint64_t one = 1;

    if (write(a->wake, &one, sizeof one) < 0)
        return; /* the counter is full: it is awake */
}

void actions_on(struct actions *a, const struct run_event *event)
{
    if (a && event->kind == RUN_BEGINS) {
        atomic_store(&a->from, event->from);
        wake(a);
    } else if (a && event->kind == RUN_FINAL_READING) {
        atomic_store(&a->final_reading, true);
    } else if (a && event->kind == RUN_SNAPSHOT && event->s->kind == SNAPSHOT_INTERVAL) {
        atomic_store(&a->read_at, event->s->at);
    }
}

void actions_end(struct actions *a, bool no_grace)
{
    if (!a || !a->running)
        return;
    atomic_store(&a->no_grace, no_grace);
    atomic_store(&a->over, clock_mono());
    wake(a);
    pthread_join(a->thread, NULL);
    a->running = false;
}

const struct report_action *actions_record(struct actions *a, size_t *n)
{
    *n = 0;
    if (!a)
        return NULL;
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < a->n; i++)
        a->record[i] = a->action[i].r;
    pthread_mutex_unlock(&a->lock);
    *n = a->n;
    return a->record;
}
