/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The outcome of a --do command, as plain data for the reports.
 */
#ifndef SB_REPORT_ACTION_H
#define SB_REPORT_ACTION_H

#include <stdbool.h>
#include <stddef.h>

#define ACTION_OUTPUT_MAX 65536 /* bytes kept of a command's output */

enum action_state {
    ACTION_WAITING, /* its instant has not come */
    ACTION_RUNNING,
    ACTION_ENDED,
    ACTION_FAILED,  /* it could not be started */
    ACTION_NOT_RUN, /* the run ended before its instant */
};

struct report_action {
    enum action_state state;
    double at_s; /* as the user gave it; seconds after the start of measuring, as all that follow */
    const char *command;
    double begin_s;      /* RUNNING, ENDED */
    double duration_s;   /* ENDED, as all below */
    int exit_status;     /* -1: ended by a signal */
    int signal;          /* 0: none */
    bool stopped;        /* it was still running at the end of the run, which ended it */
    bool left;           /* it left processes in its group, which the run ended */
    const char *output;  /* no NUL in it */
    size_t output_bytes; /* all bytes printed; those beyond ACTION_OUTPUT_MAX were not kept */
    const char *why;     /* FAILED */
};

#endif
