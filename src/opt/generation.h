/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The generation of sysbench that the program imitates: --compat=1.0 (the default) or 1.1.  It
 * accepts the options of every generation at once; what cannot be both (report formats, a default,
 * a message) follows the generation.  Report formats are tables indexed by enum generation, beside
 * what they format (report/text.c); everything else is one row of the table in generation.c.  A
 * further generation is a row there and a column here, not an `if`.
 *
 * Constant data; any thread may read it.
 */
#ifndef SB_OPT_GENERATION_H
#define SB_OPT_GENERATION_H

#include "opt/opt.h"

enum generation { GENERATION_1_0, GENERATION_1_1, GENERATION_MAX };

struct generation_facts {
    enum generation id;
    const char *name;        /* the value of --compat */
    const char *version;     /* the generation's number: sysbench.version, first in --version */
    const char *rand_type;   /* the default of --rand-type */
    const char *init_failed; /* the last message when thread_init() failed */
    /* intervals of a warm-up are reported even without options of our own */
    bool warmup_reports;
    bool any_option;         /* scripts that declare no options accept any option */
    const char *unlisted[8]; /* options that its --help does not list but that are accepted */
};

/* Declares --compat. */
void generation_options(struct opts *o);

/* The facts of one generation; never NULL. */
const struct generation_facts *generation_facts(enum generation g);

/* The generation that the option table names; the default when the value is empty or no generation
 * (opts_check() reports that). */
const struct generation_facts *generation_of(const struct opts *o);

/* Sets the generation's defaults, and what --help lists.  Call it after the command line was read
 * and before values are used. */
void generation_apply(struct opts *o);

/* Appends the program's identity, "sysbench 1.0.20 (sysbench-tx 1.2.0)": --version, the first line
 * of every command (with a `detail` after a comma inside the parentheses) and
 * sysbench.version_string.
 *  The generation comes first because tools choose a parser by the first number after the name.
 *  Returns the text. */
const char *generation_identity(const struct generation_facts *f, const char *detail,
                                struct str *out);

#endif
