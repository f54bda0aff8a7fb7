/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_session.h.  The order in which options are read is the order in which errors are
 * reported.
 */
#include "cli/run_session.h"

#include <string.h>

#include "cli/ranks.h"

#include "session/attach.h"
#include "session/run_record.h"
#include "session/console.h"

static struct command_line command_line(const struct app *a)
{
    return (struct command_line){.argc = a->argc,
                                 .argv = a->argv,
                                 .test = a->testname,
                                 .command = a->command,
                                 .opts = a->opts,
                                 .shared_lua_states = a->lua_states > 0};
}

/* Marks and commands. */
static int init_sources(struct session *s, const struct app *a, struct err *e)
{
    s->mark_on = opt_str(a->opts, "mark-on");
    if (*s->mark_on && a->plan.ranks > 1)
        return err_set(e, ERR_USAGE,
                       "--mark-on=%s: marks are for a run on one load host, and this one has %d "
                       "ranks (--cluster)",
                       s->mark_on, a->plan.ranks);
    s->marking = marking_new();
    if (*s->mark_on && marking_check(s->mark_on, e))
        return -1;
    if (ranks_is_member(a))
        return 0;
    return actions_new(&s->actions, a->opts, &a->plan, marking_list(s->marking), e);
}

static int init_files(struct run_session *r, const struct app *a, struct err *e)
{
    bool intervals = a->plan.report_interval > 0, checkpoints = a->plan.checkpoints > 0;

    r->raw.spec = (struct raw_log_spec){.clients = a->plan.clients,
                                        .share = plan_shares(&a->plan),
                                        .clock = a->plan.clock,
                                        .has_rate = a->plan.rate > 0};
    if (ranks_is_member(a))
        return raw_file_init(&r->raw, a->opts, a->plan.rank, e);
    if (run_record_labels(&r->session.record, a->opts, e) ||
        result_files_init(&r->files, a->opts, intervals, checkpoints, e) ||
        result_files_check_steps(&r->files, plan_finds(&a->plan), e) ||
        raw_file_init(&r->raw, a->opts, 0, e))
        return -1;
    r->endpoint.marks = marking_list(r->session.marking);
    return metrics_endpoint_init(&r->endpoint, a->opts, intervals || checkpoints, e);
}

static int init_profile(struct run_session *r, const struct app *a, struct err *e)
{
    struct run_profile_spec spec = {.opts = a->opts,
                                    .server = &a->server,
                                    .test = a->testname,
                                    .is_script = a->script != NULL,
                                    .time_limit = a->plan.time_limit,
                                    .warmup = a->plan.warmup,
                                    .warmup_ends_early = a->plan.warmup_steady_pct > 0};

    return run_profile_init(&r->profile, &spec, e);
}

static void init_console(struct run_session *r, const struct app *a)
{
    struct console *c = &r->console;

    r->hooks = (struct hooks){.script = ranks_is_member(a) ? NULL : a->script,
                              .seeder = &r->app->seeder,
                              .intervals = a->plan.report_interval > 0,
                              .checkpoints = a->plan.checkpoints > 0};
    c->hooked_interval = hooks_has(&r->hooks, SCRIPT_HOOK_INTERMEDIATE);
    c->hooked_cumulative = hooks_has(&r->hooks, SCRIPT_HOOK_CUMULATIVE);
    if (a->plan.report_interval && !c->hooked_interval && console_wants_table(a->opts))
        c->table = text_table_new(screen_ask, NULL);
    if (a->plan.batch_delay)
        c->batch = batch_new();
    if (a->server.environment)
        c->environment = &r->session.environment;
}

/* With --server=host the other servers are of no interest. */
static void note_connection(void *arg, int fd, int server)
{
    struct run_session *r = arg;
    const struct app *a = r->app;

    if (a->sql.watched < 0 || server == sql_servers_at(&a->servers, (uint64_t)a->sql.watched))
        discover_note_fd(r->session.attach.discover, fd);
}

/* Descriptors of the clients that will connect, and of the files that their scripts will read. */
static size_t descriptors_to_come(const struct app *a)
{
    enum { FILES = 64 };

    return (size_t)a->plan.clients + a->sql.idle_connections + FILES;
}

/* A search that needs the server's CPU, where it is known beforehand that nobody will read it. */
static int check_search(const struct session *s, const struct app *a, struct err *e)
{
    if (strcmp(s->attach.option, "off") == 0)
        return plan_find_without_server(&a->plan, "--server=off", e);
    if (strcmp(s->attach.option, "auto") == 0 && !a->script)
        return plan_find_without_server(&a->plan, "the test uses no database", e);
    return 0;
}

/* The server and its telemetry; of several ranks, the leader's. */
static int init_server(struct run_session *r, const struct app *a, struct err *e)
{
    struct session *s = &r->session;

    if (ranks_is_member(a))
        return 0;
    if (a->server.status && a->script)
        s->status = server_status_new(a->sql.driver);
    if (run_remote_open(&s->remote, &a->server, e) ||
        run_probe_new(&s->probe, &a->server, s->status ? server_status_source(s->status) : NULL,
                      s->remote, descriptors_to_come(a), e) ||
        attach_open(&s->attach, a->opts, s->probe, s->remote, descriptors_to_come(a), e))
        return -1;
    if (s->attach.discover && a->script)
        script_on_connect(a->script, note_connection, r);
    return 0;
}

