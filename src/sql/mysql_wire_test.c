/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mysql_wire.c on a pair of sockets: what it sends, byte for byte, and what it makes of answers in
 * any pieces, of any size, and of answers that no server should give.  sql_mysql_test.c compares it
 * with the library on a real server.
 */
#include "sql/mysql_wire.h"

#include <mysql.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_golden.h"

#define PIECE    0xffffffu
#define BYTES(s) s, sizeof(s) - 1

/* A connection, and a thread that is its server: it sends `bytes`, `step` at a time, and takes what
 * the client sends, until the client hangs up. */
struct pair {
    struct wire w;
    int server;
    pthread_t thread;
    char *bytes;
    size_t n, step;
    struct str got;
};

/* Numbers the packets as a server does, from 1 on. */
static void set_numbers(char *bytes, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;
    char number = 1;

    for (size_t at = 0; at + 4 <= n; number++) {
        bytes[at + 3] = number;
        at += 4 + (b[at] | (size_t)b[at + 1] << 8 | (size_t)b[at + 2] << 16);
    }
}

static void *serve(void *arg)
{
    struct pair *p = arg;
    char piece[65536];
    ssize_t n = 0;

    for (size_t at = 0; at < p->n && n >= 0; at += (size_t)n)
        n = send(p->server, p->bytes + at, p->n - at < p->step ? p->n - at : p->step, MSG_NOSIGNAL);
    shutdown(p->server, SHUT_WR);
    while ((n = recv(p->server, piece, sizeof piece, 0)) > 0)
        str_add(&p->got, piece, (size_t)n);
    return NULL;
}

static void begin(struct pair *p, const char *bytes, size_t n, size_t step)
{
    int fd[2];

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    *p = (struct pair){.w = {.fd = fd[0], .number = 1},
                       .server = fd[1],
                       .bytes = mem_array(n + 1, 1),
                       .n = n,
                       .step = step};
    memcpy(p->bytes, bytes, n);
    set_numbers(p->bytes, n);
    CHECK_INT(pthread_create(&p->thread, NULL, serve, p), 0);
}

/* The client hangs up; what the server got is in p->got until finish(). */
static void hang_up(struct pair *p)
{
    shutdown(p->w.fd, SHUT_WR);
    pthread_join(p->thread, NULL);
}

static void finish(struct pair *p)
{
    wire_fini(&p->w);
    free(p->bytes);
    close(p->w.fd);
    close(p->server);
    str_free(&p->got);
}

static void end(struct pair *p)
{
    hang_up(p);
    finish(p);
}

/* --- what is sent --- */

static void test_execute(void)
{
    static const char want[] = "\x2a\0\0\0\x17\x07\0\0\0\0\x01\0\0\0\x12\x01" /* with types */
                               "\x08\0\x08\0\x05\0\xfe\0\x06\0"
                               "\x2a\0\0\0\0\0\0\0\0\0\0\0\0\0\xf8\x3f\x03"
                               "abc"
                               "\x0c\0\0\0\x17\x07\0\0\0\0\x01\0\0\0\x1f\0" /* and without */
                               "\x05\0\0\0\x19\x07\0\0\0";
    int64_t i = 42;
    double d = 1.5;
    char text[] = "abcdef", null = 1;
    unsigned long len = 3;
    sql_bind b[] = {{.type = SQL_TYPE_INT, .buffer = &i},
                    {.type = SQL_TYPE_BIGINT, .buffer = &i, .is_null = &null},
                    {.type = SQL_TYPE_DOUBLE, .buffer = &d},
                    {.type = SQL_TYPE_VARCHAR, .buffer = text, .data_len = &len, .max_len = 6},
                    {.type = SQL_TYPE_NONE}};
    struct wire_stmt s = {.id = 7};
    struct pair p;

    begin(&p, "", 0, 1);
    CHECK(wire_execute(&p.w, &s, b, 5));
    s.types_known = true;
    for (int k = 0; k < 5; k++)
        b[k].is_null = &null;
    CHECK(wire_execute(&p.w, &s, b, 5));
    wire_forget(&p.w, 7);
    hang_up(&p);
    CHECK_INT(p.got.len, sizeof want - 1);
    CHECK(p.got.len == sizeof want - 1 && memcmp(p.got.s, want, sizeof want - 1) == 0);
    finish(&p);
}

/* The lengths of values where their encoding changes; and packets of all sizes, which the memory
 * that they are made in has: the allocator would notice what is behind it. */
