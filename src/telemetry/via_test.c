/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The other side of a stream at its worst: it says nothing, says too much, is late, answers
 * yesterday's question, dies, comes back as somebody else.  Shell scripts play that part; with the
 * real pstime the stream is tested where a server is (tests/t/server_via_mysql.t).
 */
#include "telemetry/via.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test_stall.h"

#define PATIENCE (60 * NS_PER_SEC) /* for the other side to start */

static char folder[] = "/tmp/sb-via-XXXXXX";

#define HELLO                                                                                      \
    "echo 'Welcome to this host!'; echo 'pstime-stream 1 cpus=64 host=db1 governor=powersave "     \
    "mono=5 wall=6'\n"
#define OPEN "read q; echo 'server 77 db (pid 9)'\n"
#define ANSWER(cpu)                                                                                \
    "echo \"sample ${q#read } mono=100 wall=200\"; echo 'process at=1000 processes=1 have=1 "      \
    "cpu=" cpu "'\n"                                                                               \
    "echo \"end ${q#read } mono=150 wall=250\"\n"

/* A command that runs this shell text. */
static const char *command(const char *text)
{
    static char buf[100]; /* of the test alone */
    char path[80];
    FILE *f;

    snprintf(path, sizeof path, "%s/peer", folder);
    snprintf(buf, sizeof buf, "sh %s", path);
    f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
    return buf;
}

static struct via *open_via(const char *text, const char *events)
{
    struct err e = {0};
    struct via *v = NULL;

    CHECK_INT(via_open(&v, command(text), events, PATIENCE, &e), 0);
    return v;
}

static void check_good(void)
{
    struct via *v = open_via(
        HELLO
        "read q; echo 'event 0 2 0 1 cycles:u no PMU here'; echo ok\n"
        "read q; echo 'how by thread'; echo 'server 77 db (pid 9)'\n"
        "while read q; do echo 'process at=5 have=1 cpu=1'; echo 'end 0 mono=1 wall=1'\n" ANSWER(
            "42") "done",
        "cycles:u");
    struct stream_reading r;
    struct err e = {0};
    size_t n;

    CHECK_INT(via_target(v, "9", PATIENCE, &e), 0);
    CHECK_INT(via_cpus(v), 64);
    CHECK_STR(via_governor(v), "powersave");
    CHECK_STR(via_how(v), "by thread");
    CHECK(strncmp(via_describe(v), "db (pid 9) on db1, clock ", 25) == 0);
    CHECK_STR(via_events(v, &n)[0].why, "no PMU here");
    CHECK_INT(n, 1);
    CHECK(via_events(v, &n)[0].role == PERF_CYCLES && via_events(v, &n)[0].no_kernel);
    via_read(v, &r);
    CHECK_INT(r.sample.have, SAMPLE_CPU);
    CHECK_INT(r.sample.cpu_ns, 42);
    CHECK_INT(r.sample.at, 1000);
    CHECK_INT(via_last(v)->sample.cpu_ns, 42);
    via_close(v);
}

static void check_refusals(void)
{
    struct via *v = NULL;
    struct stream_reading r;
    struct err e = {0};

    CHECK_INT(via_open(&v, command(HELLO "read q; echo 'error unknown event x'; read q"), "x",
                       PATIENCE, &e),
              -1);
    CHECK_STR(e.msg, "unknown event x");
    CHECK_INT(e.kind, ERR_USAGE);
    v = open_via("echo nothing of the kind", NULL); /* it ends */
    CHECK_INT(via_target(v, "9", PATIENCE, &e), -1);
    CHECK(strstr(e.msg, "ended without a word") != NULL);
    via_read(v, &r);
    CHECK_INT(r.sample.have, 0);
    via_close(v);
    v = open_via(HELLO "read q; echo 'error no such process'; read q; read q", NULL);
    CHECK_INT(via_target(v, "9", PATIENCE, &e), -1);
    CHECK(strstr(e.msg, "no such process") != NULL);
    via_close(v);
}

/* It answers once and is silent then: n/a in half a second, and its late words do no harm. */
static void check_late(void)
{
    struct via *v = open_via(
        HELLO OPEN "for i in 1 2 3 4; do read q\n" ANSWER("1") "done\nread q; sleep 0.7\n" ANSWER(
            "2") "while read q; do\n" ANSWER("3") "done",
        NULL);
    struct stream_reading r;
    struct err e = {0};
    mono_ns begin;

    CHECK_INT(via_target(v, "9", PATIENCE, &e), 0); /* four questions for the clock */
    begin = clock_mono();
    via_read(v, &r);
    CHECK(clock_mono() - begin < NS_PER_SEC);
    CHECK_INT(r.sample.have, 0);
    CHECK(strstr(r.sample.reason, "no answer within") != NULL);
    via_read(v, &r); /* 2 comes first and is passed over */
    CHECK_INT(r.sample.cpu_ns, 3);
    via_close(v);
}

/* It dies in the middle of an answer. */
static void check_death(void)
{
    struct via *v = open_via(HELLO OPEN "for i in 1 2 3 4; do read q\n" ANSWER(
                                 "1") "done\nread q; echo \"sample ${q#read }\"; exit 1",
                             NULL);
    struct stream_reading r;
    struct err e = {0};

    CHECK_INT(via_target(v, "9", PATIENCE, &e), 0);
    via_read(v, &r);
    CHECK_INT(r.sample.have, 0);
    CHECK(strstr(r.sample.reason, "the stream ended") != NULL);
    via_read(v, &r); /* five seconds until the next try: says so at once */
    CHECK_INT(r.sample.have, 0);
    via_close(v);
}

int main(void)
{
    char clean[60];

    log_set_verbosity(0);
    CHECK(mkdtemp(folder) != NULL);
    TEST_UNSTALLED(check_good);
    check_refusals();
    TEST_UNSTALLED(check_late);
    TEST_UNSTALLED(check_death);
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    CHECK_INT(system(clean), 0);
    return test_done("via");
}
