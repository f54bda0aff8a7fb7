/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See actions.h.  The thread sleeps in poll until the next instant, or until a command prints or
 * ends.  The instant is a timer's: a timeout would be late by as long as the program was stopped
 * meanwhile (SIGSTOP).  What a report reads of an action is copied under the lock; its texts
 * (command, output, reason) do not change once the state that tells of them is set, so the copy may
 * keep pointers.
 */
#include "cli/actions.h"

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
#include "base/units.h"
#include "cli/child.h"

#define GRACE      (2 * NS_PER_SEC) /* for commands that still run when the run is over */
#define LOOK       (20 * NS_PER_MS) /* for an end that no descriptor announces */
#define OUTPUT_MAX ACTION_OUTPUT_MAX

extern char **environ;

struct action {
    struct report_action r;
    const char *text; /* its --at as given */
    dur_ns at;
    mono_ns begun;
    struct child child;
    struct str output;
    size_t printed; /* kept or not */
    bool reaped;
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
    pthread_mutex_t lock; /* action[].r */
    _Atomic int64_t from; /* 0: measuring has not begun */
    _Atomic int64_t read_at;
    _Atomic bool curtain, hurry;
    _Atomic int64_t over; /* when the run was; 0: not yet */
    mono_ns sent;         /* thread: the signal that ends what still runs; 0: not yet */
};

static const struct opt_row rows[] = {
    {"at", OPT_LIST, NULL,
     "run the command of --do so long after the start of measuring: 30 or 30s, 500ms, 2m, "
     "50% of --time; may be given several times, each with its --do",
     OPT_ADDS | OPT_OWN, 0, 0, NULL},
    {"do", OPT_STRING, NULL,
     "shell command for --at; its begin is a mark in all reports, and what it printed is "
     "kept there; may be given several times",
     OPT_ADDS | OPT_OWN, 0, 0, NULL},
};

void actions_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
}

/* --- the command line --- */

static int bad_at(const char *text, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --at: '%s' (%s)", text, why);
}

static int read_share(const char *text, const struct plan *p, dur_ns *at, struct err *e)
{
    double pct;

    if (units_percent(text, 0, 1e6, &pct, NULL))
        return bad_at(text, "not a percentage of --time", e);
    if (!p->time_limit)
        return bad_at(text, "a percentage needs a time limit: --time=N", e);
    *at = pct < 100 ? (dur_ns)(pct / 100 * (double)p->time_limit + 0.5) : p->time_limit;
    return 0;
}

