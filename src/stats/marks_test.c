/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Marks: their texts, their order, their largest number.
 */
#include "stats/marks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/test.h"

static void add(struct marks *m, mono_ns at, const char *text)
{
    marks_add(m, MARK_FIFO, at, text, strlen(text));
}

static void count_one(void *arg)
{
    ++*(int *)arg;
}

static void texts(void)
{
    struct marks *m = marks_new();
    char longer[300];
    int seen = 0;

    add(m, 0, "deploy");
    marks_watch(m, count_one, &seen);
    add(m, 0, "  a\tb\nc \r");
    CHECK_INT(seen, 1);
    add(m, 0, "");
    add(m, 0, " \n");
    memset(longer, 'x', sizeof longer);
    marks_add(m, MARK_SIGNAL, 0, longer, sizeof longer);
    memset(longer, 'y', MARK_TEXT - 2);
    memcpy(longer + MARK_TEXT - 2, "\xc3\xa9", 2);
    marks_add(m, MARK_SCRIPT, 0, longer, MARK_TEXT);
    CHECK_INT(marks_count(m), 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK_STR(mark_source_name(marks_at(m, i)->source), i < 4    ? "fifo"
                                                            : i == 4 ? "signal"
                                                                     : "script");
        CHECK(i == 0 || marks_at(m, i)->at >= marks_at(m, i - 1)->at);
    }
    CHECK_STR(marks_at(m, 0)->text, "deploy");
    CHECK_STR(marks_at(m, 1)->text, "a b c");
    CHECK_STR(marks_at(m, 2)->text, "mark");
    CHECK_STR(marks_at(m, 3)->text, "mark");
    CHECK_INT(strlen(marks_at(m, 4)->text), MARK_TEXT - 1);
    CHECK_INT(strlen(marks_at(m, 5)->text), MARK_TEXT - 2);
    CHECK_STR(mark_source_name(MARK_COMMAND), "command");
    CHECK_STR(mark_source_name(MARK_PAGE), "page");
    marks_free(m);
    marks_free(NULL);
}

/* A character that ends at the limit is kept; one that goes beyond it is left out as a whole. */
static void cut(void)
{
    static const char *const last[] = {"y", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x9a\x80"};

    for (size_t n = 1; n <= 4; n++)
        for (size_t at = MARK_TEXT - 8; at <= MARK_TEXT; at++) {
            struct marks *m = marks_new();
            char text[MARK_TEXT + 8];
            memset(text, 'x', sizeof text);
            memcpy(text + at, last[n - 1], n);
            marks_add(m, MARK_FIFO, 0, text, at + n);
            size_t want = at + n < MARK_TEXT ? at + n : at < MARK_TEXT - 1 ? at : MARK_TEXT - 1;
            text[want] = '\0';
            CHECK_STR(marks_at(m, 0)->text, text);
            marks_free(m);
        }
}

/* Bytes of other character sets, halves of characters, and control characters of two bytes. */
static void bytes_that_are_no_utf8(void)
{
    static const char *const cases[][2] = {
        {"caf\xe9", "caf?"},
        {"\xe2\x82", "??"},
        {"\xc3\xa4 \xf0\x9f\x9a\x80", "\xc3\xa4 \xf0\x9f\x9a\x80"},
        {"a\xc2\x9b"
         "31mb",
         "a  31mb"},
        {"\xc2\x85", "mark"},
        {"\xed\xa0\x80\xc0\xaf", "?????"},
        {"\x1b[31mred", "[31mred"},
        {"!", "!"},
        {"\x7f~\x7f", "~"},
        {" b\xff ", "b?"},
        {"\xc2\x85\xc2\x85 a  b \xc2\x85", "a  b"},
    };
    struct marks *m = marks_new();
    char many[400];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add(m, 0, cases[i][0]);
        CHECK_STR(marks_at(m, i)->text, cases[i][1]);
    }
    marks_free(m);
    m = marks_new();
    memset(many, 0x80, sizeof many);
    marks_add(m, MARK_FIFO, 0, many, sizeof many);
    CHECK_INT(strspn(marks_at(m, 0)->text, "?"), MARK_TEXT - 1);
    /* more bytes follow than a character has: it is none, and not left out */
    many[MARK_TEXT - 5] = '\xf0';
    marks_add(m, MARK_FIFO, 0, many, sizeof many);
    CHECK_INT(strspn(marks_at(m, 1)->text, "?"), MARK_TEXT - 1);
    marks_free(m);
}

