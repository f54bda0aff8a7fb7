/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Distances between words, and the suggestions made from them.
 */
#include "base/near.h"

#include <stdint.h>

#include "base/mem.h"
#include "base/test_golden.h"

static struct str out;

static void distances(void)
{
    /* case counts nothing, nor do dashes; a swap is one, but letters that were swapped are not
     * edited again; missing, superfluous, replaced */
    static const char *const word[][2] = {{"", ""},
                                          {"", "abc"},
                                          {"abc", "abc"},
                                          {"abc", "ABC"},
                                          {"read-only", "read_only"},
                                          {"cup", "cpu"},
                                          {"ab", "ba"},
                                          {"ca", "abc"},
                                          {"prepar", "prepare"},
                                          {"preepare", "prepare"},
                                          {"prepase", "prepare"},
                                          {"kitten", "sitting"},
                                          {"oltp_readonly", "oltp_read_only"},
                                          {"seqrd", "seqwr"},
                                          {"mysql", "pgsql"}};
    char longer[NEAR_LENGTH + 1];

    for (size_t i = 0; i < COUNT(word); i++) {
        const size_t d = near_distance(word[i][0], word[i][1]);
        str_printf(&out, "%s, %s: %zu\n", word[i][0], word[i][1], d);
        CHECK_INT(near_distance(word[i][1], word[i][0]), d);
    }
    golden(&out, "distances");
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
    /* both begin with it, or too many do; one letter is too vague; equally near, and too many; one
     * name offered several times; the nearest, whichever was offered first */
    static const char *const t[][2] = {{"OLTP_READ_ONLY", tests},
                                       {"oltp_read", tests},
                                       {"oltp", tests},
                                       {"thread", tests},
                                       {"", tests},
                                       {"c", tests},
                                       {"cpu", tests},
                                       {"clean", "prepare|run|cleanup|help"},
                                       {"rnu", "prepare|run|cleanup|help"},
                                       {"seqrr", "seqwr|seqrewr|seqrd|rndrd|rndwr|rndrw"},
                                       {"xnd", "rnd|snd|tnd"},
                                       {"xnd", "rnd|snd|tnd|und"},
                                       {"xnd", "rnd|rnd|rnd|rnd|rnd"},
                                       {"xnd", "rnd|xnb"},
                                       {"uniforn", "uniformly|uniform"}};

    for (size_t i = 0; i < COUNT(t); i++) {
        struct err e = {.msg = "no such thing"};
        char buf[NEAR_TEXT];
        struct near n;
        near_begin(&n, t[i][0]);
        near_offer_choices(&n, t[i][1]);
        CHECK_INT(near_suggest(&n, &e), -1);
        str_printf(&out, "%s: %s; %s\n", t[i][0], near_text(&n, buf), e.msg);
    }
    golden(&out, "suggestions");
}

TEST_MAIN(near_test)
{
    distances();
    suggestions();
    str_free(&out);
    golden_done("near");
    return test_done("near_test");
}
