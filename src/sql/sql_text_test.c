/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Texts of statements as tables: their kinds, their first words, and what messages quote of them.
 */
#include "sql/sql_text.h"

#include <string.h>

#include "base/test.h"

/* --- kinds --- */

#define MYSQL (SQL_LEX_MYSQL | SQL_LEX_BACKSLASH)
#define PGSQL SQL_LEX_PGSQL

static const struct {
    unsigned lex;
    const char *text, *want;
} t[] = {
    {MYSQL, "", ""},
    {MYSQL, "  ;; ", ""},
    {MYSQL, "BEGIN", "BEGIN"},
    {MYSQL, " select 1 ;", "select ?"},
    {MYSQL, "SELECT c FROM sbtest12 WHERE id=5047", "SELECT c FROM sbtest12 WHERE id=?"},
    {MYSQL, "SELECT c FROM t WHERE id IN (1, 2,3 , 4)", "SELECT c FROM t WHERE id IN (...)"},
    {MYSQL, "SELECT c FROM t WHERE id IN ( 1 )", "SELECT c FROM t WHERE id IN (?)"},
    {MYSQL, "INSERT INTO t (a,b) VALUES (1,'x'),(2, 'y'), (3,'z')",
     "INSERT INTO t (a, b) VALUES (...)"},
    {MYSQL, "INSERT INTO t VALUES (1),(2),(3)", "INSERT INTO t VALUES (?)"},
    {MYSQL, "UPDATE t SET k=k+1, c='it''s' WHERE id=-5", "UPDATE t SET k=k+?, c=? WHERE id=?"},
    {MYSQL, "UPDATE t SET k = k - 1 WHERE a = 1e-5 AND b=.5 AND c=0x1F",
     "UPDATE t SET k = k - ? WHERE a = ? AND b=? AND c=?"},
    {MYSQL, "SELECT \"a\\\"b\", `my col`, X'00' FROM t1", "SELECT ?, `my col`, ? FROM t1"},
    {MYSQL, "SELECT 'a' 'b'", "SELECT ? ?"},
    {MYSQL, "SELECT /* trace 17 */ 1 -- more\n + 2 # end", "SELECT ? + ?"},
    {MYSQL, "INSERT INTO t VALUES (NULL, 1, DEFAULT), (2, null, 3)", "INSERT INTO t VALUES (...)"},
    {MYSQL, "SELECT c FROM t WHERE k IS NULL", "SELECT c FROM t WHERE k IS NULL"},
    {MYSQL, "SELECT f(1), f(2)", "SELECT f(?), f(?)"},
    {MYSQL, "SELECT a.b.c, 1.5.2", "SELECT a.b.c, ?"},
    {MYSQL, "SELECT c FROM t LIMIT 5, 10", "SELECT c FROM t LIMIT ..."},
    {MYSQL, "CALL p(1, @x, 2, 3)", "CALL p(?, @x, ...)"},
    {MYSQL, "SELECT f(name, another, 1)", "SELECT f(name, another, ?)"},
    {MYSQL, "SELECT '", "SELECT ?"},
    {MYSQL, "-5", "?"},
    {MYSQL, "x-5", "x-?"},
    {MYSQL, "a=?", "a=?"},
    {PGSQL, "SELECT \"Name\", E'a\\'b', $$x'y$$ FROM t WHERE id = $1 AND k IN ($2,$3)",
     "SELECT \"Name\", ... FROM t WHERE id = ? AND k IN (...)"},
    {PGSQL, "SELECT 1::int, '2'::text", "SELECT ?::int, ?::text"},
};

static void texts(void)
{
    struct str out = STR_INIT;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        sql_digest(&out, t[i].text, strlen(t[i].text), t[i].lex);
        CHECK_STR(str_cstr(&out), t[i].want);
    }
    /* only the letter before the quote is of the text: what is before it in memory is not */
    const char *in = "xE'a\\'b'" + 1;
    size_t end;
    struct sql_scan sc = {.s = in, .len = strlen(in), .lex = PGSQL};
    CHECK_INT(sql_scan_token(&sc, 1, &end), SQL_TOKEN_STRING);
    CHECK_INT(end, strlen(in));
    sql_digest(&out, "SELECT (-5", 9, MYSQL); /* nor what is behind it */
    CHECK_STR(str_cstr(&out), "SELECT (-");
    str_free(&out);
}