static void add_observers(struct run_session *r)
{
    struct observers *o = &r->session.run.list;

    observers_add(o, &session_observer, &r->session);
    if (ranks_is_member(r->app)) {
        observers_add(o, &hooks_observer, &r->hooks); /* it draws from the seeder */
        observers_add(o, &raw_file_observer, &r->raw);
        return;
    }
    observers_add(o, &run_profile_observer,
                  &r->profile); /* the observers after it use its record */
    observers_add(o, &console_head, &r->console);
    observers_add(o, &hooks_observer, &r->hooks);
    observers_add(o, &console_body, &r->console);
    observers_add(o, &console_tail, &r->console);
    observers_add(o, &result_files_observer, &r->files);
    observers_add(o, &metrics_endpoint_observer, &r->endpoint);
    observers_add(o, &raw_file_observer, &r->raw);
}

/* Connects the parts that borrow from each other. */
static void connect_parts(struct run_session *r, const struct workload *w)
{
    struct session *s = &r->session;
    struct plan *p = &r->app->plan;

    r->render = (struct render){.workload = w,
                                .info = &s->record.info,
                                .result = s->result,
                                .generation = p->generation->id,
                                .histogram = r->app->report.histogram,
                                .debug = r->app->report.debug,
                                .header = render_plan_header(p, &r->app->report)};
    r->console.render = &r->render;
    r->files.info = r->endpoint.info = &s->record.info;
    r->raw.spec.marks = marking_list(s->marking);
    r->raw.result = s->result;
    r->profile.attach = &s->attach;
    s->record.info.arg = &r->render;
    s->record.info.header = render_file_header;
    s->record.info.text = render_file_report;
    s->record.info.profile = &r->profile.record;
    p->keep_histograms = r->files.files || r->endpoint.http || r->console.table ||
                         r->console.batch || p->ranks > 1 || (p->hosts && p->asks_more);
    p->rate_changes |= *s->mark_on != 0;
}

/* No two of the files that the run will write may be the same. */
static int check_outputs(const struct run_session *r, struct err *e)
{
    const char *mark_on = r->session.mark_on;
    struct outs outs = {0};
    int rc = result_files_claim(&r->files, &outs, e);

    if (rc == 0)
        rc = outs_add(&outs, "raw-log", r->raw.spec.path, e);
    if (rc == 0)
        rc = run_profile_claim(&r->profile, &outs, e);
    if (rc == 0 && !marking_is_signal(mark_on))
        rc = outs_add(&outs, "mark-on", mark_on, e);
    outs_free(&outs);
    return rc;
}

static int init(struct run_session *r, const struct app *a, struct err *e)
{
    struct session *s = &r->session;

    s->driver = a->script ? a->sql.driver : NULL;
    s->host_name = a->plan.host_name;
    s->hosts = a->plan.hosts;
    s->has_rate = a->plan.rate > 0;
    s->attach.option =
        attach_option(&a->server, a->server.environment || run_profile_wanted(a->opts),
                      plan_finds(&a->plan) || (a->plan.tx_rate_given && s->has_rate &&
                                               !a->plan.stock_rate && !a->plan.plain_rate));
    if (check_search(s, a, e) || init_sources(s, a, e) || init_files(r, a, e) ||
        (!ranks_is_member(a) && init_profile(r, a, e)) || check_outputs(r, e))
        return -1;
    init_console(r, a);
    if (opt_bool(a->opts, "report-statements"))
        r->stmt_stats = stmt_stats_new_for((size_t)a->plan.clients, (size_t)a->plan.workers);
    if (a->script)
        script_marks(a->script, marking_list(s->marking));
    return init_server(r, a, e);
}

int run_session_init(struct run_session *r, struct app *a, struct workload *w,
                     const struct run_result *result, struct err *e)
{
    memset(r, 0, sizeof *r);
    r->app = a;
    r->session.result = result;
    if (init(r, a, e)) {
        run_session_free(r);
        return -1;
    }
    connect_parts(r, w);
    add_observers(r);
    r->session.run.probe = r->session.probe;
    r->session.run.marks = marking_list(r->session.marking);
    r->session.run.stmt_stats = r->stmt_stats;
    return 0;
}

/* Options of the test are known from now on. */
int run_session_open(struct run_session *r, struct err *e)
{
    struct command_line line = command_line(r->app);
    struct session *s = &r->session;
    bool files = r->files.files || r->endpoint.http;

    s->record_environment = r->console.environment || result_files_want_environment(&r->files);
    if (files || s->record_environment)
        run_environment_begin(&s->environment, &line);
    if (files)
        run_record_fill(&s->record, &line, &r->app->plan, &s->environment);
    if (session_open(s, e))
        return -1;
    s->run.raw_log = r->raw.log;
    return 0;
}

void run_session_free(struct run_session *r)
{
    struct script *script = r->app->script;

    if (script) { /* it may still run finalizers */
        script_marks(script, NULL);
        script_on_connect(script, NULL, NULL);
    }
    result_files_free(&r->files);
    metrics_endpoint_free(&r->endpoint);
    raw_file_free(&r->raw);
    run_profile_free(&r->profile);
    stmt_stats_free(r->stmt_stats);
    console_free(&r->console);
    session_free(&r->session);
}
