/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See options.h.  The order is that of --help within a group.
 */
#include "cli/options.h"

#include "cluster/cluster.h"
#include "session/result_files.h"
#include "session/run_profile.h"
#include "engine/plan.h"
#include "opt/random_options.h"
#include "session/actions.h"
#include "session/attach.h"
#include "sql/sql_options.h"

void options_declare(struct opts *o)
{
    plan_options(o);
    result_options(o);
    actions_options(o);
    server_options_declare(o);
    run_profile_options(o);
    cluster_options(o);
    random_options_declare(o);
    sql_options_declare(o);
}
