/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What reaches stdout: levels and their prefixes, and a repeated message folded into one line
 * (fold_note in log.h).  The fold is state of the process, so every case begins with a message of
 * its own.
 */
#include "base/log.h"

#include <pthread.h>

#include "base/test_capture.h"
#include "base/test_golden.h"

static void block(const char *text)
{
    log_block(text, strlen(text), false);
}

static void test_levels(void)
{
    capture();
    log_fatal("a %d", 1);
    log_alert("a");
    log_warn("a");
    log_notice("a");
    log_info("a");
    log_set_verbosity(LOG_DEBUG);
    log_info("b");
    log_debug("a");
    log_set_verbosity(LOG_NOTICE);
    log_print("\x1b");
    log_fatal("a\nb\x1b]0;\a"); /* a server may have written it */
    block("\xc2\x9b\tc\n");
    log_coloured("\x1b[1mc\n", 6, false);
    golden_text(captured(), "levels");
}

static void test_fold(void)
{
    capture();
    log_fatal("x");
    log_fatal("x");
    log_notice("FATAL: x"); /* the text counts, not the level */
    log_fatal("y");
    log_fatal("y");
    log_fatal("z");
    golden_text(captured(), "folded");
}

/* What is not shown is not the last message; print() is no message. */
static void test_bystanders(void)
{
    capture();
    log_fatal("x");
    log_info("hidden");
    log_print("printed\n");
    log_mute_thread(true);
    log_fatal("muted");
    log_mute_thread(false);
    log_fatal("x");
    log_print("printed\n");
    log_print("printed\n");
    log_notice("end");
    golden_text(captured(), "bystanders");
}

/* The empty line that a report ends with and the one that the next one begins with. */
static void test_blocks(void)
{
    capture();
    block("\nsum:\n    row\n    row\n\n");
    block("[ 1s ] Checkpoint report:\n");
    block("\nsum:\n\n\n");
    block("[ 1s ] thds: 1\n[ 2s ] thds: 1\n");
    block("[ 1s ] thds: 1\n[ 2s ] thds: 1\n");
    log_notice("%s", "");
    block("[ 3s ] thds: 1\nsum\n");
    log_notice("sum");
    block("sum\n");
    block("sum\nother\n");
    log_notice("[ s ] no stamp");
    block("\nend\n\n");
    log_block("\nfirst\n", 7, true);
    log_block("first\n", 6, true);
    log_notice("first");
    log_notice("last");
    golden_text(captured(), "blocks");
}

/* The stamps of the old generations. */
static void test_old_stamps(void)
{
    capture();
    block("[   5s] threads: 1\n");
    block("[   5s] threads: 1\n");
    block("[1000s] threads: 1\n[1000s] queue length: 0, concurrency: 0\n");
    block("[1000s] threads: 1\n[1000s] queue length: 0, concurrency: 0\n");
    log_notice("[5s]no stamp");
    log_notice("[5s]no stamp");
    log_notice("[s] no stamp");
    golden_text(captured(), "old stamps");
}

/* --batch of 0.4.12. */
static void test_stamped_lines(void)
{
    long long before, after, from = time(NULL);
    char rest[64];
    const char *text;

    capture();
    log_stamp_lines(true);
    log_notice("a\n");
    log_print("b ");
    log_print("c\n");
    log_stamp_lines(false);
    log_notice("d");
    text = captured();
    CHECK_INT(sscanf(text, "[%lld] a\n[%*d] \n[%lld] %31[^d]d\n", &before, &after, rest), 3);
    CHECK_STR(rest, "b c\n");
    /* time() may be a tick late */
    CHECK(from <= before && before <= after && after <= time(NULL) + 1);
}

/* A message longer than the memory of the last one is never folded; of what length it may be is
 * stock's. */
static void test_long(void)
{
    static char text[4096];
    char want[3 * sizeof text + 64];

    memset(text, 'l', sizeof text - 1);
    capture();
    log_notice("%s", text); /* 4096 bytes with its newline */
    log_notice("%s", text);
    log_notice("%s", text + 1);
    log_notice("%s", text + 1);
    log_notice("end");
    snprintf(want, sizeof want, "%s\n%s\n%s\n(last message repeated 1 times)\nend\n", text, text,
             text + 1);
    CHECK_STR(captured(), want);
}

enum { THREADS = 4, TIMES = 500 };

static void *one_thread(void *arg)
{
    for (int i = 0; i < TIMES; i++)
        log_notice("from %d", *(int *)arg);
    return NULL;
}

/* In any order of the threads, lines stay whole, and shown and folded lines add up to all. */
static void test_threads(void)
{
    pthread_t t[THREADS];
    int who[THREADS], lines[THREADS] = {0}, last = -1, n, total = 0;
    const char *at;

    capture();
    for (int i = 0; i < THREADS; i++) {
        who[i] = i;
        pthread_create(&t[i], NULL, one_thread, &who[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    log_notice("end");
    for (at = captured();
         sscanf(at, "from %d", &n) == 1 || sscanf(at, "(last message repeated %d times", &n) == 1;
         at = strchr(at, '\n') + 1) {
        bool folded = *at == '(';
        CHECK(folded ? last >= 0 : n >= 0 && n < THREADS && n != last);
        if (!folded)
            last = n;
        lines[last] += folded ? n : 1;
    }
    CHECK_STR(at, "end\n");
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(lines[i], TIMES);
        total += lines[i];
    }
    CHECK_INT(total, THREADS * TIMES);
}

/* The last test: there is no way back.  Errors of a member fold nothing, and say who it is. */
static void test_member(void)
{
    log_as_member("rank 2 (load2)");
    capture_errors();
    log_fatal("a %d", 1);
    log_fatal("a %d", 1);
    log_warn("b");
    log_stderr("c");
    log_set_verbosity(LOG_ALERT);
    log_warn("hidden");
    golden_text(captured(), "a member");
}

TEST_MAIN(log_test)
{
    test_levels();
    test_fold();
    test_bystanders();
    test_blocks();
    test_old_stamps();
    test_stamped_lines();
    test_long();
    test_threads();
    test_member();
    golden_done("log");
    return test_done("log");
}
