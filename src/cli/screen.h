/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output as a screen: is it a terminal, how wide is it, may it be coloured.
 */
#ifndef SB_CLI_SCREEN_H
#define SB_CLI_SCREEN_H

#include <stdbool.h>

#include "report/text_table.h"

bool screen_is_terminal(void);

/*
 * As it is now.  The width is that of the terminal; where there is none, or it does not say,
 * COLUMNS of the environment; else 80.  Colours on a terminal only, and not with NO_COLOR or
 * TERM=dumb.  `arg` is not used.
 */
struct text_screen screen_ask(void *arg);

#endif
