/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Typed options: rows declared by the module that owns them, one table per process, values as text
 * with typed readers.  The rules of the command line are stock's (docs/differences.md lists what
 * differs): only --name=value, '-' and '_' are the same in names, a bare BOOL means on, the last
 * one wins.
 *
 * Life: rows of the general groups are added, the command line is parsed (unknown options are kept
 * aside), the workload adds its own rows, opts_finish() applies what was kept and refuses names
 * that are still unknown.  After that the table is constant and any thread may read it.
 *
 * opts_check() reports a value that cannot be read: --help and --version work nevertheless, every
 * other command ends with one sentence naming option and value.
 */
#ifndef SB_OPT_OPT_H
#define SB_OPT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

/* Numbers are script ABI: sysbench.cmdline.ARG_BOOL = 1 ... ARG_FILE = 7 */
enum opt_type {
    OPT_NULL,
    OPT_BOOL,
    OPT_INT,
    OPT_SIZE,
    OPT_DOUBLE,
    OPT_STRING,
    OPT_LIST,
    OPT_FILE,
};

enum opt_group {
    OPT_GROUP_GENERAL,
    OPT_GROUP_CLIENTS,
    OPT_GROUP_RATE,
    OPT_GROUP_SERVER,
    OPT_GROUP_CLUSTER,
    OPT_GROUP_RANDOM,
    OPT_GROUP_LOG,
    OPT_GROUP_LOG_LATENCY,
    OPT_GROUP_DB,
    OPT_GROUP_MYSQL, /* from here to TEST: one group for each driver that has options of its own */
    OPT_GROUP_PGSQL,
    OPT_GROUP_TEST, /* what the workload declared */
    OPT_GROUP_MAX,
    OPT_GROUP_NONE = OPT_GROUP_GENERAL /* of a driver without options of its own */
};

enum {
    OPT_HIDDEN = 1 << 0,       /* accepted, not listed by --help */
    OPT_SHOWN_AS_INT = 1 << 1, /* a SIZE or LIST that --help has always shown as =N */
    /* a LIST that was one number once: scripts see the first of it, as a number */
    OPT_FIRST_NUMBER = 1 << 2,
    OPT_ADDS = 1 << 3, /* a LIST: given again it adds to what was given before; --name= empties it.
                          A STRING: each value is one element of its list, commas and all */
    /* STRING, LIST, FILE: --name= means something; without this it is refused */
    OPT_MAY_BE_EMPTY = 1 << 4,
    /* other values than the choices are fine (a number, a path); a BOOL: "+..." is on and more */
    OPT_OPEN = 1 << 5,
    /* the reader of the value checks the choices, and complains in stock's words */
    OPT_CHECKED_LATER = 1 << 6,
    /* INT, DOUBLE: 10k, 1M and 2G are decimal thousands, millions and billions */
    OPT_COUNT = 1 << 7,
    /* INT, DOUBLE: a time, of which a number without a unit is in seconds, milliseconds or
     * microseconds.  It may have a fraction: opt_time() has all of it, opt_double() in that unit,
     * opt_int() without the fraction */
    OPT_SECONDS = 1 << 8,
    OPT_MILLIS = 1 << 18,
    OPT_MICROS = 1 << 19,
    OPT_TIME = OPT_SECONDS | OPT_MILLIS | OPT_MICROS,
    OPT_OWN = 1 << 9, /* an option that stock sysbench does not have, neither 1.0 nor 1.1.  Rows of
                         the groups CLIENTS, RATE, SERVER and CLUSTER have it implicitly */
    /* a SIZE that cannot be read is 0; its reader refuses 0 in stock's words */
    OPT_LENIENT = 1 << 10,
    OPT_SECRET = 1 << 11, /* a password, by its name: reports and the process list show *** */
    OPT_SECRET_WITHIN = 1 << 12, /* a connection string: the same for a password in it */
    /* a shell command: the same in reports; the process list shows *** for all of it, because no
     * rule finds every program's passwords */
    OPT_COMMAND = 1 << 20,
    OPT_ANY_CASE = 1 << 13, /* the choices may be written in capital or small letters */
    OPT_OLD = 1 << 14,      /* of 0.4 or 0.5 only: accepted, listed by opts_list_old() */
    /* a DOUBLE that may be something longer, told by one of ":,(@" or a range such as 50-20: 0 to
     * opt_double(), and its reader takes the text.  An INT that may be a list "1,2": the first of
     * it to opt_int(), and its reader takes the text */
    OPT_OR_TEXT = 1 << 16,
    /* of several load hosts each may have its own value: how it reaches the server, how it carries
     * its clients, and where its output goes */
    OPT_PER_RANK = 1 << 17,
    OPT_TAKEN = 1 << 15, /* nobody declared it: opts_finish() took it from the user */
};

