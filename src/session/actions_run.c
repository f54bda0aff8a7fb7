/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One command of --do: its environment, its output, its outcome and its marks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "session/actions_state.h"

extern char **environ;

static char *variable(const char *name, double seconds)
{
    return mem_printf("%s=%.15g", name, seconds);
}

/* Our environment with the command's variables in front; *own: how many of them must be freed. */
static char **environment(struct actions *a, const struct action *v, size_t *own)
{
    size_t n = 0, k = 0;
    char **env;

    while (environ[n])
        n++;
    env = mem_array(n + 5, sizeof *env);
    env[k++] = mem_printf("SB_PID=%ld", (long)getpid());
    pthread_mutex_lock(&a->lock);
    env[k++] = mem_printf("SB_SERVER_PIDS=%s", a->servers);
    pthread_mutex_unlock(&a->lock);
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
}

static void set_failed(struct actions *a, struct action *v, int errnum)
{
    snprintf(v->why, sizeof v->why, "%s", strerror(errnum));
    log_warn("--at=%s: cannot start '%s': %s", v->text, v->r.command, v->why);
    pthread_mutex_lock(&a->lock);
    v->r.state = ACTION_FAILED;
    v->r.why = v->why;
    pthread_mutex_unlock(&a->lock);
    v->reaped = true;
}

void action_start(struct actions *a, struct action *v)
{
    size_t own;
    char **env = environment(a, v, &own);
    int rc;

    v->begun = marks_hold(a->marks);
    rc = child_start(&v->child, v->command, env);
    marks_release(a->marks, MARK_COMMAND, v->begun, rc ? NULL : v->r.command);
    for (size_t i = 0; i < own; i++)
        free(env[i]);
    free(env);
    if (rc)
        set_failed(a, v, rc);
    else
        set_begun(a, v);
}

static void keep_output(struct action *v, char *text, size_t n)
{
    size_t left = ACTION_OUTPUT_MAX - v->output.len;

    if (v->r.state != ACTION_RUNNING) /* from processes that it left running */
        return;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0')
            text[i] = '?';
    str_add(&v->output, text, n < left ? n : left);
    v->printed += n;
}

void action_read_output(struct action *v)
{
    char text[8192];
    ssize_t n = -1;

    for (int k = 0; v->child.out >= 0 && k < 64; k++) {
        n = read(v->child.out, text, sizeof text);
        if (n <= 0)
            break;
        keep_output(v, text, (size_t)n);
    }
    if (n == 0) {
        close(v->child.out);
        v->child.out = -1;
    }
}

/* True when there was an interval report between the two instants.  If one is in progress, its time
 * decides. */
static bool reported_between(const struct actions *a, mono_ns begun, mono_ns ended)
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

void action_check(struct actions *a, struct action *v)
{
    mono_ns now = clock_mono();
    int status, sig;

    if (v->r.state != ACTION_RUNNING)
        return;
    if (!child_ended(&v->child, &status, &sig))
        return;
    action_read_output(v); /* all its output has arrived by now */
    if (reported_between(a, v->begun, now))
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

void action_finish(struct actions *a, struct action *v)
{
    pthread_mutex_lock(&a->lock);
    if (v->r.state == ACTION_WAITING)
        v->r.state = ACTION_NOT_RUN;
    else if (v->r.state == ACTION_ENDED && !v->reaped)
        v->r.left = child_reap(&v->child) && !v->r.stopped;
    v->reaped = true;
    pthread_mutex_unlock(&a->lock);
}
