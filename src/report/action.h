/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What became of a command of --do, as plain data for the reports.
 */
#ifndef SB_REPORT_ACTION_H
#define SB_REPORT_ACTION_H

#include <stdbool.h>
#include <stddef.h>

#define ACTION_OUTPUT_MAX 65536 /* of what a command prints, so much is kept */

enum action_state {
    ACTION_WAITING, /* its instant has not come */
    ACTION_RUNNING,
    ACTION_ENDED,
    ACTION_FAILED,  /* it could not be started */
    ACTION_NOT_RUN, /* the run ended before its instant */
};

struct report_action {
    enum action_state state;
    double at_s; /* asked for; seconds after the start of measuring, as all that follow */
    const char *command;
    double begin_s;      /* RUNNING, ENDED */
    double duration_s;   /* ENDED, as all below */
    int exit_status;     /* -1: ended by a signal */
    int signal;          /* 0: none */
    bool stopped;        /* it still ran at the end of the run, and was ended with it */
    bool left;           /* processes that it left in its group were */
    const char *output;  /* no NUL in it */
    size_t output_bytes; /* all of it; those beyond ACTION_OUTPUT_MAX were not kept */
    const char *why;     /* FAILED */
};

#endif