struct opt_row {
    const char *name; /* as shown by help: dashes or underscores */
    enum opt_type type;
    const char *def; /* default as text; NULL: none */
    /* "{}" becomes "{a, b}", "{,}" "{a,b}", of the choices; without, they are added, unless
     * OPT_OPEN */
    const char *help;
    unsigned flags;  /* OPT_* */
    double min, max; /* INT, SIZE, DOUBLE: allowed range when min < max */
    /* "a|b|c", NULL: anything.  STRING: the allowed values, or with OPT_OPEN those that are words;
     * LIST: of each element; case-sensitive.  BOOL: modes beside on and off, in any case, '-' and
     * '_' alike; the first of them is off, the others are on.  Error messages, suggestions, help
     * lines and completion use them. */
    const char *choices;
    /* OPT_OLD: today's name, if there is an option of that name, or will be when the workload has
     * added its own (opts_apply_old) */
    const char *now;
    /* A part of the value of option `of`, and what stands before it there: "step=" behind a comma;
     * "*" behind the name of a trace; "system:" at the beginning; a word behind a comma.  NULL: an
     * option. */
    const char *of, *mark;
};

/* The members that every row has; `t` without its OPT_. */
#define OPT_ROW(n, t, d, f, h) .name = (n), .type = OPT_##t, .def = (d), .flags = (f), .help = (h)

/* What opts_finish() does with a name that nobody declared. */
enum opt_unknown {
    OPT_UNKNOWN_OF_SCRIPT, /* a script that declares no options gets it, others refuse it */
    OPT_UNKNOWN_OLD,       /* the same, in the words of 0.4 */
    OPT_UNKNOWN_REFUSED,   /* by all */
    OPT_UNKNOWN_TAKEN      /* by all */
};

/* How the command line is read.  All zero: stock 1.0's rules. */
struct opt_rules {
    /* Only --name and --name=on switch a BOOL on; any other word means off.  A word that looks like
     * "on" is reported on stderr. */
    bool only_on;
    /* An INT is read up to the first character that is no digit; stderr says so. */
    bool leading_digits;
    enum opt_unknown unknown;
};

struct opts *opts_new(void);
void opts_free(struct opts *o);

/* The rules for all arguments from now on, and the program whose rules they are: "sysbench
 * 0.4.12". */
void opts_set_rules(struct opts *o, const struct opt_rules *rules, const char *whose);

/* Copies the rows.  A name that exists already keeps its row: a script's option with the name of a
 * general one shares the value that the user gives, and shows it in the script's type; without one,
 * only the script sees the script's default.  1.0 has none of the names of OPT_OLD and OPT_OWN
 * rows, so a script's own takes the place, and what the user gave: the readers below find the
 * program's default from then on. */
void opts_add(struct opts *o, enum opt_group g, const struct opt_row *rows, size_t n);

/* True when opts_add() gave the test a name whose value the user gave: what was read of it before
 * is to be read again. */
bool opts_taken(const struct opts *o);

/* After a value could not be read, which may have been meant for an option that the script will
 * declare: all that was given to OPT_OWN rows, and to OPT_OLD ones that could not be read, waits
 * for the script, and opts_finish() gives back what the script does not declare.  False: nothing
 * was given. */
bool opts_wait_for_script(struct opts *o);

/* One argument of the command line, beginning with "--".  An unknown name, or a BOOL that is
 * neither on nor off, is kept aside for opts_finish.  -1: a --config-file that cannot be read. */
int opts_set_arg(struct opts *o, const char *arg, struct err *e);

/* Returns -1 and an error for the first value that could not be read or is out of its row's
 * range. */
int opts_check(const struct opts *o, struct err *e);

/* A --config-file, - for standard input: `name = value[,value...]` lines; blanks around both are
 * dropped, '#' begins a comment, values may be quoted, lines without '=' are sections or noise;
 * opts_finish() refuses those that look like a setting.  Unknown names are kept aside too. */
int opts_read_file(struct opts *o, const char *path, struct err *e);

/* After the workload's rows were added: applies what was kept aside.  What is still unknown:
 * what the rules let the workload take, a script that `declares_none` or another, becomes a STRING
 * row of the test group, else -1 with "invalid option: <as typed>" in *e. */
int opts_finish(struct opts *o, bool declares_none, struct err *e);

/* The i-th argument that waits for opts_finish(), as typed; NULL: there are no more. */
const char *opts_aside_at(const struct opts *o, size_t i);

