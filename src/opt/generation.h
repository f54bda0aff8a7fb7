/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The generation of sysbench that the program imitates: --compat=1.0 (the default), 1.1, 0.5, 0.4,
 * 0.4-tx or 0.4-drizzle (docs/legacy.md).  It accepts the options of every generation at once; what
 * cannot be both (report formats, a default, a message) follows the generation.  Report formats are
 * tables indexed by enum report_form, beside what they format (report/text_stock.c).  What some
 * generations do and others do not is a row of GENERATION_POLICY, and code asks for that behaviour
 * by its name.  Defaults and words are in generation.c.  A further generation is a column and a
 * row, and a form if it prints in its own way, not an `if`.
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
    TX_RATE_OURS,    /* even arrivals unless --tx-arrival says otherwise */
    TX_RATE_ALIGNED, /* the patch of 2009: aligned arrivals, jitter of a tenth of the period */
    TX_RATE_QUEUE    /* the same as --rate */
};

/* Behaviour, and whether generation 0.4, 0.5, 1.0, 1.1 has it. */
#define GENERATION_POLICY(ROW)                                                                     \
    /* the command line */                                                                         \
    ROW(word_is_command, 1, 1, 0, 0)       /* --test names the test, a word is the command */      \
    ROW(old_names_are_current, 1, 1, 0, 0) /* no warning of --test, --num-threads, fastmmap */     \
    ROW(long_help, 1, 1, 0, 0)             /* --help lists all, and exits with status 1 */         \
    ROW(refuses_on_stdout, 1, 1, 0, 0)     /* before a run begins; the usage may follow */         \
    ROW(one_percentile, 1, 1, 0, 0)        /* a whole number, no list; from all values */          \
    ROW(same_seed, 1, 1, 0, 0)             /* in each run, unless --rand-seed is given */          \
    ROW(limits_requests, 1, 1, 0, 0)       /* a run ends after 10,000, not after 10 seconds */     \
    ROW(batch_reports, 1, 0, 0, 0)         /* --batch and --batch-delay */                         \
    /* what is said */                                                                             \
    ROW(tells_new_lines, 0, 0, 1, 1)   /* of threads that begin, of the limit of events */         \
    ROW(warmup_reports, 0, 0, 1, 0)    /* its intervals, even without options of ours */           \
    ROW(statements_always, 1, 1, 0, 0) /* in reports of scripts without a database, too */         \
    ROW(refusal_is_alert, 1, 1, 0, 0)  /* of a statement, and not FATAL */                         \
    ROW(names_driver, 1, 1, 0, 0)      /* that was not chosen */                                   \
    ROW(suggests_commands, 0, 0, 1, 1) /* our notes of what to do next */                          \
    /* scripts */                                                                                  \
    ROW(builtin_oltp, 1, 0, 0, 0)         /* `oltp` is a test of the program */                    \
    ROW(script_by_bare_name, 0, 1, 0, 0)  /* of its own, without a path */                         \
    ROW(options_are_globals, 1, 1, 0, 0)  /* there before the script, which may change them */     \
    ROW(connects_before_init, 1, 1, 0, 0) /* thread_init() finds a connection */                   \
    ROW(counts_by_word, 1, 1, 0, 0)       /* reads and writes, by a statement's first word */      \
    /* tests of the machine */                                                                     \
    ROW(no_limit_is_no_event, 1, 0, 0, 0) /* cpu, threads: --max-requests=0 */                     \
    ROW(mutex_has_own_limit, 1, 1, 0, 0)  /* whatever --max-requests says */                       \
    ROW(memory_in_ints, 1, 1, 0, 0)       /* and clients share the total size */                   \
    ROW(fsync_between_events, 1, 1, 0, 0) /* fileio: it is no event of its own */

#define GENERATION_MEMBER(name, ...) bool name;

struct generation_facts {
    enum generation id;
    enum report_form form;
    const char *name;        /* the value of --compat */
    const char *version;     /* the generation's number: sysbench.version, first in --version */
    const char *rand_type;   /* the default of --rand-type */
    const char *init_failed; /* the last message when thread_init() failed */
    const char *command_is;  /* "does not ... the 'prepare' command" */
    const char *slogan;      /* ends the banner in place of the libraries; NULL: it has none */
    const char *unlisted[8]; /* options that its --help does not list but that are accepted */
    int verbosity;           /* the default of --verbosity */
    enum tx_rate_meaning tx_rate;
    uint64_t event_queue;   /* so many overdue transactions end a run with --rate ... */
    const char *queue_full; /* ... with this message */
    struct opt_rules rules; /* of its command line */
    GENERATION_POLICY(GENERATION_MEMBER)
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
