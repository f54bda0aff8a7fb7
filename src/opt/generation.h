/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which sysbench we are: --compat=1.0 (the default) or 1.1.  Options of every generation are
 * accepted at once; what cannot be both (report formats, a default, a message) follows the
 * generation.  All that is no report format is one row of the table in generation.c; formats are
 * tables indexed by enum generation, beside what they format (report/text.c).  A further generation
 * is a row there and a column here, not an `if`.
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
    const char *init_failed; /* the last word when thread_init() failed */
    bool warmup_reports; /* intervals of a warm-up are reported, not only with options of our own */
    bool any_option;     /* scripts that declare no options get whatever they are given */
    const char *unlisted[8]; /* options that its --help does not have; accepted all the same */
};

/* Declares --compat. */
void generation_options(struct opts *o);

/* The facts of one generation; never NULL. */
const struct generation_facts *generation_facts(enum generation g);

/* The generation that the option table asks for; the default where it is emptied, or no generation
 * (opts_check() complains about that). */
const struct generation_facts *generation_of(const struct opts *o);

/* Defaults, and what --help lists, as that generation has them.  After the command line was read,
 * before values are used. */
void generation_apply(struct opts *o);

/* Appends who we are, "sysbench 1.0.20 (sysbench-tx 1.2.0)": --version, the first line of every
 * command (with a `detail` after a comma inside the parentheses) and sysbench.version_string.  The
 * generation comes first because tools choose a parser by the first number after the name.  Returns
 * the text. */
const char *generation_identity(const struct generation_facts *f, const char *detail,
                                struct str *out);

#endif