/* Readers; the name must exist (assert), '-' and '_' are the same. */
bool opt_bool(const struct opts *o, const char *name);
int64_t opt_int(const struct opts *o, const char *name); /* INT and SIZE; unset or empty: 0 */
double opt_double(const struct opts *o, const char *name);
dur_ns opt_time(const struct opts *o, const char *name);            /* of an OPT_TIME row */
const char *opt_str(const struct opts *o, const char *name);        /* "" when unset or empty */
char **opt_list(const struct opts *o, const char *name, size_t *n); /* owned by the table */
bool opt_given(const struct opts *o, const char *name); /* set by the user, not by default */
bool opt_exists(const struct opts *o, const char *name);
/* True when the user gave an OPT_OWN option other than those in `except`: names with dashes,
 * separated by blanks. */
bool opts_own_given(const struct opts *o, const char *except);
/* True when the value (of a LIST: every element) is one of the option's choices, or there are
 * none. */
bool opt_is_choice(const struct opts *o, const char *name);
/* For OPT_CHECKED_LATER: appends " (allowed: a, b, c)" and, where the value is nearly one of them,
 * "; did you mean b?" to a complaint about the value; nothing when it is one of the choices.  For
 * OPT_OPEN: only the suggestion.  Always -1. */
int opt_explain(const struct opts *o, const char *name, struct err *e);
/* True when a script has an option of this name, too: a value that is invalid for ours is meant for
 * the script. */
bool opt_of_script(const struct opts *o, const char *name);
/* Gives each option that has a new name (opt_row.now) and was given the value of the old one, with
 * a warning on stderr unless the rules are those of an old generation.  What was given under the
 * new name stays.  opts_finish() does it again, for the names that the workload declared. */
void opts_apply_old(struct opts *o);
/* Changes the default of an option, and its value unless the user gave one. */
void opts_set_default(struct opts *o, const char *name, const char *def);
/* --help lists the options of 0.4 and 0.5, too. */
void opts_list_old(struct opts *o);
/* Leaves an option out of --help from now on; it is accepted as before. */
void opts_unlist(struct opts *o, const char *name);
int opt_set(struct opts *o, const char *name, const char *value, struct err *e);

/* The bytes of the dashes that an argument begins with: '-', and the en dash and em dash that
 * typesetting makes of one or two of them. */
size_t opt_dashes(const char *arg);
/* True for an argument whose dashes are not just '-' and are followed by a letter; arg +
 * opt_dashes(arg) is what stands behind "--". */
bool opt_is_typeset(const char *arg);

/* Compares modes of a BOOL: in any case, '-' and '_' alike. */
bool opt_same_word(const char *a, const char *b);

/* Walk over all options (for sysbench.opt): index 0.. until NULL; name with underscores. */
struct opt_view {
    const char *name;  /* underscores */
    const char *shown; /* as declared */
    const char *title; /* as messages name it */
    enum opt_type type;
    enum opt_group group;
    unsigned flags;
    const char *value; /* "" when unset */
    double number;     /* INT, SIZE, DOUBLE: the value, "1M" as 1000000; 0 when unset */
    int64_t whole;     /* BOOL, INT, SIZE */
    const char *def;
    const char *choices; /* "a|b|c", NULL: no list of values */
    const char *help;    /* as --help shows it, choices included */
    bool given;
    bool noted; /* opt_note(), by this name or by today's name of it */
};
bool opts_at(const struct opts *o, size_t i, struct opt_view *v);
/* The option of that name; of two (opts_add), the test's. */
bool opts_view(const struct opts *o, const char *name, struct opt_view *v);
/* The value of an OPT_OR_TEXT option that is to be taken as text; its reader may then give the
 * option the number that its text comes to, for those who ask for one (sysbench.opt). */
bool opt_beyond_number(unsigned flags, const char *value);
void opts_set_number(struct opts *o, const char *name, double number);

/* --options-read: what a command looks at is to be noted.  Before the command, main thread. */
void opts_note_reads(struct opts *o);
bool opts_notes_reads(const struct opts *o);
/* Notes that a command has looked at an option; any thread.  Nothing for a name that is no option.
 */
void opt_note(const struct opts *o, const char *name);

/* 1 on, 0 off, -1 neither. */
int opt_bool_word(const char *text);

/* Help text of one group: "  --name=TYPE<pad>help [default]" lines, padded to the longest of the
 * group.  `only`: of the options in this list, " a b c "; NULL: of all, and below each option the
 * parts that its value may have: "    ,step=N". */
void opts_help(const struct opts *o, enum opt_group g, bool sorted, const char *only,
               struct str *out);

#endif
