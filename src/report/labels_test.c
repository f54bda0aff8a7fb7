/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels of a run: what is read, and what is refused in which words.
 */
#include "report/labels.h"

#include "base/test.h"

static void taken(void)
{
    static const char *const text[] = {"env=prod", "Team_2=a b", "note=x=\"y\"\\", "_k=\xc3\xa9"};
    struct report_label *l = NULL;
    struct err e = {0};

    CHECK_INT(report_labels_parse(&l, (char *const *)(uintptr_t)text, 4, &e), 0);
    CHECK_STR(l[0].name, "env");
    CHECK_STR(l[0].value, "prod");
    CHECK_STR(l[1].name, "Team_2");
    CHECK_STR(l[1].value, "a b");
    CHECK_STR(l[2].value, "x=\"y\"\\");
    CHECK_STR(l[3].value, "\xc3\xa9");
    report_labels_free(l, 4);
    CHECK_INT(report_labels_parse(&l, NULL, 0, &e), 0);
    CHECK(l == NULL);
    report_labels_free(l, 0);
}

static void refused(void)
{
    static const struct {
        const char *text[2], *why;
    } t[] = {
        {{"env", NULL}, "'env' (KEY=VALUE is wanted; a value has no comma in it)"},
        {{"=prod", NULL}, "'=prod' (a key is letters, digits and _, and begins with no digit)"},
        {{"1a=b", NULL}, "'1a=b' (a key is letters, digits and _, and begins with no digit)"},
        {{"a-b=c", NULL}, "'a-b=c' (a key is letters, digits and _, and begins with no digit)"},
        {{"__a=b", NULL}, "'__a=b' (keys that begin with __ are reserved for Prometheus)"},
        {{"mode=x", NULL}, "'mode=x' (the metrics have a label of this name already)"},
        {{"le=1", NULL}, "'le=1' (the metrics have a label of this name already)"},
        {{"env=", NULL}, "'env=' (the value is empty)"},
        {{"env=\xff", NULL}, "(the value is not printable UTF-8 text)"},
        {{"env=a\nb", NULL}, "(the value is not printable UTF-8 text)"},
        {{"a=1", "a=2"}, "'a=2' (the key is given twice)"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct report_label *l = NULL;
        struct err e = {0};
        CHECK_INT(report_labels_parse(&l, (char *const *)(uintptr_t)t[i].text, t[i].text[1] ? 2 : 1, &e), -1);
        CHECK(l == NULL);
        CHECK(e.kind == ERR_USAGE && strstr(e.msg, "Invalid value for --label: ") == e.msg);
        if (!strstr(e.msg, t[i].why))
            CHECK_STR(e.msg, t[i].why);
    }
}

int main(void)
{
    taken();
    refused();
    return test_done("labels");
}
