/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench-flame: draws folded stacks as a flame graph, or the difference of two files.  See
 * docs/sysbench-flame.1.  The picture goes to stdout, if all of the input could be read.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "profile/flame.h"
#include "profile/folded.h"

#include "config.h"

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
    bool diff, absolute, relative, hide_idle, hide_kernel, list_idle, help, version;
    const char *idle, *filter, *exclude, *colours, *width, *min_width; /* NULL: not given */
    const char *filter_name;                                           /* as it was given */
    struct str note;
    const char *file[2];
};

/* clang-format off */
static const struct {
    const char *name;
    int takes;
    size_t member; /* of struct args: a bool, or a text */
} options[] = {
    {"absolute",    no_argument,       offsetof(struct args, absolute)},
    {"relative",    no_argument,       offsetof(struct args, relative)},
    {"idle",        required_argument, offsetof(struct args, idle)},
    {"hide-idle",   no_argument,       offsetof(struct args, hide_idle)},
    {"list-idle",   no_argument,       offsetof(struct args, list_idle)},
    {"filter",      required_argument, offsetof(struct args, filter)},
    {"grep",        required_argument, offsetof(struct args, filter)},
    {"exclude",     required_argument, offsetof(struct args, exclude)},
    {"diff",        no_argument,       offsetof(struct args, diff)},
    {"title",       required_argument, offsetof(struct args, style.title)},
    {"subtitle",    required_argument, offsetof(struct args, style.subtitle)},
    {"unit",        required_argument, offsetof(struct args, style.unit)},
    {"width",       required_argument, offsetof(struct args, width)},
    {"min-width",   required_argument, offsetof(struct args, min_width)},
    {"colors",      required_argument, offsetof(struct args, colours)},
    {"help",        no_argument,       offsetof(struct args, help)},
    {"version",     no_argument,       offsetof(struct args, version)},
    {"hide-kernel", no_argument,       offsetof(struct args, hide_kernel)},
};
enum { OPTIONS = sizeof options / sizeof *options };
/* clang-format on */

/* text NULL: *out is as it was. */
static int number(const char *name, const char *text, double low, double high, double *out,
                  struct err *e)
{
    char *end;
    double v = text ? strtod(text, &end) : 0;

    if (text && (end == text || *end || !(v >= low && v <= high)))
        return err_set(e, ERR_USAGE, "--%s takes %g to %g, not '%s'", name, low, high, text);
    if (text)
        *out = v;
    return 0;
}

