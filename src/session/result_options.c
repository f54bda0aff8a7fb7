/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See result_options.h.
 */
#include "session/result_options.h"

#include "report/http.h"
#include "report/report.h"

static const struct opt_row rows[] = {
    {.name = "label",
     .type = OPT_STRING,
     .help =
         "KEY=VALUE pairs to add to every metric, JSON and csv file of the run; may be given several times",
     .flags = OPT_ADDS | OPT_OWN},
    {.name = "metrics-listen",
     .type = OPT_STRING,
     .help =
         "serve a page that shows the run, and the figures of the last report as metrics, over HTTP at this HOST:PORT, HOST "
         "or PORT (default host 127.0.0.1, default port " HTTP_DEFAULT_PORT
         "; 0: any), paths / and /metrics; further names that others use for this host follow after commas",
     .flags = OPT_OWN},
    {.name = "report-style",
     .type = OPT_STRING,
     .def = "auto",
     .help =
         "format of the interval reports on standard output {}: a table fitted to the terminal, or lines as in "
         "sysbench 1.0; auto selects the table on a terminal if an option is given that sysbench 1.0 and 1.1 do not have, "
         "otherwise lines",
     .flags = OPT_OWN,
     .choices = "auto|line|table"},
    {.name = "report-statements",
     .type = OPT_BOOL,
     .def = "off",
     .help = "report the latency of each kind of statement at the end",
     .flags = OPT_OWN},
    {.name = "mark-on",
     .type = OPT_STRING,
     .help = "add a mark to all reports at each SIGUSR1, or for each line written to this FIFO "
             "{SIGUSR1, path}",
     .flags = OPT_OPEN | OPT_OWN,
     .choices = "SIGUSR1"},
    {.name = "raw-log",
     .type = OPT_STRING,
     .help = "write start, lag, service time and outcome of every transaction to this file",
     .flags = OPT_OWN},
};

/* Its help lists the formats. */
static void declare_report_file(struct opts *o)
{
    struct str help = STR_INIT;
    struct opt_row row = {.name = "report-file", .type = OPT_LIST, .flags = OPT_ADDS | OPT_OWN};

    str_adds(&help, "write the results to these files, as FORMAT:PATH or by the suffix {");
    report_formats(&help);
    str_adds(&help, "}; may be given several times");
    row.help = str_cstr(&help);
    opts_add(o, OPT_GROUP_LOG, &row, 1);
    str_free(&help);
}

void result_options(struct opts *o)
{
    declare_report_file(o);
    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
}
