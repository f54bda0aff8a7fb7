/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commands of --do in both of their forms, text and JSON: every state, and output of any length and
 * bytes.
 */
#include "report/text_actions.h"

#include "base/test.h"
#include "report/json_doc.h"

#define NOT_OVER ",\"terminated_with_run\":false,\"left_processes\":false"

static const struct {
    struct report_action a;
    const char *text, *json; /* what follows the command; the text without the empty line */
} t[] = {
    {{.state = ACTION_WAITING},
     "not run: the run ended before\n",
     "\"state\":\"waiting\",\"begin_s\":null,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":null"},
    {{.state = ACTION_NOT_RUN},
     "not run: the run ended before\n",
     "\"state\":\"not run\",\"begin_s\":null,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":null"},
    {{.state = ACTION_RUNNING, .begin_s = 2},
     "running\n",
     "\"state\":\"running\",\"begin_s\":2,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":null"},
    {{.state = ACTION_FAILED, .why = "no memory"},
     "could not be started: no memory\n",
     "\"state\":\"not started\",\"begin_s\":null,\"duration_s\":null,\"exit_status\":null,"
     "\"signal\":null" NOT_OVER ",\"output\":null,\"output_bytes\":null,\"error\":\"no memory\""},
    {{.state = ACTION_ENDED, .begin_s = 2, .duration_s = 0.5, .exit_status = 3, .output = ""},
     "exit status 3 after 0.500 s; no output\n",
     "\"state\":\"ended\",\"begin_s\":2,\"duration_s\":0.5,\"exit_status\":3,"
     "\"signal\":null" NOT_OVER ",\"output\":\"\",\"output_bytes\":0,\"error\":null"},
    {{.state = ACTION_ENDED,
      .begin_s = 2,
      .duration_s = 1,
      .exit_status = -1,
      .signal = 9,
      .output = "x",
      .output_bytes = 1},
     "ended by signal 9 after 1.000 s; output, 1 byte:\n            x\n",
     "\"state\":\"ended\",\"begin_s\":2,\"duration_s\":1,\"exit_status\":null,"
     "\"signal\":9" NOT_OVER ",\"output\":\"x\",\"output_bytes\":1,\"error\":null"},
    {{.state = ACTION_ENDED,
      .begin_s = 2,
      .duration_s = 1,
      .exit_status = -1,
      .signal = 15,
      .stopped = true,
      .left = true,
      .output = "1\n2\n3\n4\n5\n6\n7",
      .output_bytes = 70000},
     "still running at the end of the run, terminated after 1.000 s; processes it had left were "
     "terminated with the run; output, 70000 bytes (the first 65536 were kept):\n"
     "            1\n            2\n            3\n            4\n            5\n"
     "            ... (2 more lines)\n",
     "\"state\":\"ended\",\"begin_s\":2,\"duration_s\":1,\"exit_status\":null,\"signal\":15,"
     "\"terminated_with_run\":true,\"left_processes\":true,\"output\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\","
     "\"output_bytes\":70000,\"error\":null"},
};

static void states(void)
{
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct report_action a = t[i].a;
        bool first = true, began = a.state == ACTION_RUNNING || a.state == ACTION_ENDED;
        struct str s = STR_INIT;
        char want[1000];
        a.at_s = 1.5;
        a.command = "a \"b\"";
        text_actions(&s, &a, 1);
        snprintf(want, sizeof want, "Commands:\n    %s s: a \"b\"\n        %s\n",
                 began ? "2.000" : "1.500", t[i].text);
        CHECK_STR(str_cstr(&s), want);
        str_reset(&s);
        json_doc_action(&s, &first, &a);
        snprintf(want, sizeof want, "\"at_s\":1.5,\"command\":\"a \\\"b\\\"\",%s", t[i].json);
        CHECK_STR(str_cstr(&s), want);
        str_free(&s);
    }
}

/* Lines are cut between characters, and what does not print is a blank. */
static void lines(void)
{
    struct report_action a[2] = {{.state = ACTION_RUNNING}, {.state = ACTION_RUNNING}};
    struct str s = STR_INIT;
    char wide[140];

    memset(wide, 'x', sizeof wide);
    memcpy(wide + 119, "\xc3\xa4", 2); /* one character in two bytes, of which one fits */
    wide[130] = '\0';
    a[0].command = "tab\there\x7f";
    a[1].command = wide;
    text_actions(&s, a, 2);
    CHECK(strstr(str_cstr(&s), "    0.000 s: tab here \n") != NULL);
    CHECK(strstr(str_cstr(&s), "xxx...\n") != NULL && strchr(str_cstr(&s), '\xc3') == NULL);
    str_reset(&s);
    text_actions(&s, a, 0);
    CHECK_STR(str_cstr(&s), "");
    str_free(&s);
}

TEST_MAIN(text_actions_test)
{
    states();
    lines();
    return test_done("text_actions");
}
