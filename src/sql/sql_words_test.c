/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How 0.4 and 0.5 counted statements: by the first word, in any case.
 */
#include "sql/sql_words.h"

#include "base/test.h"

static const struct {
    const char *text;
    enum counter counter;
    bool commit;
} t[] = {
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
    CHECK_INT(sql_words("SELECT 1", 6).counter, CNT_READ);
    CHECK_INT(sql_words("SELECT 1", 5).counter, CNT_OTHER);
    CHECK(!sql_words("UNLOCK TABLES", 8).commit);
}

TEST_MAIN(sql_words_test)
{
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct sql_words w = sql_words(t[i].text, strlen(t[i].text));
        CHECK_INT(w.counter, t[i].counter);
        CHECK_INT(w.commit, t[i].commit);
    }
    lengths();
    return test_done("sql_words");
}
