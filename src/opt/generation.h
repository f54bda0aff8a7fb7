/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The generation of sysbench that the program imitates: --compat=1.0 (the default), 1.1, 0.5, 0.4,
 * 0.4-tx or 0.4-drizzle (docs/legacy.md).  It accepts
 * the options of every generation at once; what cannot be both (report formats, a default, a
 * message) follows the generation.  Report formats are tables indexed by enum report_form, beside
 * what they format (report/text_stock.c); everything else is one row of the table in generation.c.
 * A further generation is a row there, and a form if it prints in its own way, not an `if`.
 *
 * Constant data; any thread may read it.
 */
#ifndef SB_OPT_GENERATION_H
#define SB_OPT_GENERATION_H

#include "base/dist.h"
#include "opt/opt.h"

enum generation {
    GENERATION_1_0,
    GENERATION_1_1,
    GENERATION_0_4,         /* 0.4.12: the tarball of 2009, and the packages made of it */
    GENERATION_0_4_TX,      /* with the patch that brought --tx-rate */
    GENERATION_0_4_DRIZZLE, /* with the driver for Drizzle */
    GENERATION_0_5,         /* the last 0.5 */
    GENERATION_MAX
};

/* How it prints: index of the tables of report formats. */
enum report_form {
    FORM_1_0,
    FORM_1_1,
    FORM_0_4, /* its interval line is that of the later 0.4 branch: 0.4.12 had none */
    FORM_0_5,
    FORM_MAX
};

/* What --tx-rate means. */
enum tx_rate_meaning {
    TX_RATE_EVEN,    /* ours: even arrivals unless --tx-arrival says otherwise */
    TX_RATE_ALIGNED, /* the patch of 2009: aligned arrivals, jitter of a tenth of the period */
    TX_RATE_QUEUE    /* the same as --rate */
};

struct generation_facts {
    enum generation id;
    enum report_form form;
    bool old;                /* any 0.x */
    const char *name;        /* the value of --compat */
    const char *version;     /* the generation's number: sysbench.version, first in --version */
    const char *rand_type;   /* the default of --rand-type */
    const char *init_failed; /* the last message when thread_init() failed */
    /* intervals of a warm-up are reported even without options of our own */
    bool warmup_reports;
    bool any_option;         /* scripts that declare no options accept any option */
    const char *unlisted[8]; /* options that its --help does not list but that are accepted */
    int verbosity;           /* the default of --verbosity */
    int max_requests;        /* old: the default of --max-requests and --events; no time limit */
    bool all_on_stdout;      /* fatal messages too */
    bool commits_are_transactions; /* `transactions` counts COMMIT and UNLOCK TABLES, not events */
    enum tx_rate_meaning arrival;
    bool builtin_oltp;      /* `oltp` is a test of the program, not a script */
    uint64_t event_queue;   /* so many overdue transactions end a run with --rate ... */
    const char *queue_full; /* ... with this message */
    struct opt_rules rules; /* of its command line */
};

/* Declares --compat. */
void generation_options(struct opts *o);

/* The facts of one generation; never NULL. */
const struct generation_facts *generation_facts(enum generation g);

/* The generation that the option table names; the default when the value is empty or no generation
 * (opts_check() reports that). */
const struct generation_facts *generation_of(const struct opts *o);

/* Makes SYSBENCH_COMPAT of the environment the default of --compat.  Call it before
 * generation_of(). */
void generation_environment(struct opts *o);

/* -1 and a sentence when SYSBENCH_COMPAT names no generation and --compat was not given, or either
 * names one by the letters of releases up to 1.2. */
int generation_check(const struct opts *o, struct err *e);

/* Sets the generation's defaults, and what --help lists.  Call it after the command line was read
 * and before values are used. */
void generation_apply(struct opts *o);

/* Appends what stock of that generation calls itself, "sysbench 1.0.20 (using system LuaJIT X)":
 * the first line of every command.  Without a `detail`, "sysbench 1.0.20": --version and
 * sysbench.version_string.  Tools choose a parser by it, so our own name and release stand
 * elsewhere: --version --verbose, --report-environment, result files.  Returns the text. */
const char *generation_banner(const struct generation_facts *f, const char *detail,
                              struct str *out);

/* The options of random numbers (group RANDOM), of which the generation chooses a default, and the
 * distribution that they describe; -1: one sentence. */
void random_options_declare(struct opts *o);
int random_options_read(struct dist_params *d, const struct opts *o, struct err *e);

#endif
