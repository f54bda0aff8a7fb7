/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table with an option of each kind, for opt_test.c (values) and opt_names_test.c (names, files,
 * help).
 */
#ifndef SB_OPT_OPT_TEST_H
#define SB_OPT_OPT_TEST_H

#include "opt/opt.h"

static const struct opt_row rows[] = {
    {.name = "threads", .type = OPT_INT, .def = "1", .help = "number of threads"},
    {.name = "flag-opt", .type = OPT_BOOL, .def = "off", .help = "a flag"},
    {.name = "crypt",
     .type = OPT_BOOL,
     .def = "off",
     .help = "a flag with modes",
     .choices = "disabled|required|verify-ca"},
    {.name = "big", .type = OPT_SIZE, .def = "64K", .help = "a size"},
    {.name = "ratio", .type = OPT_DOUBLE, .def = "1.5", .help = "a number", .max = 10},
    {.name = "name", .type = OPT_STRING, .help = "a text", .flags = OPT_MAY_BE_EMPTY},
    {.name = "hidden", .type = OPT_STRING, .help = "not listed", .flags = OPT_HIDDEN},
    {.name = "shape",
     .type = OPT_STRING,
     .def = "even",
     .help = "a choice",
     .choices = "even|poisson"},
    {.name = "items", .type = OPT_LIST, .def = "a,b", .help = "a list", .flags = OPT_MAY_BE_EMPTY},
    {.name = "parts",
     .type = OPT_LIST,
     .def = "sync",
     .help = "a list of {} and no others",
     .choices = "sync|dsync|direct"},
    {.name = "late",
     .type = OPT_STRING,
     .def = "auto",
     .help = "a choice that others check",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
     .choices = "auto|disable"},
    {.name = "open",
     .type = OPT_STRING,
     .def = "off",
     .help = "a choice among others",
     .flags = OPT_OPEN,
     .choices = "auto|off"},
    {.name = "count",
     .type = OPT_INT,
     .def = "0",
     .help = "a number of things",
     .flags = OPT_COUNT},
    {.name = "places",
     .type = OPT_INT,
     .def = "1",
     .help = "a number, or several",
     .flags = OPT_OR_TEXT,
     .min = 1,
     .max = 9},
    {.name = "rate",
     .type = OPT_DOUBLE,
     .def = "0",
     .help = "a number of things per second",
     .flags = OPT_COUNT,
     .max = 1e9},
    {.name = "pace",
     .type = OPT_DOUBLE,
     .def = "0",
     .help = "a number, or more than that",
     .flags = OPT_COUNT | OPT_OR_TEXT},
    {.name = "files", .type = OPT_LIST, .help = "a list that grows", .flags = OPT_ADDS},
    {.name = "block",
     .type = OPT_SIZE,
     .def = "1K",
     .help = "a size refused by its reader",
     .flags = OPT_LENIENT},
    {.name = "ours", .type = OPT_INT, .def = "0", .help = "not in stock", .flags = OPT_OWN},
    {.name = "texts", .type = OPT_STRING, .help = "a list of texts", .flags = OPT_ADDS},
    {.name = "config-file", .type = OPT_FILE, .help = "a file"},
};

static struct opts *fresh(void)
{
    struct opts *o = opts_new();
    opts_add(o, OPT_GROUP_GENERAL, rows, sizeof rows / sizeof *rows);
    return o;
}

#endif
