/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See app_state.h.
 */
#include "cli/app_state.h"

struct script_env app_script_env(struct app *a)
{
    return (struct script_env){
        .argc = a->argc,
        .argv = a->argv,
        .testname = a->testname,
        .command = a->command,
        .opts = a->opts,
        .threads = plan_all_clients(&a->plan),
        .dist = &a->dist,
        .uniq = &a->uniq,
        .rng = a->rng,
        .seeder = &a->seeder,
        .test_option = a->test_option,
        .builtin_oltp = a->builtin_oltp,
        .generation = a->plan.generation,
        .share = plan_shares(&a->plan),
    };
}

struct builtin_env app_builtin_env(const struct app *a)
{
    return (struct builtin_env){
        .opts = a->opts,
        .generation = a->plan.generation,
        .clients = a->plan.clients,
        .clients_all = plan_all_clients(&a->plan),
        .share = plan_shares(&a->plan),
        .max_events = a->plan.max_events,
        .validate = a->report.validate,
        .debug = a->report.debug,
    };
}