static void test_lengths(void)
{
    static const struct {
        unsigned long n;
        char prefix[5];
    } t[] = {{250, "\xfa"}, {251, "\xfc\xfb"}, {65535, "\xfc\xff\xff"}, {65536, "\xfd\0\0\1"}};
    static char text[65536];
    struct wire_stmt s = {.id = 7, .types_known = true};
    unsigned long len;
    sql_bind b[9];
    struct pair p;

    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < COUNT(b); i++)
        b[i] = (sql_bind){
            .type = SQL_TYPE_CHAR, .buffer = text, .data_len = &len, .max_len = sizeof text};
    for (size_t i = 0; i < COUNT(t); i++) {
        len = t[i].n;
        begin(&p, "", 0, 1);
        CHECK(wire_execute(&p.w, &s, b, 1));
        hang_up(&p);
        CHECK(memcmp(p.got.s + 16, t[i].prefix, i < 1 ? 1 : i < 3 ? 3 : 4) == 0);
        finish(&p);
    }
    s.types_known = false;
    begin(&p, "", 0, 1);
    for (len = 2000; len < 2016; len++)
        CHECK(wire_execute(&p.w, &s, b, 9));
    end(&p);
}

/* A parameter that makes the payload so long: packets of 16 MiB - 1, and one that is shorter. */
static void test_send_large(void)
{
    static const size_t sizes[] = {PIECE - 1, PIECE, PIECE + 1, 2 * (size_t)PIECE};
    enum { BEFORE = 10 + 1 + 1 + 2 + 9 }; /* the length of the text takes 4 bytes or 9 */

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned long len = sizes[i] - BEFORE + 5;
        char *text = mem_array(len, 1);
        sql_bind b = {.type = SQL_TYPE_CHAR, .buffer = text, .data_len = &len, .max_len = len};
        struct wire_stmt s = {.id = 1};
        struct pair p;
        size_t payload = 0, at = 0;
        unsigned piece, number = 0;
        if (len >= 1u << 24)
            len -= 5;
        for (size_t k = 0; k < len; k++)
            text[k] = (char)(k * 7 % 251);
        begin(&p, "", 0, 1);
        CHECK(wire_execute(&p.w, &s, &b, 1));
        hang_up(&p);
        const unsigned char *got = (const unsigned char *)p.got.s;
        char *joined = mem_array(p.got.len, 1);
        do {
            piece = got[at] | (unsigned)got[at + 1] << 8 | (unsigned)got[at + 2] << 16;
            CHECK_INT(got[at + 3], number++);
            memcpy(joined + payload, got + at + 4, piece);
            payload += piece;
            at += 4 + (size_t)piece;
        } while (at < p.got.len && piece == PIECE);
        CHECK(piece < PIECE);
        CHECK_INT(at, p.got.len);
        CHECK_INT(payload, sizes[i]);
        CHECK(memcmp(joined + payload - len, text, len) == 0);
        free(joined);
        free(text);
        finish(&p);
    }
}

/* --- answers --- */

#define OK_PACKET   "\x07\0\0\x01\0\xfc\x01\x02\0\x02\0" /* 513 rows changed; autocommit */
#define EOF_PACKET  "\x05\0\0\x05\xfe\0\0\x22\0"
#define MORE_PACKET "\x05\0\0\x05\xfe\0\0\x0a\0"
#define DEFINITION                                                                                 \
    "\x17\0\0\x02\x03"                                                                             \
    "def\0\0\0\x01"                                                                                \
    "a\0\x0c\x3f\0\x0b\0\0\0\x08\x20\0\0\0\0"
#define KNOWN  "\x02\0\0\x01\x01\0" EOF_PACKET
#define ROW(n) "\x0a\0\0\x03\0\0" n "\0\0\0\0\0\0\0"

static struct wire_column bigint = {.type = MYSQL_TYPE_LONGLONG};

static struct wire_stmt known(void)
{
    return (struct wire_stmt){.id = 1, .ncolumns = 1, .columns = &bigint};
}

static void check_row(struct wire *w, const struct wire_stmt *s, const char *want)
{
    sql_value v = {0};
    bool malformed, got = wire_fetch(w, s, &v, &malformed);

    CHECK_INT(got, want != NULL);
    CHECK(!malformed);
    if (got && want)
        CHECK(v.ptr && v.len == strlen(want) && memcmp(v.ptr, want, v.len) == 0);
}

