/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command `run`: builds the surroundings of a run from the command line, which are the session
 * (session/session.h) and the observers that the options require, and runs.  The order in which
 * options are read is the order in which errors are reported.
 */
#include "cli/app.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "engine/run.h"
#include "session/attach.h"
#include "session/console.h"
#include "session/idle_connections.h"
#include "session/result_files.h"
#include "session/run_profile.h"
#include "session/run_record.h"
#include "session/session.h"
#include "session/settle.h"
#include "sql/sql_sessions.h"

struct run_session {
    struct app *app;
    struct session session;
    struct render render;
    /* observers */
    struct run_profile profile;
    struct console console;
    struct hooks hooks;
    struct result_files files;
    struct metrics_endpoint endpoint;
    struct raw_file raw;
    dur_ns settle; /* --settle: at most so long; 0: off */
    struct report_settle *settled;
    struct stmt_stats *stmt_stats; /* NULL: --report-statements is not given */
};

/* Marks, commands, and the files that the run will write: no two of them may be the same. */
static int init_files(struct run_session *r, const struct app *a, struct err *e)
{
    bool intervals = a->plan.report_interval > 0, checkpoints = a->plan.checkpoints > 0;
    bool member = ranks_is_member(a);
    struct session *s = &r->session;
    struct outs outs = {0};

    s->mark_on = opt_str(a->opts, "mark-on");
    if (*s->mark_on && a->plan.ranks > 1)
        return err_set(e, ERR_USAGE,
                       "--mark-on=%s: marks are for a run on one load host, and this one has %d "
                       "ranks (--cluster)",
                       s->mark_on, a->plan.ranks);
    s->marking = marking_new();
    if (*s->mark_on && marking_check(s->mark_on, e))
        return -1;
    if (!member && actions_new(&s->actions, a->opts, &a->plan, marking_list(s->marking), e))
        return -1;
    r->raw.spec = (struct raw_log_spec){.clients = a->plan.clients,
                                        .share = plan_shares(&a->plan),
                                        .clock = a->plan.clock,
                                        .has_rate = a->plan.rate > 0};
    if (!member &&
        (run_record_labels(&s->record, a->opts, e) ||
         result_files_init(&r->files, a->opts, intervals, checkpoints, plan_finds(&a->plan), e)))
        return -1;
    if (raw_file_init(&r->raw, a->opts, a->plan.rank, e))
        return -1;
    if (!member) {
        r->endpoint.info = &s->record.info;
        r->endpoint.marks = marking_list(s->marking);
        if (metrics_endpoint_init(&r->endpoint, a->opts, intervals || checkpoints, e) ||
            run_profile_init(&r->profile, a->opts, &a->server, &a->plan, a->testname,
                             a->script != NULL, e))
            return -1;
    }
    int rc = report_files_claim(r->files.files, &outs, e);
    if (rc == 0)
        rc = outs_add(&outs, "raw-log", r->raw.spec.path, e);
    if (rc == 0)
        rc = run_profile_claim(&r->profile, &outs, e);
    if (rc == 0 && !marking_is_signal(s->mark_on))
        rc = outs_add(&outs, "mark-on", s->mark_on, e);
    outs_free(&outs);
    return rc;
}

/* With --server=host the other servers are of no interest. */
static void note_connection(void *arg, int fd, int server)
{
    struct run_session *r = arg;
    const struct app *a = r->app;

    if (a->sql.watched < 0 || server == sql_servers_at(&a->servers, (uint64_t)a->sql.watched))
        discover_note_fd(r->session.attach.discover, fd);
}

