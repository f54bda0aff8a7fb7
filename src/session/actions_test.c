/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --at and --do: refused values, and the outcomes of real commands.  The tests wait for everything
 * that takes time.
 */
#include "session/actions.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_capture.h"
#include "base/test_golden.h"

#define PATIENCE (60 * NS_PER_SEC)

static char directory[] = "/tmp/sb-actions-XXXXXX";

static struct opts *options(const char *const *arg)
{
    struct opts *o = opts_new();
    struct err e = {0};

    actions_options(o);
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, &e), 0);
    return o;
}

/* --- the command line --- */

static void refused(const char *line)
{
    struct plan p = {.time_limit = *line == '-' ? 0 : 10 * NS_PER_SEC};
    char copy[100], *rest = copy;
    const char *arg[3] = {NULL};
    struct actions *a = NULL;
    struct err e = {0};

    snprintf(copy, sizeof copy, "%s", line + (*line != '-'));
    for (size_t n = 0; n < 2 && (arg[n] = strtok_r(rest, " ", &rest)) != NULL;)
        n++;
    struct opts *o = options(arg);
    CHECK_INT(actions_new(&a, o, &p, NULL, &e), -1);
    golden_line("%s: %s", line, e.msg);
    actions_free(a);
    opts_free(o);
}

static void test_instants(void)
{
    static const char *const arg[] = {"--at=30",     "--do=a",   "--at=1.5s",
                                      "--do=b",      "--at=25%", "--do=c",
                                      "--at=99.99%", "--do=d",   "--at=250ms:pool: 50%",
                                      "--do=e",      NULL};
    static const double at_s[] = {30, 1.5, 10, 39.996, 0.25};
    struct plan p = {.time_limit = 40 * NS_PER_SEC};
    struct opts *o = options(arg);
    struct actions *a = NULL;
    const struct report_action *r;
    struct err e = {0};
    size_t n;

    CHECK_INT(actions_new(&a, o, &p, NULL, &e), 0);
    r = actions_record(a, &n);
    CHECK_INT(n, 5);
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(r[i].at_s, at_s[i], 1e-9);
        CHECK_INT(r[i].command[0], 'a' + (int)i);
        CHECK_INT(r[i].state, ACTION_WAITING);
    }
    CHECK(!r[3].name);
    CHECK_STR(r[4].name, "pool: 50%");
    actions_free(a); /* never opened */
    opts_free(o);
}

/* Without --at all functions do nothing. */
static void test_none(void)
{
    static const char *const arg[] = {NULL};
    struct plan p = {0};
    struct opts *o = options(arg);
    struct actions *a = (struct actions *)&p;
    struct err e = {0};
    size_t n = 1;

    CHECK_INT(actions_new(&a, o, &p, NULL, &e), 0);
    CHECK(a == NULL);
    CHECK_INT(actions_open(a, &e), 0);
    actions_server(a, NULL, 0);
    actions_on(a, &(struct run_event){.kind = RUN_BEGINS, .from = 1});
    actions_on(a, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &(struct snapshot){.at = 1}});
    actions_on(a, &(struct run_event){.kind = RUN_FINAL_READING});
    actions_end(a, true);
    CHECK(actions_record(a, &n) == NULL && n == 0);
    actions_free(a);
    opts_free(o);
}

/* --- commands --- */

/* One command, begun at once. */
struct trial {
    struct opts *o;
    struct actions *a;
    struct marks *marks;
    mono_ns from;
};

static void begin_at(struct trial *t, const char *at, const char *command, const struct plan *p)
{
    char *when = mem_printf("--at=%s", at), *what = mem_printf("--do=%s", command);
    const char *arg[] = {when, what, NULL};
    const pid_t server[] = {11, 12};
    struct err e = {0};

    t->o = options(arg);
    t->marks = marks_new();
    CHECK_INT(actions_new(&t->a, t->o, p, t->marks, &e), 0);
    CHECK_INT(actions_open(t->a, &e), 0);
    actions_server(t->a, server, 2);
    t->from = clock_mono();
    actions_on(t->a, &(struct run_event){.kind = RUN_BEGINS, .from = t->from});
    free(when);
    free(what);
}

static void begin(struct trial *t, const char *command)
{
    static const struct plan p = {0};

    begin_at(t, "0", command, &p);
}

/* Waits until the command is in that state. */
static const struct report_action *await(const struct trial *t, enum action_state state)
{
    mono_ns until = clock_mono() + PATIENCE;
    const struct report_action *r;
    size_t n;

    while ((r = actions_record(t->a, &n))->state != state && clock_mono() < until)
        usleep(1000);
    CHECK_INT(r->state, state);
    return r;
}

