/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench-flame: draws folded stacks as a flame graph, or the difference of two files.  See
 * docs/sysbench-flame.1.  The picture goes to stdout, if all of the input could be read.
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
    "  --diff             draw red where AFTER has more than BEFORE, blue where it has less\n"
    "  --absolute         compare times and samples (default if both windows have the same length)\n"
    "  --relative         compare shares of the total (default otherwise)\n"
    "  --idle=REGEX       treat matching stacks as idle: grey, and excluded from the comparison;\n"
    "                     empty: none (default for *.offcpu.*: the rules of --list-idle; else none)\n"
    "  --hide-idle        omit idle stacks from the picture\n"
    "  --hide-kernel      omit the frames of the kernel from all stacks\n"
    "  --list-idle        print the default rules\n"
    "  --filter=REGEX     draw only the stacks that match (frames joined by ';', POSIX extended)\n"
    "  --grep=REGEX       the same, as grep between folding and drawing does it\n"
    "  --exclude=REGEX    draw only the stacks that do not match\n"
    "  --title=TEXT       title of the picture\n"
    "  --subtitle=TEXT    line below the title\n"
    "  --unit=TEXT        unit of the weights (default: what the file states, else us for files\n"
    "                     named *.offcpu.*, otherwise samples)\n"
    "  --colors=warm|cold warm for time on a CPU, cold for time off it (default: by the file's name)\n"
    "  --width=PIXELS     width of the picture, 200 to 20000 (default 1200)\n"
    "  --min-width=PIXELS omit boxes narrower than this, 0 to 100 (default 0.1)\n"
    "  --help, --version  print this help, or the version\n"
    "\n"
    "FOLDED can be - for standard input.\n";

#define ALIKE 0.05 /* windows that differ by less count as equal */

struct args {
    struct flame_style style;
    bool diff, colours, waiting, absolute, relative, hide_idle, hide_kernel;
    const char *idle, *filter, *exclude; /* NULL: not given */
    const char *filter_name;             /* as it was given */
    struct str note;
    const char *file[2];
};

static int number(const char *name, const char *text, double low, double high, double *out,
                  struct err *e)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *end || !(v >= low && v <= high))
        return err_set(e, ERR_USAGE, "--%s takes %g to %g, not '%s'", name, low, high, text);
    *out = v;
    return 0;
}

static int take_option(struct args *a, int c, const char *given, struct err *e)
{
    double v;

    switch (c) {
    case 'd': a->diff = true; return 0;
    case 'a': a->absolute = true; return 0;
    case 'r': a->relative = true; return 0;
    case 'i': a->idle = optarg; return 0;
    case 'I': a->hide_idle = true; return 0;
    case 'k': a->hide_kernel = true; return 0;
    case 'f':
    case 'g':
        a->filter = optarg;
        a->filter_name = c == 'g' ? "--grep" : "--filter";
        return 0;
    case 'x': a->exclude = optarg; return 0;
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
        return err_set(e, ERR_SYNTAX,
                       "unknown or incomplete option '%s' (see sysbench-flame --help)", given);
    }
}

static bool print_information(int c)
{
    struct str rules = STR_INIT;

    if (c == 'l')
        idle_list(&rules);
    fputs(c == 'h' ? usage : str_cstr(&rules), stdout);
    if (c == 'v')
        printf("sysbench-flame %s\n", PACKAGE_VERSION);
    str_free(&rules);
    return c == 'h' || c == 'v' || c == 'l';
}

static int check_args(const struct args *a, struct err *e)
{
    const char *which = a->absolute ? "absolute" : "relative";

    if (a->absolute && a->relative)
        return err_set(e, ERR_SYNTAX, "--absolute and --relative cannot be combined");
    if ((a->absolute || a->relative) && !a->diff)
        return err_set(e, ERR_SYNTAX, "--%s needs --diff", which);
    return 0;
}

