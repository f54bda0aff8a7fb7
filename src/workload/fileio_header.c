/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of fileio as the lines that come before a run, in the words of each generation.
 */
#include "workload/fileio_options.h"

/* How the generations differ. */
struct words {
    void (*size)(double bytes, struct str *out);
    const char *merging;  /* after "Merging requests " */
    const char *requests; /* the limit of random requests */
    char flags;           /* of the open flags: names, decimal or hexadecimal */
};

static const struct words today = {fileio_size_text, "up to ", "Number of IO requests", 'n'};
static const struct words old_0_4 = {fileio_old_size_text, " up to ",
                                     "Number of random requests for random IO", 'd'};
static const struct words old_0_5 = {fileio_old_size_text, " up to ", "Number of IO requests", 'x'};

static const struct words *const words[FORM_MAX] = {
    [FORM_1_0] = &today,        [FORM_1_1] = &today,          [FORM_0_4] = &old_0_4,
    [FORM_0_4_HEAD] = &old_0_4, [FORM_0_4_ORACLE] = &old_0_4, [FORM_0_5_2011] = &old_0_5,
    [FORM_0_5] = &old_0_5,
};

void fileio_flags_text(const struct fileio_options *f, struct str *out)
{
    str_adds(out, "Extra file open flags: ");
    switch (words[f->form]->flags) {
    case 'd': str_printf(out, "%d", f->open_flags); break;
    case 'x': str_printf(out, "%x", (unsigned)f->open_flags); break;
    default: fileio_flag_names(f, out); break;
    }
    str_adds(out, "\n");
}

static void size_text(double bytes, const char *const unit[5], struct str *out)
{
    size_t i = 0;

    for (; bytes >= 1024 && i < 4; i++)
        bytes /= 1024;
    str_printf(out, "%.5g%s", bytes, unit[i]);
}

void fileio_size_text(double bytes, struct str *out)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};

    size_text(bytes, unit, out);
}

void fileio_old_size_text(double bytes, struct str *out)
{
    static const char *const unit[] = {"b", "Kb", "Mb", "Gb", "Tb"};

    size_text(bytes, unit, out);
}

/* Text before, the size, text after. */
static void size_line(const struct fileio_options *f, struct str *out, const char *before,
                      double bytes, const char *after)
{
    str_adds(out, before);
    words[f->form]->size(bytes, out);
    str_adds(out, after);
}

void fileio_header_text(const struct fileio_options *f, struct str *out)
{
    fileio_flags_text(f, out);
    str_printf(out, "%d files, ", f->files);
    size_line(f, out, "", (double)f->file_size, " each\n");
    size_line(f, out, "", (double)f->file_size * f->files, " total file size\n");
    size_line(f, out, "Block size ", (double)f->block, "\n");
    if (f->merged > 0) {
        str_printf(out, "Merging requests %s", words[f->form]->merging);
        size_line(f, out, "", (double)f->block * f->merged, " for sequential IO.\n");
    }
    if (fileio_mode_is_random(f->mode)) {
        str_printf(out, "%s: %llu\n", words[f->form]->requests, (unsigned long long)f->max_events);
        str_printf(out, "Read/Write ratio for combined random IO test: %2.2f\n",
                   (double)f->rw_ratio);
    }
    if (f->fsync_freq > 0)
        str_printf(out, "Periodic FSYNC enabled, calling fsync() each %d requests.\n",
                   f->fsync_freq);
    if (f->fsync_end)
        str_adds(out, "Calling fsync() at the end of test, Enabled.\n");
    if (f->fsync_all)
        str_adds(out, "Calling fsync() after each write operation.\n");
    str_printf(out, "Using %s I/O mode\n", fileio_io_title(f->io));
    if (f->validate)
        str_adds(out, "Using checksums validation.\n");
    str_printf(out, "Doing %s test\n", fileio_mode_title(f->mode));
}