static void order(void)
{
    struct marks *m = marks_new();
    mono_ns now = clock_mono();

    add(m, 1, "when the machine started");
    CHECK_INT(marks_at(m, 0)->at, 1);
    CHECK(marks_at(m, 0)->wall < clock_wall_at(now));
    marks_free(m);
    m = marks_new();
    add(m, now - 1000, "a");
    add(m, now - 2000, "earlier, but seen later");
    add(m, now + NS_PER_SEC * 3600, "not from the future");
    CHECK(marks_at(m, 0)->at == now - 1000);
    CHECK(marks_at(m, 1)->at == now - 1000);
    CHECK(marks_at(m, 2)->at >= now && marks_at(m, 2)->at <= clock_mono());
    for (size_t i = 0; i < 3; i++) /* of the same instant */
        CHECK_NEAR(marks_at(m, i)->wall - clock_wall_at(marks_at(m, i)->at), 0, NS_PER_SEC);
    marks_free(m);
}

struct adder {
    struct marks *marks;
    _Atomic bool begun;
};

static void *add_later(void *arg)
{
    struct adder *a = arg;

    atomic_store(&a->begun, true);
    add(a->marks, 0, "later");
    return NULL;
}

/* What takes a moment to begin: at its instant and before all others, or not at all. */
static void held(void)
{
    struct marks *m = marks_new();
    struct timespec nap = {.tv_nsec = 20 * NS_PER_MS};
    struct adder a = {.marks = m};
    mono_ns before = clock_mono(), at = marks_hold(m);
    pthread_t t;

    CHECK(at >= before && at <= clock_mono());
    CHECK_INT(pthread_create(&t, NULL, add_later, &a), 0);
    while (!atomic_load(&a.begun) || nanosleep(&nap, NULL) != 0)
        ;
    CHECK(marks_release(m, MARK_COMMAND, at, "begun"));
    pthread_join(t, NULL);
    CHECK_STR(marks_at(m, 1)->text, "later");
    CHECK(marks_hold(m) >= at);
    CHECK(!marks_release(m, MARK_COMMAND, at, NULL));
    CHECK_INT(marks_count(m), 2);
    CHECK_INT(marks_at(m, 0)->at, at);
    CHECK_INT(marks_at(m, 0)->source, MARK_COMMAND);
    CHECK_STR(marks_at(m, 0)->text, "begun");
    CHECK_INT(marks_lost(m), 0);
    marks_free(m);
}

static void bound(void)
{
    struct marks *m = marks_new();

    CHECK(marks_add(m, MARK_PAGE, 0, "first", 5));
    for (int i = 0; i < MARKS_MOST + 4; i++)
        add(m, 0, "x");
    CHECK_INT(marks_count(m), MARKS_MOST);
    CHECK_INT(marks_lost(m), 5);
    CHECK(!marks_add(m, MARK_FIFO, 0, "x", 1));
    CHECK_INT(marks_lost(m), 6);
    CHECK_STR(marks_at(m, 0)->text, "first");
    CHECK_STR(marks_at(m, MARKS_MOST - 1)->text, "x");
    marks_free(m);
}

struct meeting {
    struct marks *marks;
    _Atomic int ready[2];
};

/* Adds each mark at the same time as the other thread; a long text takes longer. */
static void meet(struct meeting *m, int self)
{
    char text[MARK_TEXT];

    memset(text, self ? 'b' : 'a', sizeof text);
    for (int i = 1; i <= MARKS_MOST / 2; i++) {
        atomic_store(&m->ready[self], i);
        while (atomic_load(&m->ready[!self]) < i)
            sched_yield();
        marks_add(m->marks, MARK_SCRIPT, 0, text, sizeof text);
    }
}

static void *second(void *arg)
{
    meet(arg, 1);
    return NULL;
}

/* Marks of two threads: each once. */
static void together(void)
{
    for (int round = 0; round < 4; round++) {
        struct meeting m = {.marks = marks_new()};
        size_t firsts = 0;
        pthread_t t;
        CHECK_INT(pthread_create(&t, NULL, second, &m), 0);
        meet(&m, 0);
        pthread_join(t, NULL);
        CHECK_INT(marks_count(m.marks), MARKS_MOST / 2 * 2);
        for (size_t i = 0; i < marks_count(m.marks); i++)
            firsts += marks_at(m.marks, i)->text[0] == 'a';
        CHECK_INT(firsts, MARKS_MOST / 2);
        CHECK_INT(marks_lost(m.marks), 0);
        marks_free(m.marks);
    }
}

TEST_MAIN(marks_test)
{
    together();
    texts();
    cut();
    held();
    bytes_that_are_no_utf8();
    order();
    bound();
    return test_done("marks");
}