/* What becomes of the bytes, sent so many at a time: result by result, until no more can follow. */
static void show(struct str *out, const char *bytes, size_t n, size_t step, bool fetches)
{
    static const char *const outcomes[] = {"done",     "refused",   "lost", "malformed",
                                           "too long", "no memory", "asks"};
    struct wire_stmt s = {.id = 1, .ncolumns = 1, .columns = mem_array(1, sizeof bigint)};
    struct wire_result r;
    enum wire_outcome v;
    struct pair p;

    s.columns[0] = bigint;
    begin(&p, bytes, n, step);
    do {
        bool malformed = false;
        sql_value value;
        v = wire_result(&p.w, &s, &r);
        str_printf(out, "%s%s", outcomes[v], r.in_rows ? ", in rows" : "");
        if (v == WIRE_DONE)
            str_printf(out, ": %u columns, count %d, status %#x", r.ncolumns, (int)r.count,
                       p.w.status);
        if (v == WIRE_REFUSED)
            str_printf(out, ": %u, %s, ", r.errnum, r.state);
        if (v == WIRE_REFUSED || v == WIRE_ASKS)
            str_adds(out, r.message);
        str_adds(out, "\n");
        while (fetches && v == WIRE_DONE && r.ncolumns && wire_fetch(&p.w, &s, &value, &malformed))
            str_printf(out, "    %.*s\n", value.ptr ? (int)value.len : 4,
                       value.ptr ? value.ptr : "NULL");
        if (malformed)
            str_adds(out, "    a malformed row\n");
        if (v == WIRE_DONE)
            wire_release(&p.w);
        if (v == WIRE_REFUSED && !r.in_rows && p.w.at == p.w.have)
            CHECK(!p.w.bytes);
    } while (v <= WIRE_REFUSED);
    CHECK(!p.w.bytes);
    end(&p);
    free(s.columns);
}

/* In pieces of every size; rows are fetched, or dropped. */
static void test_answers(void)
{
    static const char all[] =
        "\x0b\0\0\x01\xff\xff\xff\x01\x01\x01\x01\x01\x01\x01\x01" /* progress */
        OK_PACKET                                                  /* a change */
            KNOWN ROW("\x05") ROW("\x06") EOF_PACKET               /* rows */
        "\x01\0\0\x01\x01" DEFINITION EOF_PACKET ROW("\x07") EOF_PACKET
        "\x0d\0\0\x01\xff\xbd\x04#40001dead"                   /* an error */
        KNOWN ROW("\x08") "\x0d\0\0\x01\xff\x25\x05#70100kill" /* and in the rows */
        KNOWN ROW("\x09") MORE_PACKET KNOWN EOF_PACKET;        /* two results */

    for (int fetches = 0; fetches < 2; fetches++) {
        struct str first = STR_INIT, text = STR_INIT;
        show(&first, BYTES(all), 1, fetches);
        for (size_t step = 2; step < sizeof all; step += step < 40 ? 1 : 37) {
            show(&text, BYTES(all), step, fetches);
            CHECK_STR(str_cstr(&text), str_cstr(&first));
            str_reset(&text);
        }
        golden(&first, fetches ? "rows that are fetched" : "rows that are dropped");
        str_free(&first);
        str_free(&text);
    }
}

/* Rows that are not fetched yet survive the answer of another connection of the thread. */
static void test_room(void)
{
    static const char answer[] = KNOWN ROW("\x05") ROW("\x06") EOF_PACKET;
    struct pair p[3];
    struct wire_stmt s = known();
    struct wire_result r;

    for (int i = 0; i < 3; i++)
        begin(&p[i], BYTES(answer), 1000);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(wire_result(&p[i].w, &s, &r), WIRE_DONE);
        CHECK(p[i].w.room != NULL);
    }
    CHECK(!p[0].w.room && !p[1].w.room);
    for (int i = 0; i < 3; i++) {
        check_row(&p[i].w, &s, "5");
        check_row(&p[i].w, &s, "6");
        check_row(&p[i].w, &s, NULL);
        wire_release(&p[i].w);
        CHECK(!p[i].w.bytes);
        end(&p[i]);
    }
}

