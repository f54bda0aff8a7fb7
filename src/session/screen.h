/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output as a screen: whether it is a terminal, its width, and whether to use colours.
 */
#ifndef SB_SESSION_SCREEN_H
#define SB_SESSION_SCREEN_H

#include <stdbool.h>

#include "report/text_table.h"

bool screen_is_terminal(void);

/*
 * The present state.  The width is that of the terminal; if there is none, or its width is unknown,
 * COLUMNS of the environment; else 80.  Colours on a terminal only, and not with NO_COLOR or
 * TERM=dumb.  `arg` is not used.
 */
struct text_screen screen_ask(void *arg);

#endif
