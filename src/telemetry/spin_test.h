/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Helpers of the telemetry tests: they start tests/programs/spin.c, stop it before and after its
 * work, and return the kernel's accounts of it; start one that does nothing; and they find the
 * captured trees of tests/data. Only *_test.c files include this.
 *
 * spin is $SPIN or lies beside the test program.
 */
#ifndef SB_TELEMETRY_SPIN_TEST_H
#define SB_TELEMETRY_SPIN_TEST_H

#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct spin_line {
    int pid;
    long long user_us, sys_us, vol, invol, minflt, majflt, burnt_us;
};

struct spin {
    pid_t pid;
    FILE *out;
    int in;
    struct spin_line begin, end;
};

static inline const char *spin_path(char path[PATH_MAX])
{
    static const char *const near[] = {"spin", "../spin"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *dir, *named = getenv("SPIN");

    if (named)
        return named;
    self[n > 0 ? n : 0] = '\0';
    dir = dirname(self);
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        if (snprintf(path, PATH_MAX, "%s/%s", dir, near[i]) < PATH_MAX && access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

static inline bool spin_read_line(struct spin *s, const char *what, struct spin_line *l)
{
    char line[256], format[128];

    snprintf(format, sizeof format,
             "%s pid=%%d user_us=%%lld sys_us=%%lld vol=%%lld invol=%%lld minflt=%%lld "
             "majflt=%%lld burnt_us=%%lld",
             what);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return fgets(line, sizeof line, s->out) &&
           sscanf(line, format, &l->pid, &l->user_us, &l->sys_us, &l->vol, &l->invol, &l->minflt,
                  &l->majflt, &l->burnt_us) == 8;
#pragma GCC diagnostic pop
}

/* args: "spin", options..., NULL; "--wait" is added here.  False with a printed reason. */
static inline bool spin_start(struct spin *s, const char *const *args)
{
    char buf[PATH_MAX];
    const char *path = spin_path(buf), *argv[16] = {"spin", "--wait"};
    int to[2], from[2];

    if (!path || pipe(to) || pipe(from)) {
        printf("spin: %s\n", path ? "no pipes" : "not found; name it in $SPIN");
        return false;
    }
    for (int i = 1; args[i] && i < 14; i++)
        argv[i + 1] = args[i];
    fflush(stdout);
    s->pid = fork();
    if (s->pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        execv(path, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    s->in = to[1];
    s->out = fdopen(from[0], "r");
    return s->pid > 0 && s->out && spin_read_line(s, "begin", &s->begin);
}

/* Lets it work; returns at once. */
static inline bool spin_go(struct spin *s)
{
    return write(s->in, "\n", 1) == 1;
}

/* Waits for the end of the work. */
static inline bool spin_done(struct spin *s)
{
    return spin_read_line(s, "end", &s->end);
}

static inline void spin_stop(struct spin *s)
{
    close(s->in);
    if (s->out)
        fclose(s->out);
    if (s->pid > 0)
        waitpid(s->pid, NULL, 0);
}

/* A process of ours that does nothing. */
static inline pid_t idle_start(void)
{
    fflush(stdout);
    pid_t pid = fork();
    while (pid == 0)
        pause();
    return pid;
}

static inline void idle_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The path of tests/data/NAME. */
static inline const char *test_data(const char *name, char path[PATH_MAX])
{
    const char *srcdir = getenv("srcdir");

    snprintf(path, PATH_MAX, "%s/../tests/data/%s", srcdir ? srcdir : ".", name);
    return path;
}

#endif