/* 0, 1: --help, --list-idle or --version was answered, -1 */
static int read_args(struct args *a, int argc, char **argv, struct err *e)
{
    struct option names[OPTIONS + 1] = {{0}};
    double width = 0;
    int i;

    for (i = 0; i < OPTIONS; i++)
        names[i] = (struct option){options[i].name, options[i].takes, NULL, i};
    opterr = 0;
    while ((i = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (i == '?')
            return err_set(e, ERR_SYNTAX,
                           "unknown or incomplete option '%s' (see sysbench-flame --help)",
                           argv[optind - 1]);
        if (options[i].takes == required_argument)
            *(const char **)((char *)a + options[i].member) = optarg;
        else
            *(bool *)((char *)a + options[i].member) = true;
        if (options[i].member == offsetof(struct args, filter))
            a->filter_name = options[i].name;
        if (a->help)
            fputs(usage, stdout);
        else if (a->version)
            printf("sysbench-flame %s\n", PACKAGE_VERSION);
        else if (a->list_idle)
            idle_list(stdout);
        if (a->help || a->version || a->list_idle)
            return 1;
    }
    if (number("width", a->width, 200, 20000, &width, e) ||
        number("min-width", a->min_width, 0, 100, &a->style.min_width, e))
        return -1;
    a->style.width = (int)width;
    if (a->min_width && a->style.min_width <= 0)
        a->style.min_width = 1e-9;
    if (a->colours && strcmp(a->colours, "cold") != 0 && strcmp(a->colours, "warm") != 0)
        return err_set(e, ERR_USAGE, "--colors takes warm or cold, not '%s'", a->colours);
    if (argc - optind != (a->diff ? 2 : 1))
        return err_set(e, ERR_SYNTAX,
                       a->diff
                           ? "--diff takes two files, BEFORE and AFTER (see sysbench-flame --help)"
                           : "takes one file of folded stacks (see sysbench-flame --help)");
    a->file[0] = argv[optind];
    a->file[1] = argv[argc - 1];
    if (a->absolute && a->relative)
        return err_set(e, ERR_SYNTAX, "--absolute and --relative cannot be combined");
    if ((a->absolute || a->relative) && !a->diff)
        return err_set(e, ERR_SYNTAX, "--%s needs --diff", a->absolute ? "absolute" : "relative");
    a->style.diff = a->diff;
    a->style.cold = a->colours ? *a->colours == 'c' : strstr(a->file[1], ".offcpu.") != NULL;
    return 0;
}

static void add_note(struct args *a, const char *text, const char *what)
{
    str_printf(&a->note, "%s%s%s", a->note.len ? "; " : "", text, what);
}

static int read_input(struct args *a, struct folded *f, struct err *e)
{
    struct folded before = {0}, after = {0};
    int rc = -1;

    if (!a->diff)
        return folded_read(f, a->file[0], e);
    if (folded_read(&before, a->file[0], e) || folded_read(&after, a->file[1], e))
        goto out;
    if (before.unit && after.unit && strcmp(before.unit, after.unit) != 0) {
        err_set(e, ERR_USAGE, "'%s' holds %s and '%s' holds %s: they cannot be compared",
                a->file[0], before.unit, a->file[1], after.unit);
        goto out;
    }
    folded_join(f, &before, &after);
    /* weights are compared if the two files have equal windows, else shares */
    bool known = before.window_s > 0 && after.window_s > 0;
    bool alike = known && before.window_s < (1 + ALIKE) * after.window_s &&
                 after.window_s < (1 + ALIKE) * before.window_s;
    a->style.absolute = a->absolute || (!a->relative && alike);
    if (a->style.absolute && known && !alike) {
        a->style.scale = after.window_s / before.window_s;
        str_printf(&a->note, "before is scaled from %.3f s to the %.3f s of after", before.window_s,
                   after.window_s);
    }
    rc = 0;
out:
    folded_free(&before);
    folded_free(&after);
    return rc;
}

static int draw(struct args *a, struct folded *f, struct str *out, struct err *e)
{
    bool waiting = strstr(a->file[1], ".offcpu.") != NULL;

    if (read_input(a, f, e))
        return -1;
    if (!a->style.unit)
        a->style.unit = f->unit ? f->unit : waiting ? "us" : "samples";
    if (a->filter && match_filter(f, a->filter, true, e))
        return err_add(e, "--%s", a->filter_name);
    if (a->exclude && match_filter(f, a->exclude, false, e))
        return err_add(e, "--exclude");
    if ((waiting || a->idle) && idle_mark(f, a->idle, e))
        return err_add(e, "--idle");
    if (a->hide_idle)
        folded_drop_idle(f);
    if (a->hide_kernel)
        folded_drop_kernel(f);
    if (a->filter)
        add_note(a, "only stacks that match ", a->filter);
    if (a->exclude)
        add_note(a, "no stacks that match ", a->exclude);
    if (a->hide_idle)
        add_note(a, "idle waits are not drawn", "");
    if (a->hide_kernel)
        add_note(a, "without frames of the kernel", "");
    a->style.note = a->note.len ? a->note.s : NULL;
    flame_svg(out, f, &a->style);
    return 0;
}

int main(int argc, char **argv)
{
    struct str out = STR_INIT;
    struct folded f = {0};
    struct args a = {0};
    struct err e = {0};

    setlocale(LC_ALL, "C");
    int rc = read_args(&a, argc, argv, &e);
    if (rc == 0) {
        rc = draw(&a, &f, &out, &e);
        if (rc == 0 && (fwrite(out.s, 1, out.len, stdout) != out.len || fflush(stdout)))
            rc = err_sys(&e, errno, "cannot write");
    }
    if (rc < 0)
        fprintf(stderr, "sysbench-flame: %s\n", e.msg);
    str_free(&out);
    str_free(&a.note);
    folded_free(&f);
    return rc < 0 ? 1 : 0;
}
