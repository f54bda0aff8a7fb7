/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command `sysbench`: build the app, run the command, return its status.
 */
#include "cli/app.h"

int main(int argc, char **argv)
{
    return app_main(argc, argv);
}
