/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Masks passwords, and recognizes them: an option's by its name, in any other text
 * ("--do=mysql --password=secret") by "password=" or "MYSQL_PWD=" before them, in a URI and behind
 * -p of a client of MariaDB or MySQL and of sshpass, and -u of curl, by their place.  Quotes of a
 * shell stay closed.  The laboratory has the same rules (sysbench_lab/plan/mask.py).  opt/secret.h
 * masks options.  Any thread may call.
 */
#ifndef SB_OPT_MASK_H
#define SB_OPT_MASK_H

#include <stdbool.h>
#include <stddef.h>

/* Shown in place of a password of any length. */
#define SECRET_SHOWN "***"

/* Masks text[0..len) and moves the rest of the text up to it: the length is a secret too. */
void mask_value(char *text, size_t len);
/* Masks all passwords that it recognizes in the text. */
void mask_in_text(char *text);

/* Masks `word`, where it stands in quotes, and what mask_in_text() recognizes: for a library's
 * complaint about a connection string, which may quote the whole of it or the password alone. */
void mask_complaint(char *text, const char *word, size_t len);
/* The password of a URI that may be malformed, or NULL, and its length in *len; NULL: it has none.
 */
const char *mask_find_in_uri(const char *uri, size_t *len);

/* A copy of the text, masked.  The caller frees it. */
char *secret_shown_text(const char *text);

/* The same of an error message, in which text that was typed is followed by the message's own quote
 * and punctuation: those stay. */
char *secret_shown_message(const char *msg);

/* Does an option of this name hold a password?  "..password..", but not "..file". */
bool secret_by_name(const char *option);
/* The same of a name as somebody types it, misspelt or short. */
bool secret_by_typed_name(const char *option);

#endif