/* Only the beginning of a long text counts, and rows of literals become one row. */
static void long_texts(void)
{
    struct str text = STR_INIT, out = STR_INIT;

    for (int null = 0; null < 2; null++) {
        str_reset(&text);
        str_adds(&text, "INSERT INTO t (a, b) VALUES ");
        for (int i = 0; i < 10000; i++)
            str_printf(&text, "%s(%d, 'text %d'%s)", i ? "," : "", i, i, null ? ", NULL" : "");
        sql_digest(&out, text.s, text.len, MYSQL);
        CHECK_STR(str_cstr(&out), "INSERT INTO t (a, b) VALUES (...)");
    }
    str_free(&text);
    str_free(&out);
}

static void transactions(void)
{
    static const char *const yes[] = {
        "BEGIN", "begin", "COMMIT", "START TRANSACTION READ ONLY", "ROLLBACK TO a", "XA START ?"};
    static const char *const no[] = {
        "", "BEGINNING", "SELECT ?", "START SLAVE", "PREPARE a FROM ?", "ENDLESS"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        CHECK(sql_digest_is_transaction(yes[i], strlen(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        CHECK(!sql_digest_is_transaction(no[i], strlen(no[i])));
}

/* --- words --- */

static const struct {
    const char *text;
    enum counter counter;
    bool commit;
} first_words[] = {
    {"SELECT c FROM sbtest1 WHERE id=1", CNT_READ, false},
    {"select", CNT_READ, false},
    {" \n\tSelect 1", CNT_READ, false},
    {"SELECT(1)", CNT_READ, false},
    {"selection", CNT_OTHER, false},
    {"sel", CNT_OTHER, false},
    {"INSERT INTO t VALUES (1)", CNT_WRITE, false},
    {"update t set k=1", CNT_WRITE, false},
    {"DELETE from t", CNT_WRITE, false},
    {"COMMIT", CNT_OTHER, true},
    {"commit;", CNT_OTHER, true},
    {"commits", CNT_OTHER, false},
    {"UNLOCK TABLES", CNT_OTHER, true},
    {"unlock  tables", CNT_OTHER, true},
    {"UNLOCK", CNT_OTHER, false},
    {"LOCK TABLES t WRITE", CNT_OTHER, false},
    {"BEGIN", CNT_OTHER, false},
    {"ROLLBACK", CNT_OTHER, false},
    {"REPLACE INTO t VALUES (1)", CNT_OTHER, false},
    {"(SELECT 1)", CNT_OTHER, false},
    {"", CNT_OTHER, false},
    {"   ", CNT_OTHER, false},
};

/* The text ends at its length, without a NUL. */
static void lengths(void)
{
    CHECK_INT(sql_keywords("SELECT 1", 6).counter, CNT_READ);
    CHECK_INT(sql_keywords("SELECT 1", 5).counter, CNT_OTHER);
    CHECK(!sql_keywords("UNLOCK TABLES", 8).commit);
}

/* --- excerpts --- */

static void check(const char *text, size_t len, bool whole, const char *end, size_t want)
{
    struct str out = STR_INIT;

    sql_excerpt(&out, text, len, whole);
    CHECK_INT(out.len, want);
    CHECK_STR(str_cstr(&out) + out.len - strlen(end), end);
    CHECK_INT(strncmp(str_cstr(&out), text, want < 252 ? want : 252), 0);
    str_free(&out);
}

TEST_MAIN(sql_text_test)
{
    texts();
    long_texts();
    transactions();

    for (size_t i = 0; i < sizeof first_words / sizeof *first_words; i++) {
        struct sql_keywords w = sql_keywords(first_words[i].text, strlen(first_words[i].text));
        CHECK_INT(w.counter, first_words[i].counter);
        CHECK_INT(w.commit, first_words[i].commit);
    }
    lengths();

    static char text[524288];
    const size_t size = sizeof text;

    memset(text, 'x', size);
    check(text, 0, false, "", 0);
    check(text, 256, false, "x", 256);
    check(text, 257, false, "x... (257 bytes)", 256 + 15);
    check(text, 1000, false, "x... (1,000 bytes)", 256 + 17);
    check(text, size, false, "x... (524,288 bytes)", 256 + 19);
    check(text, size, true, "xx", size);
    memcpy(text + 254, "\xe2\x82\xac", 3);
    check(text, 300, false, "x... (300 bytes)", 254 + 15);
    memset(text, 0x78, 300);
    memcpy(text + 253, "\xe2\x82\xac", 3);
    check(text, 300, false, "\xe2\x82\xac... (300 bytes)", 256 + 15);
    memset(text, 0x80, size); /* no text at all */
    check(text, 300, false, "\x80... (300 bytes)", 252 + 15);
    return test_done("sql_text");
}
