/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which blocks follow stock's report, and in which order; the verdict on the rate.
 */
#include "report/text_additions.h"

#include <stdlib.h>

#include "base/test.h"
#include "report/text_rate.h"

static const struct report_action action = {.state = ACTION_NOT_RUN, .at_s = 1, .command = "true"};
static const struct report_profile profile = {.ended = true, .why = "no reason"};
static const struct report_info info = {.action = &action, .actions = 1, .profile = &profile};
static const struct text_verdict sustained = {.sustained = true, .why = ""};

/* The first words of the lines that are not indented, and "sustained". */
static const char *blocks(const struct snapshot *s, const struct report_info *i)
{
    static char found[200];
    struct str out = STR_INIT;
    char *rest;

    *found = '\0';
    if (s)
        text_additions(&out, s, &sustained, i, TEXT_BRIEF);
    else
        text_ending(&out, i);
    rest = out.s;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        char *word = line + strspn(line, " ");
        if (!*word || (word > line && strncmp(word, "sustained:", 10) != 0))
            continue;
        strncat(found, word, strcspn(word, ":"));
        strcat(found, "|");
    }
    str_free(&out);
    return found;
}

/* Whether the rate was sustained, and why not or with which reservation. */
static void verdicts(void)
{
    static const struct {
        uint64_t offered;
        bool sustained;
        const char *why, *want;
    } t[] = {{0, true, "", "n/a (nothing was due)"},
             {1, true, "", "yes"},
             {1, false, "one failed", "no: one failed"},
             {2, true, "late", "yes, but late"},
             {2, true, "after a backlog", "yes, after a backlog"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct snapshot s = {.has_rate = true, .rate.total_offered = t[i].offered};
        struct str out = STR_INIT;
        const char *said;
        text_verdict(&out, &s,
                     &(struct text_verdict){.sustained = t[i].sustained, .why = t[i].why});
        said = strstr(str_cstr(&out), "sustained:");
        said = said ? said + strlen("sustained:") : "";
        CHECK_INT(strcspn(said + strspn(said, " "), "\n"), strlen(t[i].want));
        CHECK(strncmp(said + strspn(said, " "), t[i].want, strlen(t[i].want)) == 0);
        str_free(&out);
    }
}

TEST_MAIN(text_additions_test)
{
    struct snapshot s = {.kind = SNAPSHOT_FINAL, .interval_ns = NS_PER_SEC, .ncpu = 1};
    static const struct report_info nothing = {0};

    verdicts();
    CHECK_STR(blocks(&s, &nothing), "");
    CHECK_STR(blocks(&s, &info), "Commands|Server profile|");
    s.has_rate = true;
    CHECK_STR(blocks(&s, &info), "Rate|sustained|Commands|Server profile|");
    s.retries.transactions = 1;
    CHECK_STR(blocks(&s, &info), "Rate|sustained|Retries|Commands|Server profile|");
    s.retries.transactions = 0;
    s.self.on = s.server.on = true;
    s.server.describe = s.self.describe = "db";
    CHECK_STR(blocks(&s, &info), "Rate|sustained|Server|Load generator|Commands|Server profile|");
    s.stock_rate = true; /* stock has no such blocks */
    CHECK_STR(blocks(&s, &info), "Server|Commands|Server profile|");
    s.stock_rate = false;
    s.kind = SNAPSHOT_CHECKPOINT; /* the run goes on */
    CHECK_STR(blocks(&s, &info), "Server|Load generator|");
    CHECK_STR(blocks(NULL, &info), "Commands|Server profile|");
    CHECK_STR(blocks(NULL, &nothing), "");
    return test_done("text_additions");
}
