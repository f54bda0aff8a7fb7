/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the environment in both of its forms, text and JSON: values, lists and what is
 * missing.
 */
#include "report/text_environment.h"

#include "base/test.h"
#include "report/json_doc.h"
#include "telemetry/environment.h"

struct item {
    const char *key, *value, *missing;
};

static const struct {
    struct item item[5];
    const char *text, *json;
} t[] = {
    {{{0}}, "Environment:\n\n", "null"},
    {{{"a.b", "v", NULL}},
     "Environment:\n    a.b:                                 v\n\n",
     "{\"a.b\":\"v\",\"missing\":{}}"},
    {{{"a", "", NULL}, {"b", "say \"n/a (no)\"", NULL}},
     "Environment:\n    a:                                   \n"
     "    b:                                   say \"n/a (no)\"\n\n",
     "{\"a\":\"\",\"b\":\"say \\\"n/a (no)\\\"\",\"missing\":{}}"},
    /* a value in the words of a missing one is a value */
    {{{"a", "n/a (really)", NULL}},
     "Environment:\n    a:                                   n/a (really)\n\n",
     "{\"a\":\"n/a (really)\",\"missing\":{}}"},
    {{{"a", NULL, "gone"}, {"b", NULL, "no (such) file"}},
     "Environment:\n    a:                                   n/a (gone)\n"
     "    b:                                   n/a (no (such) file)\n\n",
     "{\"a\":null,\"b\":null,\"missing\":{\"a\":\"gone\",\"b\":\"no (such) file\"}}"},
    {{{"l", "1", NULL}, {"x", "y", NULL}, {"l", NULL, "first"}, {"l", NULL, "last"}},
     "Environment:\n    l:                                   1\n"
     "    x:                                   y\n"
     "    l:                                   n/a (first)\n"
     "    l:                                   n/a (last)\n\n",
     "{\"l\":[\"1\",null,null],\"x\":\"y\",\"missing\":{\"l\":\"last\"}}"},
};

TEST_MAIN(text_environment_test)
{
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct environment e = {0};
        struct str s = STR_INIT;
        for (const struct item *v = t[i].item; v->key; v++) {
            if (v->value)
                environment_add(&e, v->key, "%s", v->value);
            else
                environment_missing(&e, v->key, "%s", v->missing);
        }
        text_environment(&s, &e);
        CHECK_STR(str_cstr(&s), t[i].text);
        str_reset(&s);
        json_doc_environment(&s, &e);
        CHECK_STR(str_cstr(&s), t[i].json);
        str_reset(&s);
        json_doc_environment(&s, NULL);
        CHECK_STR(str_cstr(&s), "null");
        str_free(&s);
        environment_free(&e);
    }
    return test_done("text_environment");
}
