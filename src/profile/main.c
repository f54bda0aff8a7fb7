/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench-flame: folded stacks into a flame graph, or two of them into the picture of their difference.
 * See docs/sysbench-flame.1.  The picture goes to stdout, when all of the input could be read.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "profile/flame.h"
#include "profile/folded.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const char usage[] =
    "usage: sysbench-flame [options] FOLDED > out.svg\n"
    "       sysbench-flame [options] --diff BEFORE AFTER > out.svg\n"
    "\n"
    "  --diff             red where AFTER has a larger share than BEFORE, blue where it has a smaller one\n"
    "  --title=TEXT       the picture's title\n"
    "  --subtitle=TEXT    a line below it\n"
    "  --unit=TEXT        what the weights are (default: us when the file is named *.offcpu.*, else samples)\n"
    "  --colors=warm|cold warm for time on a CPU, cold for time off it (default: by the file's name)\n"
    "  --width=PIXELS     200 to 20000 (default 1200)\n"
    "  --min-width=PIXELS leave out boxes narrower than this, 0 to 100 (default 0.1)\n"
    "  --help, --version\n"
    "\n"
    "FOLDED may be - for standard input.\n";

struct args {
    struct flame_style style;
    bool diff, colours;
    const char *file[2];
};

static int number(const char *name, const char *text, double low, double high, double *out, struct err *e)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *end || !(v >= low && v <= high))
        return err_set(e, ERR_USAGE, "--%s takes %g to %g, not '%s'", name, low, high, text);
    *out = v;
    return 0;
}

static int take(struct args *a, int c, const char *given, struct err *e)
{
    double v;

    switch (c) {
    case 'd': a->diff = true; return 0;
    case 't': a->style.title = optarg; return 0;
    case 's': a->style.subtitle = optarg; return 0;
    case 'u': a->style.unit = optarg; return 0;
    case 'w':
        if (number("width", optarg, 200, 20000, &v, e))
            return -1;
        a->style.width = (int)v;
        return 0;
    case 'm':
        if (number("min-width", optarg, 0, 100, &v, e))
            return -1;
        a->style.min_width = v > 0 ? v : 1e-9;
        return 0;
    case 'c':
        a->colours = true;
        a->style.cold = strcmp(optarg, "cold") == 0;
        if (!a->style.cold && strcmp(optarg, "warm") != 0)
            return err_set(e, ERR_USAGE, "--colors takes warm or cold, not '%s'", optarg);
        return 0;
    default:
        return err_set(e, ERR_SYNTAX, "unknown or incomplete option '%s' (see sysbench-flame --help)", given);
    }
}

/* 0, 1: --help or --version was answered, -1 */
static int read_args(struct args *a, int argc, char **argv, struct err *e)
{
    static const struct option names[] = {
        {"diff", no_argument, NULL, 'd'},           {"title", required_argument, NULL, 't'},
        {"subtitle", required_argument, NULL, 's'}, {"unit", required_argument, NULL, 'u'},
        {"width", required_argument, NULL, 'w'},    {"min-width", required_argument, NULL, 'm'},
        {"colors", required_argument, NULL, 'c'},   {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},        {0}};
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (c == 'h')
            fputs(usage, stdout);
        else if (c == 'v')
            printf("sysbench-flame %s\n", PACKAGE_VERSION);
        if (c == 'h' || c == 'v')
            return 1;
        if (take(a, c, argv[optind - 1], e))
            return -1;
    }
    if (argc - optind != (a->diff ? 2 : 1))
        return err_set(e, ERR_SYNTAX, a->diff ? "--diff takes two files, BEFORE and AFTER (see sysbench-flame --help)"
                                              : "takes one file of folded stacks (see sysbench-flame --help)");
    a->file[0] = argv[optind];
    a->file[1] = a->diff ? argv[optind + 1] : NULL;
    return 0;
}

static void guess(struct args *a)
{
    const char *file = a->file[a->diff];
    bool waiting = strstr(file, ".offcpu.") != NULL;

    if (!a->style.unit)
        a->style.unit = waiting ? "us" : "samples";
    if (!a->colours)
        a->style.cold = waiting;
    a->style.diff = a->diff;
}

static int draw(const struct args *a, struct str *out, struct err *e)
{
    struct folded first = {0}, second = {0}, both = {0};
    int rc = folded_read(&first, a->file[0], e);

    if (rc == 0 && a->diff)
        rc = folded_read(&second, a->file[1], e);
    if (rc == 0 && a->diff)
        folded_join(&both, &first, &second);
    if (rc == 0)
        flame_svg(out, a->diff ? &both : &first, &a->style);
    folded_free(&first);
    folded_free(&second);
    folded_free(&both);
    return rc;
}

int main(int argc, char **argv)
{
    struct str out = STR_INIT;
    struct args a = {0};
    struct err e = {0};
    int rc;

    setlocale(LC_ALL, "C");
    rc = read_args(&a, argc, argv, &e);
    if (rc == 0) {
        guess(&a);
        rc = draw(&a, &out, &e);
        if (rc == 0 && (fwrite(out.s, 1, out.len, stdout) != out.len || fflush(stdout)))
            rc = err_sys(&e, errno, "cannot write");
    }
    if (rc < 0)
        fprintf(stderr, "sysbench-flame: %s\n", e.msg);
    str_free(&out);
    return rc < 0 ? 1 : 0;
}
