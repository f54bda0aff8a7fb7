/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command line: one argument a line.  Whatever is typed, the table takes it or refuses it with
 * a sentence, the plan of a run can be read from what it took, and no password stays in argv.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/registry.h"
#include "engine/plan.h"
#include "fuzz.h"
#include "opt/generation.h"
#include "opt/secret.h"
#include "report/report_options.h"

#define MOST 32

static int split(char *text, char **argv)
{
    int n = 0;

    while (text && n < MOST)
        argv[n++] = strsep(&text, "\n");
    return n;
}

/* A file of the machine is no part of the input. */
static bool names_a_file(const char *arg)
{
    return strcasestr(arg, "config") != NULL;
}

static void check_hidden(char **typed, char **shown, int n)
{
    static const char option[] = "--mysql-password=";

    for (int i = 0; i < n; i++) {
        FUZZ_CHECK(strlen(shown[i]) <= strlen(typed[i]));
        if (strncmp(typed[i], option, sizeof option - 1) == 0)
            FUZZ_CHECK(strspn(shown[i] + sizeof option - 1, "*") ==
                       strlen(shown[i] + sizeof option - 1));
    }
}

static void read_all(struct opts *o, char **argv, int n, struct err *e)
{
    struct plan plan;
    struct dist_params dist;
    struct report_label *label = NULL;
    size_t labels = 0;

    for (int i = 0; i < n; i++)
        if (strncmp(argv[i], "--", 2) == 0 && opts_set_arg(o, argv[i], e))
            return;
    generation_apply(o);
    if (opts_finish(o, n % 2, e) || generation_check(o, e) || opts_check(o, e))
        return;
    plan_from_options(&plan, o, e);
    random_options_read(&dist, o, e);
    report_labels_parse(&label, &labels, opt_str(o, "label"), e);
    report_labels_free(label, labels);
}

static void one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *argv[MOST], **typed;
    struct opts *o = opts_new();
    struct err e = {0};
    int n = split(text, argv);
    bool skip = false;

    for (int i = 0; i < n; i++)
        skip |= names_a_file(argv[i]);
    if (!skip) {
        options_declare(o);
        typed = secret_hide(o, n, argv);
        check_hidden(typed, argv, n);
        read_all(o, typed, n, &e);
        for (int i = 0; i < n; i++)
            free(secret_shown_arg(o, typed[i]));
        free(secret_shown_message(e.msg));
        typed[n] = NULL;
        secret_free(typed);
    }
    opts_free(o);
    free(text);
}

const struct fuzz_target fuzz_options = {"options", one};
