/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was run, and where, as JSON: the options, the facts of the environment, the labels, the
 * command line.
 */
#include <string.h>

#include "report/json.h"
#include "report/json_doc.h"

static void list(struct str *out, const char *text)
{
    bool first = true;

    str_adds(out, "[");
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n) {
            struct str one = STR_INIT;
            str_add(&one, text, n);
            str_adds(out, first ? "" : ",");
            json_string(out, one.s);
            str_free(&one);
            first = false;
        }
        text += n + (text[n] == ',');
    }
    str_adds(out, "]");
}

static void option_value(struct str *out, const struct report_option *o)
{
    switch (o->type) {
    case REPORT_NUMBER: json_number(out, o->number); break;
    case REPORT_FLAG: str_adds(out, o->number != 0 ? "true" : "false"); break;
    case REPORT_LIST: list(out, o->value); break;
    default: json_string(out, o->value);
    }
}

static void options(struct str *out, const struct report_info *info)
{
    bool first = true;

    str_adds(out, "{\"given\":{");
    for (size_t i = 0; i < info->options; i++)
        if (info->option[i].given)
            json_string_member(out, &first, info->option[i].name, info->option[i].given);
    str_adds(out, "},\"effective\":{");
    first = true;
    for (size_t i = 0; i < info->options; i++) {
        json_name(out, &first, info->option[i].name);
        option_value(out, &info->option[i]);
    }
    str_adds(out, "}}");
}

static void environment(struct str *out, const struct report_info *info)
{
    bool first = true;

    str_adds(out, "{");
    for (size_t i = 0; i < info->facts; i++) {
        const struct report_fact *f = &info->fact[i];
        json_name(out, &first, f->name);
        if (f->value && f->number)
            str_adds(out, f->value);
        else
            json_string(out, f->value);
    }
    json_name(out, &first, "missing");
    str_adds(out, "{");
    first = true;
    for (size_t i = 0; i < info->facts; i++)
        if (!info->fact[i].value)
            json_string_member(out, &first, info->fact[i].name, info->fact[i].missing);
    str_adds(out, "}}");
}

void json_doc_labels(struct str *out, const struct report_info *info)
{
    bool first = true;

    str_adds(out, "{");
    for (size_t i = 0; i < info->labels; i++)
        json_string_member(out, &first, info->label[i].name, info->label[i].value);
    str_adds(out, "}");
}

void json_doc_run(struct str *out, const struct report_info *info)
{
    bool first = true;

    str_adds(out, "{");
    json_string_member(out, &first, "program", "sysbench-tx");
    json_string_member(out, &first, "version", info->version);
    json_string_member(out, &first, "test", info->test);
    json_string_member(out, &first, "command", info->command);
    json_name(out, &first, "labels");
    json_doc_labels(out, info);
    json_name(out, &first, "command_line");
    str_adds(out, "[");
    for (int i = 0; i < info->argc; i++) {
        str_adds(out, i ? "," : "");
        json_string(out, info->argv[i]);
    }
    str_adds(out, "]");
    json_number_member(out, &first, "wall_time_unix_s", (double)info->wall / 1e9);
    json_name(out, &first, "options");
    options(out, info);
    json_name(out, &first, "environment");
    environment(out, info);
    str_adds(out, "}");
}