/* The record after the end; then the trial is over. */
static struct report_action end(struct trial *t, bool no_grace)
{
    size_t n;

    actions_end(t->a, no_grace);
    actions_end(t->a, no_grace); /* again: nothing */
    return *actions_record(t->a, &n);
}

static void forget(struct trial *t)
{
    actions_free(t->a);
    marks_free(t->marks);
    opts_free(t->o);
}

/* What has become of a command that begins at once. */
static void play(const char *command)
{
    static const struct plan p = {.time_limit = 100 * NS_PER_SEC};
    struct trial t;

    capture();
    begin_at(&t, "0", command, &p);
    await(&t, ACTION_ENDED);
    struct report_action r = end(&t, false);
    golden_line("%s: status %d, signal %d, %s%s", r.command, r.exit_status, r.signal, r.output,
                captured());
    CHECK(!r.stopped && !r.left);
    CHECK_INT(r.output_bytes, strlen(r.output));
    CHECK(r.begin_s >= 0 && r.duration_s > 0);
    CHECK_INT(marks_count(t.marks), 1); /* no interval report came in between */
    CHECK_STR(marks_at(t.marks, 0)->text, r.command);
    CHECK_INT(marks_at(t.marks, 0)->source, MARK_COMMAND);
    CHECK_NEAR(r.begin_s, (double)(marks_at(t.marks, 0)->at - t.from) / 1e9, 1e-9);
    forget(&t);
}

static void test_outputs(void)
{
    play("true");
    play("echo out; echo err >&2");
    play("printf 'a\\000b'");
    play("cat"); /* standard input is empty */
    play("test $SB_PID = $PPID; echo \"$?, $SB_SERVER_PIDS, $SB_AT, $SB_TIME.\"");
    play("env | grep -c ^SB_DO=; tr '\\0' '\\n' </proc/$$/cmdline | grep -c sesame; :");
    setenv("SB_AT", "mine", 1);
    play("echo $SB_AT"); /* ours has precedence */
    unsetenv("SB_AT");
    /* none of our descriptors except standard output and error: a connection would stay open */
    dup2(STDIN_FILENO, 77);
    play("test -e /proc/$$/fd/77 || echo closed");
    close(77);
    signal(SIGPIPE, SIG_IGN);
    play("sh -c 'kill -PIPE $$'; echo $?");
    signal(SIGPIPE, SIG_DFL);
    play("exit 3");
    play("echo one; echo two; exit 1");
    play("kill -9 $$");
    play("echo --password=sesame | tr a-z b-za"); /* only the command gets its password */
}

static void test_long_output(void)
{
    struct trial t;
    const struct report_action *r;

    begin(&t, "yes | head -c 200001");
    r = await(&t, ACTION_ENDED);
    CHECK_INT(strlen(r->output), ACTION_OUTPUT_MAX);
    CHECK_INT(r->output_bytes, 200001);
    forget(&t);
}

/* An argument can be too long for the kernel. */
static void test_not_started(void)
{
    size_t n = 200000;
    char *command = mem_array(n + 1, 1);
    const struct report_action *r;
    struct trial t;

    memset(command, 'x', n);
    capture();
    begin(&t, command);
    r = await(&t, ACTION_FAILED);
    CHECK_STR(r->why, "Argument list too long");
    actions_end(t.a, false);
    CHECK(strstr(captured(), "WARNING: --at=0: cannot start 'xxx") != NULL);
    CHECK_INT(marks_count(t.marks), 0);
    forget(&t);
    free(command);
}

/* --- instants --- */

static void test_later(void)
{
    static const struct plan p = {0};
    const struct report_action *r;
    struct trial t;

    begin_at(&t, "50ms", "true", &p);
    r = await(&t, ACTION_ENDED);
    CHECK(r->begin_s >= 0.05);
    CHECK_NEAR(r->at_s, 0.05, 1e-9);
    forget(&t);
    begin_at(&t, "1000s", "true", &p);
    CHECK_INT(end(&t, false).state, ACTION_NOT_RUN);
    forget(&t);
    begin_at(&t, "9000000000s", "true", &p); /* an instant that the clock does not reach */
    CHECK_INT(end(&t, false).state, ACTION_NOT_RUN);
    forget(&t);
}