/* Connects the parts that borrow from each other, and lists the observers. */
static void connect_parts(struct run_session *r, const struct workload *w)
{
    struct session *s = &r->session;
    struct observers *o = &s->run.list;
    struct plan *p = &r->app->plan;

    r->render = (struct render){.workload = w,
                                .info = &s->record.info,
                                .result = s->result,
                                .plan = p,
                                .histogram = r->app->histogram,
                                .debug = r->app->debug,
                                .validate = r->app->validate};
    r->console.render = &r->render;
    r->files.info = &s->record.info;
    r->raw.spec.marks = marking_list(s->marking);
    r->raw.result = s->result;
    r->profile.attach = &s->attach;
    s->record.info.arg = &r->render;
    s->record.info.header = render_header;
    s->record.info.text = render_report;
    s->record.info.profile = &r->profile.record;
    p->keep_histograms = r->files.files || r->endpoint.http || r->console.table ||
                         r->console.batch.size || p->ranks > 1 || (p->hosts && p->asks_more);
    p->rate_changes |= *s->mark_on != 0;
    s->run.probe = s->probe;
    s->run.marks = marking_list(s->marking);
    s->run.stmt_stats = r->stmt_stats;
    observers_add(o, &session_observer, &r->session);
    if (ranks_is_member(r->app)) {
        observers_add(o, &hooks_observer, &r->hooks); /* it draws from the seeder */
        observers_add(o, &raw_file_observer, &r->raw);
        return;
    }
    observers_add(o, &run_profile_observer, &r->profile); /* those after it use its record */
    observers_add(o, &console_head, &r->console);
    observers_add(o, &hooks_observer, &r->hooks);
    observers_add(o, &console_body, &r->console);
    observers_add(o, &console_tail, &r->console);
    observers_add(o, &result_files_observer, &r->files);
    observers_add(o, &metrics_endpoint_observer, &r->endpoint);
    observers_add(o, &raw_file_observer, &r->raw);
}

/* The leader's, as all that is the server's. */
static int init_settle(struct run_session *r, const struct app *a, struct err *e)
{
    if (settle_limit(a->server.settle, &r->settle, e))
        return -1;
    if (r->settle && !a->script)
        return err_set(e, ERR_USAGE, "--settle is for a server, and the '%s' test uses none",
                       a->testname);
    if (r->settle && a->plan.ranks > 1 && r->settle > a->cluster.timeout)
        return err_set(e, ERR_USAGE,
                       "--settle=%s: the other load hosts wait no longer than --cluster-timeout, "
                       "%.6g s",
                       a->server.settle, dur_sec(a->cluster.timeout));
    if (ranks_is_member(a))
        r->settle = 0;
    return 0;
}

static int settle(struct run_session *r, struct err *e)
{
    struct report_info *info = &r->session.record.info;
    int rc = 0;

    if (r->settle)
        rc = settle_run(&r->settled, &info->settles, r->app->sql.driver, &r->app->servers,
                        r->settle, e);
    info->settle = r->settled;
    return rc;
}

/* needed: to say what a held rate's transactions wait for. */
static int open_status(struct session *s, const struct app *a, bool needed, struct err *e)
{
    const bool asked = strcmp(a->server.waits, "on") == 0, counters = a->server.status,
               automatic = strcmp(a->server.waits, "auto") == 0,
               one = a->plan.hosts <= 1 || (counters && a->plan.ranks <= 1);

    if (a->script && (counters || asked || (automatic && needed)))
        s->status = server_status_new(a->sql.driver, sql_driver_get, STATUS_QUESTION_LIMIT);
    if (s->status && counters &&
        server_status_add(s->status, a->server.variables, a->server.query, a->server.queries, e))
        return -1;
    if (s->status) {
        sql_sessions_keep(true);
        server_status_want(s->status,
                           &(struct server_status_wants){
                               .counters = counters,
                               .shared = a->plan.ranks > 1,
                               .waits = asked || automatic,
                               .quiet = !asked && !counters,
                               .no_waits = asked || automatic ? one ? NULL : SNAPSHOT_SEVERAL_HOSTS
                                                              : "not asked for (--server-waits)"});
    }
    /* in a warm-up clients report what they did before it, and at its end all of them are busy */
    sql_settle_ends(s->status && counters && !a->plan.warmup);
    return 0;
}