static int read_at(const char *text, const struct plan *p, dur_ns *at, struct err *e)
{
    char why[80];

    if (strchr(text, '%')) {
        if (read_share(text, p, at, e))
            return -1;
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

static int read_pair(struct action *v, const char *at, const char *command, const struct plan *p,
                     struct err *e)
{
    if (!command[strspn(command, " \t\n")])
        return err_set(e, ERR_USAGE, "Invalid value for --do: '%s' (no command)", command);
    if (read_at(at, p, &v->at, e))
        return -1;
    v->text = at;
    v->child = (struct child){.out = -1, .pidfd = -1};
    v->r = (struct report_action){.at_s = dur_sec(v->at), .command = command, .exit_status = -1};
    return 0;
}

static struct actions *make(size_t n, const struct plan *p, struct marks *marks)
{
    struct actions *a = mem_alloc(sizeof *a);

    a->action = mem_array(n, sizeof *a->action);
    a->record = mem_array(n, sizeof *a->record);
    a->n = n;
    a->time = p->time_limit;
    a->interval = p->report_interval;
    a->marks = marks;
    a->servers = mem_strdup("");
    a->wake = a->timer = -1;
    pthread_mutex_init(&a->lock, NULL);
    return a;
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
    *out = make(n, p, marks);
    for (size_t i = 0; i < n; i++)
        if (read_pair(&(*out)->action[i], at[i], command[i], p, e))
            return -1;
    return 0;
}

void actions_free(struct actions *a)
{
    if (!a)
        return;
    actions_end(a, true);
    for (size_t i = 0; i < a->n; i++)
        str_free(&a->action[i].output);
    free(a->action);
    free(a->record);
    free(a->servers);
    if (a->wake >= 0)
        close(a->wake);
    if (a->timer >= 0)
        close(a->timer);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* --- one command --- */

static char *variable(const char *name, double seconds)
{
    return mem_printf("%s=%.15g", name, seconds);
}

/* What the command finds beside our own environment; *own: how many of them are ours to free. */
static char **environment(const struct actions *a, const struct action *v, size_t *own)
{
    size_t n = 0, k = 0;
    char **env;

    while (environ[n])
        n++;
    env = mem_array(n + 5, sizeof *env);
    env[k++] = mem_printf("SB_PID=%ld", (long)getpid());
    env[k++] = mem_printf("SB_SERVER_PIDS=%s", a->servers);
    env[k++] = variable("SB_AT", dur_sec(v->at));
    env[k++] = a->time ? variable("SB_TIME", dur_sec(a->time)) : mem_strdup("SB_TIME=");
    *own = k;
    for (size_t i = 0; i < n; i++) {
        size_t name = strcspn(environ[i], "="), j = 0;
        while (j < *own && strncmp(env[j], environ[i], name + 1) != 0)
            j++;
        if (j == *own)
            env[k++] = environ[i];
    }
    return env;
}

static void set_begun(struct actions *a, struct action *v)
{
    pthread_mutex_lock(&a->lock);
    v->r.state = ACTION_RUNNING;
    v->r.begin_s = dur_sec(v->begun - atomic_load(&a->from));
    pthread_mutex_unlock(&a->lock);
    marks_add(a->marks, MARK_COMMAND, v->begun, v->r.command, strlen(v->r.command));
}

static void set_failed(struct actions *a, struct action *v, int errnum)
{
    log_warn("--at=%s: cannot start '%s': %s", v->text, v->r.command, strerror(errnum));
    pthread_mutex_lock(&a->lock);
    v->r.state = ACTION_FAILED;
    v->r.why = strerror(errnum);
    pthread_mutex_unlock(&a->lock);
    v->reaped = true;
}

static void start(struct actions *a, struct action *v)
{
    size_t own;
    char **env = environment(a, v, &own);
    int rc;

    v->begun = clock_mono();
    rc = child_start(&v->child, v->r.command, env);
    for (size_t i = 0; i < own; i++)
        free(env[i]);
    free(env);
    if (rc)
        set_failed(a, v, rc);
    else
        set_begun(a, v);
}

static void keep(struct action *v, char *text, size_t n)
{
    size_t room = OUTPUT_MAX - v->output.len;

    if (v->r.state != ACTION_RUNNING) /* of what it left behind */
        return;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0')
            text[i] = '?';
    str_add(&v->output, text, n < room ? n : room);
    v->printed += n;
}

static void read_output(struct action *v)
{
    char text[8192];
    ssize_t n = -1;

    for (int k = 0; v->child.out >= 0 && k < 64; k++) {
        n = read(v->child.out, text, sizeof text);
        if (n <= 0)
            break;
        keep(v, text, (size_t)n);
    }
    if (n == 0) {
        close(v->child.out);
        v->child.out = -1;
    }
}

/* Did an interval report separate the two instants?  Its reading tells, or, when that is under way,
 * the clock. */
static bool apart(const struct actions *a, mono_ns begun, mono_ns ended)
{
    mono_ns from = atomic_load(&a->from);

    if (!a->interval || atomic_load(&a->over))
        return false;
    return atomic_load(&a->read_at) >= begun ||
           (begun - from) / a->interval != (ended - from) / a->interval;
}

static void mark_end(struct actions *a, const struct action *v, mono_ns now)
{
    char *text = mem_printf("end of: %s", v->r.command);

    marks_add(a->marks, MARK_COMMAND, now, text, strlen(text));
    free(text);
}

static void say_failed(const struct action *v)
{
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

static void look(struct actions *a, struct action *v)
{
    mono_ns now = clock_mono();
    int status, sig;

    if (v->r.state != ACTION_RUNNING)
        return;
    if (!child_ended(&v->child, &status, &sig))
        return;
    read_output(v); /* all that it printed is there by now */
    if (apart(a, v->begun, now))
        mark_end(a, v, now);
    pthread_mutex_lock(&a->lock);
    v->r.output = str_cstr(&v->output);
    v->r.output_bytes = v->printed;
    v->r.duration_s = dur_sec(now - v->begun);
    v->r.exit_status = status;
    v->r.signal = sig;
    v->r.stopped = a->sent > 0;
    v->r.state = ACTION_ENDED;
    pthread_mutex_unlock(&a->lock);
    say_failed(v);
}

/* --- the thread --- */

static bool runs(const struct actions *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->action[i].r.state == ACTION_RUNNING)
            return true;
    return false;
}

/* Its instant; one that the clock does not reach is never. */
static mono_ns due(const struct action *v, mono_ns from)
{
    return v->at < MONO_NEVER - from ? from + v->at : MONO_NEVER;
}

/* Starts what is due; the next instant. */
static mono_ns start_due(struct actions *a)
{
    mono_ns from = atomic_load(&a->from), next = MONO_NEVER;

    if (!from || atomic_load(&a->over) || atomic_load(&a->curtain))
        return next;
    for (size_t i = 0; i < a->n; i++) {
        struct action *v = &a->action[i];
        if (v->r.state != ACTION_WAITING)
            continue;
        if (due(v, from) <= clock_mono())
            start(a, v);
        else if (due(v, from) < next)
            next = due(v, from);
    }
    return next;
}

/* Ends what still runs when its time is over; when to come again. */
static mono_ns end_late(struct actions *a, mono_ns now)
{
    mono_ns over = atomic_load(&a->over);
    mono_ns until = over + (atomic_load(&a->hurry) ? 0 : GRACE);
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

/* Also forgets that it has run out. */
static void set_timer(int fd, mono_ns until)
{
    struct itimerspec t = {.it_value = {.tv_sec = (time_t)(until / NS_PER_SEC),
                                        .tv_nsec = (long)(until % NS_PER_SEC)}};

    if (until == MONO_NEVER)
        t.it_value = (struct timespec){0};
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL);
}

static void wait_for_news(struct actions *a, struct pollfd *p, mono_ns until)
{
    mono_ns look = clock_mono() + LOOK;
    nfds_t n = 0;
    uint64_t news;

    p[n++] = (struct pollfd){.fd = a->wake, .events = POLLIN};
    p[n++] = (struct pollfd){.fd = a->timer, .events = POLLIN};
    for (size_t i = 0; i < a->n; i++) {
        const struct action *v = &a->action[i];
        bool running = v->r.state == ACTION_RUNNING;
        p[n++] = (struct pollfd){.fd = v->child.out, .events = POLLIN};
        p[n++] = (struct pollfd){.fd = running ? v->child.pidfd : -1, .events = POLLIN};
        if (running && v->child.pidfd < 0 && look < until)
            until = look;
    }
    set_timer(a->timer, until);
    poll(p, n, -1);
    if (p[0].revents && read(a->wake, &news, sizeof news) < 0)
        return; /* there is nothing in it but that it came */
}

static void end_all(struct actions *a)
{
    for (size_t i = 0; i < a->n; i++) {
        struct action *v = &a->action[i];
        pthread_mutex_lock(&a->lock);
        if (v->r.state == ACTION_WAITING)
            v->r.state = ACTION_NOT_RUN;
        else if (v->r.state == ACTION_ENDED && !v->reaped)
            v->r.left = child_reap(&v->child) && !v->r.stopped;
        v->reaped = true;
        pthread_mutex_unlock(&a->lock);
    }
}

static void *actions_thread(void *arg)
{
    struct actions *a = arg;
    struct pollfd *p = mem_array(2 * a->n + 2, sizeof *p);

    for (;;) {
        mono_ns next = start_due(a), late;
        if (atomic_load(&a->over) && !runs(a))
            break;
        late = end_late(a, clock_mono());
        wait_for_news(a, p, late < next ? late : next);
        for (size_t i = 0; i < a->n; i++) {
            read_output(&a->action[i]);
            look(a, &a->action[i]);
        }
    }
    end_all(a);
    free(p);
    return NULL;
}

/* --- from outside --- */

int actions_open(struct actions *a, struct err *e)
{
    sigset_t all, before;
    int rc;

    if (!a)
        return 0;
    a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (a->wake < 0)
        return err_sys(e, errno, "--at: cannot create an eventfd");
    a->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (a->timer < 0)
        return err_sys(e, errno, "--at: cannot create a timer");
    signal(SIGCHLD, SIG_DFL); /* ignored, as some parents leave it, ends are never told */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&a->thread, NULL, actions_thread, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    free(a->servers);
    a->servers = mem_strdup(str_cstr(&s));
    str_free(&s);
}

static void wake(struct actions *a)
{
    const uint64_t one = 1;

    if (write(a->wake, &one, sizeof one) < 0)
        return; /* the counter is full: it is awake */
}

void actions_begin(struct actions *a, mono_ns from)
{
    if (!a)
        return;
    atomic_store(&a->from, from);
    wake(a);
}

void actions_interval(struct actions *a, mono_ns at)
{
    if (a)
        atomic_store(&a->read_at, at);
}

void actions_curtain(struct actions *a)
{
    if (a)
        atomic_store(&a->curtain, true);
}

void actions_end(struct actions *a, bool hurry)
{
    if (!a || !a->running)
        return;
    atomic_store(&a->hurry, hurry);
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