/* After the last loop has ended, none is started. */
static void test_final_reading(void)
{
    static const char *const arg[] = {"--at=0", "--do=true", NULL};
    struct plan p = {0};
    struct trial t = {.o = options(arg), .marks = marks_new()};
    struct err e = {0};

    CHECK_INT(actions_new(&t.a, t.o, &p, t.marks, &e), 0);
    CHECK_INT(actions_open(t.a, &e), 0);
    actions_on(t.a, &(struct run_event){.kind = RUN_FINAL_READING});
    actions_on(t.a, &(struct run_event){.kind = RUN_BEGINS, .from = clock_mono()});
    CHECK_INT(end(&t, false).state, ACTION_NOT_RUN);
    forget(&t);
}

/* An interval report between begin and end: the end is a mark, too. */
static void test_end_mark(bool between)
{
    struct plan p = {.report_interval = 1000 * NS_PER_SEC};
    char *command = mem_printf("while ! test -e %s/go; do sleep 0.01; done", directory),
         *go = mem_printf("%s/go", directory), *want = mem_printf("end of: %s", command);
    struct trial t;

    begin_at(&t, "0", command, &p);
    await(&t, ACTION_RUNNING);
    if (between)
        actions_on(t.a, &(struct run_event){.kind = RUN_SNAPSHOT,
                                            .s = &(struct snapshot){.at = clock_mono()}});
    CHECK_INT(close(open(go, O_CREAT | O_WRONLY, 0600)), 0);
    await(&t, ACTION_ENDED);
    actions_end(t.a, false);
    CHECK_INT(marks_count(t.marks), between ? 2 : 1);
    if (between)
        CHECK_STR(marks_at(t.marks, 1)->text, want);
    forget(&t);
    unlink(go);
    free(command);
    free(go);
    free(want);
}

/* --- the end of the run --- */

static void check_stopped(bool no_grace)
{
    struct report_action r;
    struct trial t;

    begin(&t, "sleep 1000");
    await(&t, ACTION_RUNNING);
    r = end(&t, no_grace);
    CHECK_INT(r.state, ACTION_ENDED);
    CHECK(r.stopped && !r.left);
    CHECK_INT(r.signal, SIGTERM);
    CHECK_INT(r.exit_status, -1);
    forget(&t);
}

static void test_stopped(void)
{
    char *deaf = mem_printf("trap '' TERM; : >%s/deaf; while :; do sleep 1000; done", directory),
         *file = mem_printf("%s/deaf", directory);
    struct report_action r;
    struct trial t;

    check_stopped(true);
    check_stopped(false); /* two seconds later */
    begin(&t, deaf);
    for (mono_ns until = clock_mono() + PATIENCE; access(file, F_OK) && clock_mono() < until;)
        usleep(1000);
    r = end(&t, true);
    CHECK(r.stopped);
    CHECK_INT(r.signal, SIGKILL);
    forget(&t);
    free(deaf);
    free(file);
}

/* A process that has ended may stay a zombie where no process reaps it. */
static bool is_gone(pid_t pid)
{
    char *path = mem_printf("/proc/%ld/stat", (long)pid), text[200] = "";
    FILE *f = fopen(path, "r");
    bool gone = !f || !fgets(text, sizeof text, f) || strstr(text, ") Z ");

    if (f)
        fclose(f);
    free(path);
    return gone;
}

/* What a command leaves running ends with the run. */
static void test_left(void)
{
    mono_ns until;
    struct report_action r;
    struct trial t;
    pid_t left;

    begin(&t, "sleep 1000 & echo $!");
    left = (pid_t)atoi(await(&t, ACTION_ENDED)->output);
    CHECK(left > 0 && !is_gone(left));
    r = end(&t, false);
    CHECK(r.left && !r.stopped);
    for (until = clock_mono() + PATIENCE; !is_gone(left) && clock_mono() < until;)
        usleep(1000);
    CHECK(is_gone(left));
    forget(&t);
}

TEST_MAIN(actions_test)
{
    char *command;

    CHECK(mkdtemp(directory) != NULL);
    /* with + the run has a limit of 10 s */
    golden_each("--at=5|--do=true|--at=1,2 --do=true|--at=1 --do=\t|--at=soon --do=x|"
                "--at=1:30 --do=x|--at=1: --do=x|--at=1:a\033 --do=x|--at=soon:a --do=x|"
                "--at=-1 --do=x|--at=50% --do=x|+--at=x% --do=x|+--at=100% --do=x|+--at=10 --do=x",
                refused);
    test_instants();
    test_none();
    test_outputs();
    test_long_output();
    test_not_started();
    test_later();
    test_final_reading();
    test_end_mark(true);
    test_end_mark(false);
    test_stopped();
    test_left();
    command = mem_printf("rm -rf %s", directory);
    CHECK_INT(system(command), 0);
    free(command);
    golden_done("actions_test");
    return test_done("actions_test");
}