/* 0, 1: --help, --list-idle or --version was answered, -1 */
static int read_args(struct args *a, int argc, char **argv, struct err *e)
{
    static const struct option names[] = {{"absolute", no_argument, NULL, 'a'},
                                          {"relative", no_argument, NULL, 'r'},
                                          {"idle", required_argument, NULL, 'i'},
                                          {"hide-idle", no_argument, NULL, 'I'},
                                          {"list-idle", no_argument, NULL, 'l'},
                                          {"filter", required_argument, NULL, 'f'},
                                          {"grep", required_argument, NULL, 'g'},
                                          {"exclude", required_argument, NULL, 'x'},
                                          {"diff", no_argument, NULL, 'd'},
                                          {"title", required_argument, NULL, 't'},
                                          {"subtitle", required_argument, NULL, 's'},
                                          {"unit", required_argument, NULL, 'u'},
                                          {"width", required_argument, NULL, 'w'},
                                          {"min-width", required_argument, NULL, 'm'},
                                          {"colors", required_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {"hide-kernel", no_argument, NULL, 'k'},
                                          {0}};
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (print_information(c))
            return 1;
        if (take_option(a, c, argv[optind - 1], e))
            return -1;
    }
    if (argc - optind != (a->diff ? 2 : 1))
        return err_set(e, ERR_SYNTAX,
                       a->diff
                           ? "--diff takes two files, BEFORE and AFTER (see sysbench-flame --help)"
                           : "takes one file of folded stacks (see sysbench-flame --help)");
    a->file[0] = argv[optind];
    a->file[1] = a->diff ? argv[optind + 1] : NULL;
    return check_args(a, e);
}

/* Compares weights if the two files have equal windows, else shares. */
static void choose_scale(struct args *a, double before_s, double after_s)
{
    bool known = before_s > 0 && after_s > 0;
    bool alike = known && before_s < (1 + ALIKE) * after_s && after_s < (1 + ALIKE) * before_s;

    a->style.absolute = a->absolute || (!a->relative && alike);
    if (!a->style.absolute || !known || alike)
        return;
    a->style.scale = after_s / before_s;
    str_printf(&a->note, "before is scaled from %.3f s to the %.3f s of after", before_s, after_s);
}

static int select_stacks(struct args *a, struct folded *f, struct err *e)
{
    if (a->filter && match_filter(f, a->filter, true, e))
        return err_add(e, "%s", a->filter_name);
    if (a->exclude && match_filter(f, a->exclude, false, e))
        return err_add(e, "--exclude");
    if ((a->waiting || a->idle) && idle_mark(f, a->idle, e))
        return err_add(e, "--idle");
    if (a->hide_idle)
        folded_drop_idle(f);
    if (a->hide_kernel)
        folded_drop_kernel(f);
    return 0;
}

static void say_selection(struct args *a)
{
    struct str *s = &a->note;

    if (a->filter)
        str_printf(s, "%sonly stacks that match %s", s->len ? "; " : "", a->filter);
    if (a->exclude)
        str_printf(s, "%sno stacks that match %s", s->len ? "; " : "", a->exclude);
    if (a->hide_idle)
        str_printf(s, "%sidle waits are not drawn", s->len ? "; " : "");
    if (a->hide_kernel)
        str_printf(s, "%swithout frames of the kernel", s->len ? "; " : "");
    a->style.note = s->len ? s->s : NULL;
}

static int check_units(const struct args *a, const struct folded *before,
                       const struct folded *after, struct err *e)
{
    if (!before->unit || !after->unit || strcmp(before->unit, after->unit) == 0)
        return 0;
    return err_set(e, ERR_USAGE, "'%s' holds %s and '%s' holds %s: they cannot be compared",
                   a->file[0], before->unit, a->file[1], after->unit);
}

static int read_input(struct args *a, struct folded *f, struct err *e)
{
    struct folded before = {0}, after = {0};
    int rc;

    if (!a->diff)
        return folded_read(f, a->file[0], e);
    rc = folded_read(&before, a->file[0], e) || folded_read(&after, a->file[1], e) ||
                 check_units(a, &before, &after, e)
             ? -1
             : 0;
    if (rc == 0) {
        folded_join(f, &before, &after);
        choose_scale(a, before.window_s, after.window_s);
    }
    folded_free(&before);
    folded_free(&after);
    return rc;
}

static int draw(struct args *a, struct str *out, struct err *e)
{
    struct folded f = {0};
    int rc = read_input(a, &f, e);

    if (!a->style.unit)
        a->style.unit = f.unit ? f.unit : a->waiting ? "us" : "samples";
    if (rc == 0)
        rc = select_stacks(a, &f, e);
    if (rc == 0) {
        say_selection(a);
        flame_svg(out, &f, &a->style);
    }
    folded_free(&f);
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
        a.waiting = strstr(a.file[a.diff], ".offcpu.") != NULL;
        if (!a.colours)
            a.style.cold = a.waiting;
        a.style.diff = a.diff;
        rc = draw(&a, &out, &e);
        if (rc == 0 && (fwrite(out.s, 1, out.len, stdout) != out.len || fflush(stdout)))
            rc = err_sys(&e, errno, "cannot write");
    }
    if (rc < 0)
        fprintf(stderr, "sysbench-flame: %s\n", e.msg);
    str_free(&out);
    str_free(&a.note);
    return rc < 0 ? 1 : 0;
}