static int init(struct run_session *r, const struct app *a, struct err *e)
{
    struct session *s = &r->session;
    struct console *c = &r->console;
    /* of the clients that will connect, and of the files that their scripts will read */
    size_t descriptors = (size_t)a->plan.clients + a->sql.idle_connections + 64;

    s->driver = a->script ? a->sql.driver : NULL;
    s->host_name = a->plan.host_name;
    s->hosts = a->plan.hosts;
    s->has_rate = a->plan.rate > 0;
    bool rate = plan_finds(&a->plan) || (a->plan.tx_rate_given && s->has_rate &&
                                         !a->plan.stock_rate && !a->plan.plain_rate);
    s->attach.option =
        attach_option(&a->server, a->server.environment || run_profile_wanted(a->opts), rate);
    /* a search that needs the server's CPU, where it is known beforehand that nobody will read it
     */
    if (strcmp(s->attach.option, "off") == 0 &&
        plan_find_without_server(&a->plan, "--server=off", e))
        return -1;
    if (strcmp(s->attach.option, "auto") == 0 && !a->script &&
        plan_find_without_server(&a->plan, "the test uses no database", e))
        return -1;
    if (init_settle(r, a, e) || init_files(r, a, e))
        return -1;
    r->hooks = (struct hooks){.script = ranks_is_member(a) ? NULL : a->script,
                              .seeder = &r->app->seeder,
                              .intervals = a->plan.report_interval > 0,
                              .checkpoints = a->plan.checkpoints > 0};
    c->hooked_interval = hooks_has(&r->hooks, SCRIPT_HOOK_INTERMEDIATE);
    c->hooked_cumulative = hooks_has(&r->hooks, SCRIPT_HOOK_CUMULATIVE);
    if (a->plan.report_interval && !c->hooked_interval && console_wants_table(a->opts))
        c->table = text_table_new(screen_ask, NULL);
    c->fit = console_fit(a->opts);
    if (a->plan.batch_delay)
        hist_counts_init(&c->batch, HIST_BUCKETS);
    if (a->server.environment)
        c->environment = &s->environment;
    if (opt_bool(a->opts, "report-statements"))
        r->stmt_stats = stmt_stats_new_for((size_t)a->plan.clients, (size_t)a->plan.workers);
    if (a->script)
        script_marks(a->script, marking_list(s->marking));
    sql_sessions_keep(ranks_is_member(a) && a->script); /* the leader may ask for them */
    if (ranks_is_member(a)) /* the server and its telemetry are the leader's */
        return 0;
    if (open_status(s, a, rate && !a->sql.mysql.dry_run && strcmp(s->attach.option, "off"), e))
        return -1;
    if (run_remote_open(&s->remote, &a->server, e) ||
        run_probe_new(&s->probe, &a->server, s->status ? server_status_source(s->status) : NULL,
                      s->remote, descriptors, e) ||
        attach_open(&s->attach, a->opts, s->probe, s->remote, descriptors, e))
        return -1;
    if (s->attach.discover && a->script)
        script_on_connect(a->script, note_connection, r);
    return 0;
}

static void free_session(struct run_session *r)
{
    struct script *script = r->app->script;

    if (script) { /* it may still run finalizers */
        script_marks(script, NULL);
        script_on_connect(script, NULL, NULL);
    }
    report_files_free(r->files.files);
    metrics_endpoint_free(&r->endpoint);
    raw_file_free(&r->raw);
    run_profile_free(&r->profile);
    stmt_stats_free(r->stmt_stats);
    console_free(&r->console);
    session_free(&r->session);
    free(r->settled);
}

/* All steps before the first thread. */
static int begin_run(struct run_session *r, struct workload *w, struct idle_connections **idle,
                     struct err *e)
{
    const struct app *a = r->app;
    const struct plan *p = &a->plan;
    size_t idle_share = (size_t)share_of(plan_shares(p), a->sql.idle_connections);
    struct command_line line = {.argc = a->argc,
                                .argv = a->args,
                                .test = a->testname,
                                .command = a->command,
                                .opts = a->opts,
                                .shared_lua_states = a->lua_states > 0};
    struct session *s = &r->session;
    bool files = r->files.files || r->endpoint.http;