/* Of many results no more is kept than the room holds, and after an error there are no more. */
static void test_many_results(void)
{
    enum { RESULTS = 20000 };
    static const char one[] = KNOWN ROW("\x05") ROW("\x06") MORE_PACKET,
                      last[] = "\x0d\0\0\x01\xff\xbd\x04#40001dead";
    struct wire_stmt s = known();
    struct wire_result r;
    struct str all = STR_INIT;
    struct pair p;

    for (int i = 0; i < RESULTS; i++)
        str_add(&all, BYTES(one));
    str_add(&all, BYTES(last));
    begin(&p, all.s, all.len, 1 << 20);
    for (int i = 0; i < RESULTS; i++) {
        CHECK_INT(wire_result(&p.w, &s, &r), WIRE_DONE);
        CHECK(p.w.status & SERVER_MORE_RESULTS_EXIST);
        if (i % 3 == 0)
            check_row(&p.w, &s, "5");
        if (i % 6 == 0)
            check_row(&p.w, &s, "6");
        wire_release(&p.w);
        CHECK(p.w.have <= 2 * WIRE_ROOM);
    }
    CHECK_INT(wire_result(&p.w, &s, &r), WIRE_REFUSED);
    CHECK(!(p.w.status & SERVER_MORE_RESULTS_EXIST));
    CHECK(!p.w.bytes);
    end(&p);
    str_free(&all);
}

/* Rows that are larger than the room, and than a packet. */
static void test_large(void)
{
    static const size_t sizes[] = {60000, 70000, PIECE - 7, PIECE - 6, PIECE - 5, 40000000};
    static struct wire_column blob = {.type = MYSQL_TYPE_BLOB};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct wire_stmt s = {.ncolumns = 1, .columns = &blob};
        size_t n = sizes[i];
        struct str row = STR_INIT, all = STR_INIT;
        unsigned char prefix[] =
            {0, 0, 253, (unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16)},
                      longer[] = {0,
                                  0,
                                  254,
                                  (unsigned char)n,
                                  (unsigned char)(n >> 8),
                                  (unsigned char)(n >> 16),
                                  (unsigned char)(n >> 24),
                                  0,
                                  0,
                                  0,
                                  0};
        bool is_long = n >= 1u << 24;
        str_add(&row, (char *)(is_long ? longer : prefix), is_long ? sizeof longer : sizeof prefix);
        str_room(&row, n);
        for (size_t k = 0; k < n; k++)
            row.s[row.len++] = "abcdefg"[k % 7];
        str_add(&all, BYTES(KNOWN));
        for (int twice = 0; twice < 2; twice++) {
            size_t at = 0, piece;
            do {
                piece = row.len - at < PIECE ? row.len - at : PIECE;
                char header[] = {(char)piece, (char)(piece >> 8), (char)(piece >> 16), 3};
                str_add(&all, header, 4);
                str_add(&all, row.s + at, piece);
                at += piece;
            } while (piece == PIECE);
        }
        str_add(&all, BYTES(EOF_PACKET));
        struct wire_result r;
        struct pair p;
        begin(&p, all.s, all.len, 1 << 20);
        CHECK_INT(wire_result(&p.w, &s, &r), WIRE_DONE);
        CHECK_INT(r.count, 2);
        for (int twice = 0; twice < 2; twice++) {
            sql_value v = {0};
            bool malformed;
            CHECK(wire_fetch(&p.w, &s, &v, &malformed));
            CHECK_INT(v.len, n);
            CHECK(v.len == n && memcmp(v.ptr, row.s + row.len - n, n) == 0);
        }
        check_row(&p.w, &s, NULL);
        end(&p);
        str_free(&row);
        str_free(&all);
    }
}

