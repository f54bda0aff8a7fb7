/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime's stream: a child answers questions over two pipes, as it does on another host.  Its
 * target is this test.
 */
#include "ps/pstime.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
#include "telemetry/stream.h"

struct peer {
    FILE *ask, *answers;
    pid_t pid;
};

static char target[16]; /* the name of this process, which no other has */

static struct peer start(void)
{
    struct peer p;
    int to[2], from[2];

    fflush(stdout);
    CHECK_INT(pipe(to), 0);
    CHECK_INT(pipe(from), 0);
    p.pid = fork();
    if (p.pid == 0) {
        prctl(PR_SET_NAME, "serve-peer"); /* not the target's */
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        exit(ps_serve());
    }
    close(to[0]);
    close(from[1]);
    p.ask = fdopen(to[1], "w");
    p.answers = fdopen(from[0], "r");
    return p;
}

/* The next line; "" at the end. */
static const char *read_line(struct peer *p)
{
    static char text[4096];

    if (!fgets(text, sizeof text, p->answers))
        *text = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static const char *ask(struct peer *p, const char *question)
{
    fprintf(p->ask, "%s\n", question);
    fflush(p->ask);
    return read_line(p);
}

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int finish(struct peer *p)
{
    int status = -1;

    fclose(p->ask);
    CHECK_STR(read_line(p), "");
    fclose(p->answers);
    CHECK_INT(waitpid(p->pid, &status, 0), p->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Lines up to `end N`; counts those that begin with `what`. */
static int until_end(struct peer *p, const char *number, const char *what)
{
    char end[32];
    const char *text;
    int n = 0;

    snprintf(end, sizeof end, "end %s mono=", number);
    while (*(text = read_line(p)) && !begins(text, end))
        n += begins(text, what);
    CHECK(begins(text, end));
    return n;
}

/* What tests/t/pstime.t does not ask. */
static void refusals(struct peer *p)
{
    CHECK_STR(ask(p, "open "), "error no server was named");
    CHECK(begins(ask(p, "open 999999999"), "error "));
    CHECK(begins(ask(p, "open 12x"), "error "));
    CHECK(begins(ask(p, "open listen:/no/such/socket"), "error "));
    CHECK(begins(ask(p, "read 1"), "sample 1 mono=")); /* the host alone */
    until_end(p, "1", "");
}

static void with_server(struct peer *p)
{
    char question[64], first[256];

    snprintf(question, sizeof question, "open %d %d", (int)getpid(), (int)getpid());
    snprintf(first, sizeof first, "%s", ask(p, question));
    CHECK(begins(first, "server ") && strstr(first, target) != NULL);
    snprintf(question, sizeof question, "open %s", target);
    CHECK_STR(ask(p, question), first); /* the same by its name */
    CHECK(begins(ask(p, "read 2"), "sample 2 mono="));
    CHECK(until_end(p, "2", "") > 1);
    CHECK(begins(ask(p, "environment 3"), "sample 3 mono="));
    CHECK(until_end(p, "3", "env ") > 3);
}

static void with_events(struct peer *p)
{
    char question[64];
    const char *text = ask(p, "events context-switches,page-faults:u");

    CHECK(begins(text, "event 0 ") && strstr(text, " context-switches"));
    text = read_line(p);
    CHECK(begins(text, "event 1 ") && strstr(text, " page-faults:u"));
    CHECK_STR(read_line(p), "ok");
    snprintf(question, sizeof question, "open %d", (int)getpid());
    for (text = ask(p, question); begins(text, "event "); text = read_line(p))
        ;
    CHECK(begins(text, "how "));
    CHECK(begins(read_line(p), "server "));
    CHECK(begins(ask(p, "read 4"), "sample 4 mono="));
    CHECK(until_end(p, "4", "") > 1);
}

/* The same on all CPUs: needs no right that the test may lack to be answered. */
static void with_system_events(struct peer *p)
{
    char question[64];
    const char *text = ask(p, "system-events page-faults");
    bool counted = false;

    CHECK(begins(text, "event 0 ") && strstr(text, " page-faults"));
    CHECK_STR(read_line(p), "ok");
    snprintf(question, sizeof question, "open %d", (int)getpid());
    for (text = ask(p, question); begins(text, "event "); text = read_line(p))
        counted = strstr(text, "perf_event_paranoid") == NULL;
    CHECK(strcmp(text, "how ") == 0 || begins(text, "how of the whole system, "));
    CHECK(!counted || strlen(text) > 4);
    CHECK(begins(read_line(p), "server "));
}

/* Counted, or the reason. */
static void with_syscalls(struct peer *p)
{
    char question[64];
    const char *text;
    bool counted;

    snprintf(question, sizeof question, "syscalls on\nopen %d", (int)getpid());
    text = ask(p, question);
    while (begins(text, "event ") || begins(text, "how"))
        text = read_line(p);
    counted = !begins(text, "syscalls-why ");
    if (!counted)
        text = read_line(p);
    CHECK(begins(text, "server "));
    getppid();
    CHECK(begins(ask(p, "read 5"), "sample 5 mono="));
    CHECK((until_end(p, "5", "syscall ") > 0) == counted);
}

/* No process reads the answers any more: exit status 1. */
static void deaf(void)
{
    struct peer p = start();
    int status = -1;

    CHECK(begins(read_line(&p), STREAM_HELLO " cpus="));
    fclose(p.answers);
    fprintf(p.ask, "read 1\n");
    fclose(p.ask);
    CHECK_INT(waitpid(p.pid, &status, 0), p.pid);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1) || WIFSIGNALED(status));
}

/* A request of the greatest length is one; a longer one ends the stream, with memory as before. */
static void endless(void)
{
    struct peer p = start();
    char *line = mem_array(2 << 20, 1);
    long i;

    memset(line, 'x', (2 << 20) - 1);
    CHECK(begins(read_line(&p), STREAM_HELLO " cpus="));
    fprintf(p.ask, "%.65536s\n", line);
    fflush(p.ask);
    CHECK(begins(read_line(&p), "error not a question"));
    signal(SIGPIPE, SIG_IGN);
    for (i = 0; i < 64 && fprintf(p.ask, "%s", line) > 0; i++)
        continue;
    CHECK(i < 64);
    CHECK_STR(read_line(&p), "error a question of more than 65536 bytes");
    CHECK_INT(finish(&p), 0);
    free(line);
}

TEST_MAIN(serve_test)
{
    struct peer p;

    snprintf(target, sizeof target, "peer-%d", (int)getpid());
    prctl(PR_SET_NAME, target);
    p = start();
    CHECK(begins(read_line(&p), STREAM_HELLO " cpus="));
    refusals(&p);
    with_server(&p);
    with_events(&p);
    with_system_events(&p);
    with_syscalls(&p);
    CHECK_INT(finish(&p), 0);
    deaf();
    endless();
    return test_done("serve");
}
