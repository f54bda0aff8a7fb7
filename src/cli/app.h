/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The app: one command line from argv to exit status.  The only floor that knows all others; only
 * app.c decides the exit status (exit_status).
 */
#ifndef SB_CLI_APP_H
#define SB_CLI_APP_H

int app_main(int argc, char **argv);

#endif