/* A file that is asked for, errors with and without a state, and what no server sends. */
static void test_hostile(void)
{
    static const struct {
        const char *bytes;
        size_t n;
    } t[] = {
        {BYTES("\x04\0\0\x01\xfb/ab")},
        {BYTES("\x08\0\0\x01\xff\x2a\x04oops!")},
        {BYTES("\x03\0\0\x01\xff\x01\x04")},
        {BYTES("\x08\0\0\x01\xff\x2a\x04#HY00")},
        {BYTES("\x09\0\0\x01\xff\x2a\x04#40001")},
        {BYTES("\x0b\0\0\x01\xff\x2a\x04#HY001ab")},
        {BYTES("\0\0\0\x01")},       /* nothing */
        {BYTES("\x01\0\0\x01\xfb")}, /* asks for a file */
        {BYTES("\x01\0\0\x01\0")},   /* OK without numbers */
        {BYTES("\x03\0\0\x01\0\xfe\x01")},
        {BYTES("\x02\0\0\x01\xff\x01")},           /* an error without a number */
        {BYTES("\x03\0\0\x01\xff\x01\x04")},       /* without a text */
        {BYTES("\x04\0\0\x01\xfc\0\0\0")},         /* no columns, known */
        {BYTES("\x04\0\0\x01\xfd\xff\xff\xff")},   /* too many */
        {BYTES("\x02\0\0\x01\x02\0")},             /* more than were prepared */
        {BYTES("\x02\0\0\x01\x01\0" ROW("\x01"))}, /* no end of definitions */
        {BYTES(KNOWN "\x01\0\0\x03\x07")},         /* a row that is none */
        {BYTES(KNOWN "\0\0\0\x03")},
        {BYTES(KNOWN "\x01\0\0\x03\xfe")},
        {BYTES(KNOWN "\x05\0\0\x03\x07\0\0\x22\0")},         /* as long as an end */
        {BYTES(KNOWN "\x09\0\0\x03\xfe\0\0\x22\0\0\0\0\0")}, /* too long for one */
        {BYTES(KNOWN ROW("\x01"))},
        {BYTES("\xff\xff\xff\x01 short")},
        {BYTES("\x01\0")},
        {BYTES(KNOWN "\x01\0\0\x03\0" EOF_PACKET)},                   /* without NULL bits */
        {BYTES(KNOWN "\x02\0\0\x03\0\0" EOF_PACKET)},                 /* without a value */
        {BYTES(KNOWN "\x09\0\0\x03\0\0\x01\0\0\0\0\0\0" EOF_PACKET)}, /* with a part of it */
        {BYTES("\x02\0\0\x01\x01\x01"
               "\x01\0\0\x02\x03" EOF_PACKET ROW("\x01") EOF_PACKET)},
        {BYTES("\x03\0\0\x01\xff\xff\xff")}, /* progress without any */
    };
    struct str text = STR_INIT;

    for (size_t i = 0; i < COUNT(t); i++) {
        show(&text, t[i].bytes, t[i].n, 1000, true);
        golden(&text, "answer %zu", i);
    }
    str_free(&text);
}

/* Packets out of turn, after an answer, without end. */
static void test_unasked(void)
{
    static const char answer[] = KNOWN ROW("\x05") EOF_PACKET;
    static const size_t packets[] = {0, 6, 15, 29};
    struct wire_stmt s = known();
    struct wire_result r;
    struct pair p;

    for (size_t i = 0; i < COUNT(packets); i++) {
        int fd[2];
        char bytes[sizeof answer];
        struct wire w = {.number = 1};
        memcpy(bytes, answer, sizeof bytes);
        set_numbers(bytes, sizeof bytes - 1);
        bytes[packets[i] + 3] ^= 1;
        CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
        w.fd = fd[0];
        CHECK_INT(send(fd[1], bytes, sizeof bytes - 1, 0), sizeof bytes - 1);
        CHECK_INT(wire_result(&w, &s, &r), WIRE_MALFORMED);
        wire_fini(&w);
        close(fd[0]);
        close(fd[1]);
    }
    begin(&p, BYTES(KNOWN ROW("\x05") EOF_PACKET OK_PACKET), 1000);
    CHECK_INT(wire_result(&p.w, &s, &r), WIRE_DONE);
    CHECK(wire_surplus(&p.w));
    check_row(&p.w, &s, "5");
    wire_release(&p.w);
    CHECK(wire_surplus(&p.w));
    end(&p);

    struct str all = STR_INIT; /* the message of an error has just no room for its NUL */
    str_add(&all, BYTES("\x09\x02\0\1\xff\x2a\4#40001"));
    str_printf(&all, "%*s", (int)sizeof r.message, "");
    begin(&p, all.s, all.len, 1000);
    CHECK_INT(wire_result(&p.w, &s, &r), WIRE_REFUSED);
    CHECK_INT(strlen(r.message), sizeof r.message - 1);
    end(&p);

    str_reset(&all);
    str_add(&all, BYTES(KNOWN));
    for (int i = 0; i < 100000; i++)
        str_add(&all, BYTES(ROW("\x05")));
    begin(&p, all.s, all.len, 1 << 20);
    p.w.limit = 300000;
    CHECK_INT(wire_result(&p.w, &s, &r), WIRE_TOO_LONG);
    CHECK(p.w.taken >= p.w.limit && p.w.taken < 2 * p.w.limit);
    CHECK(!p.w.bytes);
    shutdown(p.w.fd, SHUT_RDWR); /* the server is still sending */
    end(&p);
    str_free(&all);
}

TEST_MAIN(mysql_wire_test)
{
    test_execute();
    test_lengths();
    test_send_large();
    test_answers();
    test_room();
    test_many_results();
    test_large();
    test_hostile();
    test_unasked();
    golden_done("mysql_wire_test");
    return test_done("mysql_wire");
}
