/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_actions.h.
 */
#include "report/text_actions.h"

#include <string.h>

#define LINES 5   /* of what a command printed */
#define WIDTH 120 /* of a line of it */

/* Writes one line of any bytes; those that do not print become blanks. */
static void one_line(struct str *out, const char *text, size_t len)
{
    size_t most = len <= WIDTH ? len : WIDTH, at = out->len;

    while (most < len && most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--; /* not in the middle of a character */
    str_add(out, text, most);
    str_printable(out->s + at, most, ' ', "");
    str_adds(out, most < len ? "...\n" : "\n");
}

static void output(struct str *out, const char *text)
{
    size_t lines = 0, more = 0;

    while (*text) {
        size_t len = strcspn(text, "\n");
        if (lines++ < LINES) {
            str_adds(out, "            ");
            one_line(out, text, len);
        } else {
            more++;
        }
        text += len + (text[len] == '\n');
    }
    if (more)
        str_printf(out, "            ... (%zu more line%s)\n", more, more > 1 ? "s" : "");
}

static void ended(struct str *out, const struct report_action *a)
{
    if (a->stopped)
        str_adds(out, "still running at the end of the run, terminated");
    else if (a->signal)
        str_printf(out, "ended by signal %d", a->signal);
    else
        str_printf(out, "exit status %d", a->exit_status);
    str_printf(out, " after %.3f s", a->duration_s);
    if (a->left)
        str_adds(out, "; processes it had left were terminated with the run");
    if (a->output_bytes == 0)
        str_adds(out, "; no output\n");
    else
        str_printf(out, "; output, %zu byte%s%s:\n", a->output_bytes,
                   a->output_bytes > 1 ? "s" : "",
                   a->output_bytes > ACTION_OUTPUT_MAX ? " (the first 65536 were kept)" : "");
    output(out, a->output);
}

static void outcome(struct str *out, const struct report_action *a)
{
    switch (a->state) {
    case ACTION_WAITING:
    case ACTION_NOT_RUN: str_adds(out, "not run: the run ended before\n"); break;
    case ACTION_RUNNING: str_adds(out, "running\n"); break;
    case ACTION_FAILED: str_printf(out, "could not be started: %s\n", a->why); break;
    case ACTION_ENDED: ended(out, a);
    }
}

void text_actions(struct str *out, const struct report_action *a, size_t n)
{
    if (n == 0)
        return;
    str_adds(out, "Commands:\n");
    for (size_t i = 0; i < n; i++) {
        bool began = a[i].state == ACTION_RUNNING || a[i].state == ACTION_ENDED;
        str_printf(out, "    %.3f s: ", began ? a[i].begin_s : a[i].at_s);
        one_line(out, a[i].command, strlen(a[i].command));
        str_adds(out, "        ");
        outcome(out, &a[i]);
    }
    str_adds(out, "\n");
}
