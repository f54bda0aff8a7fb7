/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory for text that must not outlive its use: a password.  Core files leave it out
 * (MADV_DONTDUMP), and it is overwritten when it is freed.  Each text has pages of its own, so this
 * is for a few of them.  Any thread may call.
 */
#ifndef SB_BASE_HIDDEN_H
#define SB_BASE_HIDDEN_H

char *hidden_dup(const char *text);
void hidden_free(char *text); /* NULL is allowed */

#endif
