/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command behind remote.h: `pstime --stream`, started through the user's command with a pipe at
 * each end.  It ends with its stdin.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/remote_state.h"

void remote_fail(struct remote *v, const char *why)
{
    if (v->in >= 0)
        close(v->in);
    if (v->out >= 0)
        close(v->out);
    v->in = v->out = -1;
    v->state = REMOTE_DOWN;
    v->retry_at = clock_mono() + REMOTE_RETRY;
    snprintf(v->why, sizeof v->why, "%s", why);
    v->kind = ERR_FAILED;
}

/* True when it has ended within half a second. */
static bool is_reaped(struct remote *v)
{
    struct timespec nap = {.tv_nsec = 2 * NS_PER_MS};

    for (int i = 0; i < 250; i++) {
        if (waitpid(v->child, NULL, WNOHANG) != 0)
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

void remote_reap(struct remote *v)
{
    if (v->child <= 0)
        return;
    if (!is_reaped(v)) {
        kill(v->child, SIGTERM);
        if (!is_reaped(v)) {
            kill(v->child, SIGKILL);
            waitpid(v->child, NULL, 0);
        }
    }
    v->child = 0;
}

static int spawn(struct remote *v, const int in[2], const int out[2])
{
    /* Ctrl-C is meant for us: the last reading of the run still needs the stream */
    char *script = mem_printf("trap '' INT; exec %s pstime --stream", v->command);
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t pipes;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    if (v->reported) /* its error messages were shown once */
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attr);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawnattr_setsigdefault(&attr, &pipes);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn(&v->child, "/bin/sh", &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    free(script);
    if (rc)
        v->child = 0;
    return rc;
}

void remote_start(struct remote *v)
{
    int in[2], out[2], rc;

    remote_reap(v);
    str_reset(&v->text);
    v->greeted = 0;
    v->first_line[0] = '\0';
    if (pipe2(in, O_CLOEXEC) != 0) {
        remote_fail(v, strerror(errno));
        return;
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        remote_fail(v, strerror(errno));
        close(in[0]);
        close(in[1]);
        return;
    }
    rc = spawn(v, in, out);
    close(in[0]);
    close(out[1]);
    v->in = in[1];
    v->out = out[0];
    fcntl(v->out, F_SETFL, O_NONBLOCK);
    fcntl(v->in, F_SETFL, O_NONBLOCK);
    v->state = REMOTE_HELLO;
    snprintf(v->why, sizeof v->why, "the command has not answered yet");
    if (rc)
        remote_fail(v, strerror(rc));
}

bool remote_send_line(struct remote *v, const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < (int)sizeof line && write(v->in, line, (size_t)n) == n)
        return true;
    remote_fail(v, "the stream ended");
    return false;
}