    if (w->ops->init && w->ops->init(w, e))
        return -1;
    /* the options of the test are known: see session_open */
    s->record_environment = r->console.environment || report_files_want_record(r->files.files);
    if (files || s->record_environment)
        run_environment_begin(&s->environment, &line);
    if (files)
        run_record_fill(&s->record, &line, p, &s->environment);
    if (session_open(s, e))
        return -1;
    s->run.raw_log = r->raw.log;
    observers_say(&r->session.run.list, RUN_HEADER);
    if (w->ops->print_header)
        w->ops->print_header(w);
    /* Clients of a bundled script connect, all of them.  Those beyond --min-clients wait until
     * there is a descriptor for them (engine/executor.c). */
    if (a->script && script_is_bundled(a->testname) && !a->sql.mysql.dry_run) {
        long left = limits_descriptors_left(3L * p->workers /* what each of them opens */ +
                                            (long)idle_share);
        bool some = p->min_clients && p->min_clients < p->clients;
        int needed = some ? p->min_clients : p->clients;
        if (left >= 0 && needed > left)
            return err_set(
                e, ERR_USAGE,
                "--%s=%d needs a descriptor for each connection, but this process may open only "
                "%ld (ulimit -n): %ld clients fit",
                some ? "min-clients" : "threads", needed, limits_descriptors_allowed(), left);
    }
    if ((w->ops->open && w->ops->open(w, e)) || idle_connections_open(idle, NULL, idle_share, e))
        return -1;
    if (p->generation->tells_new_lines)
        log_notice("Initializing worker threads...\n");
    return 0;
}

/* The reader of standard output went away: the run ends (engine/stop.c), and here too its files
 * are finished first. */
static void output_is_closed(void) {}

int command_run(struct app *a, struct workload *w, int *sig, struct err *e)
{
    struct run_result result = {0};
    struct run_session rs = {.app = a, .session.result = &result};
    struct idle_connections *idle = NULL;
    struct err done = {0};

    if (w->own_limit)
        a->plan.max_events = 0;
    if (init(&rs, a, e)) {
        free_session(&rs);
        return -1;
    }
    connect_parts(&rs, w);
    log_on_closed_pipe(output_is_closed);
    int rc = settle(&rs, e) || ranks_agree(a, e) || begin_run(&rs, w, &idle, e) ? -1 : 0;
    if (rc == 0) {
        rc = run_execute(&a->plan, w, &a->seeder, &rs.session.run, &result, e);
        *sig = result.signal;
        if (result.began && !result.clients_left && w->ops->done && w->ops->done(w, &done) &&
            rc == 0) {
            *e = done;
            rc = -1;
        }
    }
    if (rc == 0 && !result.sustained && a->plan.rank == 0) { /* the leader judges all ranks */
        if (plan_finds(&a->plan))
            rc = err_set(e, ERR_UNMET, "no rate held the objective");
        else if (a->plan.strict)
            rc = err_set(e, ERR_UNMET, "%s",
                         result.unknown
                             ? "whether the rate was sustained is not known: the run was too short"
                             : "the rate was not sustained");
    }
    if (rc == 0) /* before the files say how the run ended */
        rc = sql_check_recovered(e);
    rc = session_close(&rs.session, rc, e);
    *sig = *sig ? *sig : run_late_signal();
    if (result.clients_left) {
        /* threads are still blocked in calls that use all of this: the run is over without them,
         * and the kernel frees it */
        if (e->kind == ERR_TIMEOUT || e->kind == ERR_FAILED)
            log_fatal("%s", e->msg);
        ranks_leave(a, e);
        if (*sig || log_pipe_closed())
            _exit(128 + (*sig ? *sig : SIGPIPE));
        _exit(result.forced || e->kind == ERR_TIMEOUT ? 2 : 1);
    }
    idle_connections_check(idle);
    idle_connections_close(idle);
    free_session(&rs);
    return rc;
}
