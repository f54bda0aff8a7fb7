/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Distances between words, and the suggestions made from them.
 */
#include "base/near.h"

#include <stdint.h>

#include "base/test.h"

static void distances(void)
{
    static const struct {
        const char *a, *b;
        size_t d;
    } t[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "", 3},
        {"abc", "abc", 0},
        {"abc", "ABC", 0},             /* case counts nothing */
        {"read-only", "read_only", 0}, /* nor do dashes */
        {"cup", "cpu", 1},             /* a swap is one */
        {"ab", "ba", 1},
        {"ca", "abc", 3},           /* letters that were swapped are not edited again */
        {"prepar", "prepare", 1},   /* missing */
        {"preepare", "prepare", 1}, /* superfluous */
        {"prepase", "prepare", 1},  /* replaced */
        {"kitten", "sitting", 3},
        {"oltp_readonly", "oltp_read_only", 1},
        {"seqrd", "seqwr", 2},
        {"mysql", "pgsql", 2},
    };
    char longer[NEAR_LENGTH + 1];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_INT(near_distance(t[i].a, t[i].b), t[i].d);
        CHECK_INT(near_distance(t[i].b, t[i].a), t[i].d);
    }
    memset(longer, 'x', NEAR_LENGTH);
    longer[NEAR_LENGTH] = '\0';
    CHECK(near_distance(longer, "x") == SIZE_MAX);
    CHECK(near_distance("x", longer) == SIZE_MAX);
    longer[NEAR_LENGTH - 1] = '\0';
    CHECK_INT(near_distance(longer, "x"), NEAR_LENGTH - 2);
}

static void suggestions(void)
{
    static const char tests[] =
        "fileio|cpu|memory|threads|mutex|oltp_delete|oltp_insert|oltp_point_select|"
        "oltp_read_only|oltp_read_write|oltp_update_index|oltp_update_non_index";
    static const struct {
        const char *word, *choices, *want;
    } t[] = {
        {"OLTP_READ_ONLY", tests, "oltp_read_only"},
        {"oltp_read", tests, "oltp_read_only or oltp_read_write"}, /* both begin with it */
        {"oltp", tests, ""},                                       /* too many begin with it */
        {"thread", tests, "threads"},
        {"", tests, ""},
        {"c", tests, ""}, /* one letter is too vague */
        {"cpu", tests, "cpu"},
        {"clean", "prepare|run|cleanup|help", "cleanup"},
        {"rnu", "prepare|run|cleanup|help", "run"},
        {"seqrr", "seqwr|seqrewr|seqrd|rndrd|rndwr|rndrw", "seqwr or seqrd"},
        {"xnd", "rnd|snd|tnd", "rnd, snd or tnd"},
        {"xnd", "rnd|snd|tnd|und", ""},        /* equally near, and too many */
        {"xnd", "rnd|rnd|rnd|rnd|rnd", "rnd"}, /* one name offered several times */
        {"xnd", "rnd|xnb", "rnd or xnb"},
        {"uniforn", "uniformly|uniform", "uniform"}, /* the nearest, whichever was offered first */
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {.msg = "no such thing"};
        char buf[NEAR_TEXT], want[sizeof e.msg];
        struct near n;
        near_begin(&n, t[i].word);
        near_offer_choices(&n, t[i].choices);
        CHECK_STR(near_text(&n, buf), t[i].want);
        CHECK_INT(near_suggest(&n, &e), -1);
        snprintf(want, sizeof want,
                 *t[i].want ? "no such thing; did you mean %s?" : "no such thing%s", t[i].want);
        CHECK_STR(e.msg, want);
    }
}

TEST_MAIN(near_test)
{
    distances();
    suggestions();
    return test_done("near_test");
}
