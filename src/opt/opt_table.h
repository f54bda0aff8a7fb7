/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/opt: the rows of the option table.
 */
#ifndef SB_OPT_OPT_TABLE_H
#define SB_OPT_OPT_TABLE_H

#include "base/str.h"
#include "opt/opt.h"

enum opt_verdict { OPT_GOOD, OPT_EMPTY, OPT_UNREADABLE, OPT_OUT_OF_RANGE, OPT_NO_CHOICE };

struct opt {
    char *name;  /* underscores */
    char *shown; /* as declared */
    char *title; /* how messages call it: "threads", "tx-find=step" */
    enum opt_type type;
    enum opt_group group;
    unsigned flags;
    char *def, *help, *choices, *now;
    double min, max;
    bool given;  /* by the user */
    char *value; /* as typed; NULL: unset */
    /* what a script sees that declared a general option's name: its type, its default, and the
     * user's value where that fits; NULL: none did */
    struct opt *scripts;
    enum opt_verdict bad;
    int64_t ival; /* BOOL, INT, SIZE */
    double dval;  /* DOUBLE, and the numbers above for range checks */
    char **list;
    size_t nlist;
    _Atomic bool noted; /* opt_note() */
    bool moved; /* its value has gone to `now`, or stderr has said where it belongs (opt_old.c) */
    const char *of, *mark; /* of a part (opt_row); NULL: an option */
    bool within;           /* it was given in that value, not by its old name */
    char *typed;           /* the whole of a value that was split into parts; NULL: it was not */
};

/* An argument that could not be placed yet. */
struct opt_aside {
    char *arg;   /* as typed: "--name=value" */
    char *where; /* "FILE:LINE" when it came from a file, else NULL */
};

struct opts {
    struct opt **row;
    size_t n;
    /* rows of the program whose names are the script's (opts_add); the readers still see them */
    struct opt **yielded;
    size_t nyielded;
    bool taken; /* opts_taken() */
    bool notes; /* opts_note_reads() */
    struct opt_aside *aside;
    size_t naside;
    struct opt_aside *bare; /* lines of config files without '='; first word */
    size_t nbare;
    struct opt_rules rules;
    char *whose; /* the rules; NULL: stock's */
    int depth;   /* config files that are being read, each named by its predecessor */
};

/* An argument for opts_finish(), and where it stands; NULL: on the command line. */
void opts_keep_aside(struct opts *o, const char *arg, const char *where);
struct opt *opts_find(const struct opts *o, const char *name);
/* Whether `r` is a part of the option's value. */
bool opt_is_part(const struct opt *r, const struct opt *whole);
/* A row that waited for a script which does not declare such an option is the program's again. */
void opts_give_back(struct opts *o, const char *name);
/* `names` are separated by blanks. */
bool opt_is_among(const struct opt *r, const char *names);
void opt_assign(struct opt *r, const char *text, bool given);
void opt_read_value(struct opt *r);
/* The first part of the value that is none of the choices, and its length in *n; NULL: there is
 * none. */
const char *opt_not_a_choice(const struct opt *r, size_t *n);
int opt_complain_choice(const struct opt *r, struct err *e); /* -1 */
int opt_complain_number(const struct opt *r, struct err *e); /* -1: INT, SIZE, DOUBLE */
/* The description of a row with its list of values; the caller frees it.  NULL: it has none. */
char *opt_help_text(const struct opt_row *row);
dur_ns opt_unit(unsigned flags); /* of OPT_TIME: what a number without a unit counts */
/* Adds a value to a row with OPT_ADDS. */
void opt_append(struct opt *r, const char *text);
/* Adds an element to its list. */
void opt_list_add(struct opt *r, const char *text, size_t n);
/* opt_old.c: what the old generations' rules make of a value; in `buf`, or as it was. */
const char *opt_old_flag(const struct opts *o, const struct opt *r, const char *value);
const char *opt_old_number(const struct opts *o, const struct opt *r, const char *value,
                           struct str *buf);
/* Notes on stderr that `r`, which was given by its old name, belongs into another value. */
void opt_tell_whole(const struct opt *r);
/* Assigns the parts in a value of `r` and returns what is left of it, to be freed.  NULL: the value
 * consists of parts only. */
char *opt_take_parts(struct opts *o, struct opt *r, const char *value);
/* Today's name of an option of the old oltp test ("oltp-table-size"); NULL: it has none here. */
const struct opt *opt_old_name(const struct opts *o, const char *name);
bool opt_is_mode(const struct opt *r, const char *value); /* one of the choices of a BOOL */
bool opt_is_more(const struct opt *r, const char *value); /* "+..." of a BOOL that may have more */

#endif
