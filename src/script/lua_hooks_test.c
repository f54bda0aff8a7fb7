/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Report hooks: the table that they get at an interval, a checkpoint and the end of a report that
 * has something of every kind, and what the report functions print of it; and which hooks there
 * are.
 */
#include "base/test_capture.h"
#include "base/test_golden.h"
#include "report/test_fixture.h"
#include "script/script_test.h"

/* All that a script meets, then all that it can ask for, then what the report functions print of
 * it, also where a script has made the table itself. */
static const char hooks[] =
    "local function dump(name, v)\n"
    "  if type(v) ~= 'table' then\n"
    "    if type(v) == 'number' then v = ('%.9g'):format(v) end\n"
    "    return print(name .. ' = ' .. tostring(v))\n"
    "  end\n"
    "  local keys = {} for k in pairs(v) do keys[#keys + 1] = k end\n"
    "  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)\n"
    "  for _, k in ipairs(keys) do dump(name .. '.' .. k, v[k]) end\n"
    "end\n"
    "local function hook(s)\n"
    "  dump('', s) dump('unlisted', getmetatable(s).__index)\n"
    "  for _ = 1, 2 do\n"
    "    sysbench.report_default(s) sysbench.report_csv(s) sysbench.report_json(s) print()\n"
    "    setmetatable(s, nil)\n"
    "  end\n"
    "end\n"
    "sysbench.hooks.report_intermediate, sysbench.hooks.report_cumulative = hook, hook\n"
    "function event() end\n";

static void report(const char *title, const struct snapshot *snap)
{
    struct script_reporter *r = NULL;
    struct session s;
    struct str text = STR_INIT;

    begin(&s, hooks, NULL, "run", "");
    CHECK_INT(script_reporter_open(s.script, &s.env.rng, &r, &s.e), 0);
    capture();
    CHECK_INT(script_report(s.script, r,
                            snap->kind == SNAPSHOT_INTERVAL ? SCRIPT_HOOK_INTERMEDIATE
                                                            : SCRIPT_HOOK_CUMULATIVE,
                            snap),
              0);
    str_adds(&text, captured());
    golden(&text, "%s", title);
    script_reporter_close(r);
    end(&s);
    str_free(&text);
}

static void test_tables(void)
{
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct snapshot s = fixture_second(3);

    f->s.queue_length = 7;
    f->s.concurrency = 3;
    f->s.incidents_told = 1;
    f->error[1].count = 0;
    f->s.rate.response.p99 = -1;
    f->s.server.d.lower = SAMPLE_SWITCHES;
    f->s.server.d.have = SAMPLE_ALL & ~SAMPLE_MEMORY;
    strcpy(f->s.server.d.reason, "no memory figures");
    report("an interval", &f->s);
    f = fixture(SNAPSHOT_CHECKPOINT, 1);
    f->s.rate.lost = 3;
    f->s.rate.total_lost = 4;
    f->s.rate.events_least = 5;
    f->s.rate.events_most = 6;
    report("a checkpoint", &f->s);
    report("the end", &fixture(SNAPSHOT_FINAL, 1)->s);
    report("a second without most of it", &s);
    s.percentiles = 0;
    report("no percentile", &s);
}

/* The reporter is a client that does not exist; a lost report shows in the exit status. */
static void test_hooks(void)
{
    struct snapshot snap = fixture_second(1);
    struct script_reporter *r = NULL;
    struct workload *w;
    struct session s;

    begin(&s,
          "sysbench.hooks.report_intermediate = function() assert(sysbench.tid == 2) end\n"
          "sysbench.hooks.report_cumulative = function()\n"
          "  if sysbench.tid == 2 then error('lost') end end\n"
          "function event() end",
          NULL, "run", "--threads=2");
    CHECK(script_has_hook(s.script, SCRIPT_HOOK_INTERMEDIATE));
    CHECK(script_has_hook(s.script, SCRIPT_HOOK_CUMULATIVE));
    w = script_workload(s.script, 0);
    CHECK_INT(script_reporter_open(s.script, &s.env.rng, &r, &s.e), 0);
    CHECK_INT(script_report(s.script, r, SCRIPT_HOOK_INTERMEDIATE, &snap), 0);
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    CHECK_INT(w->ops->done(w, &s.e), 0);
    CHECK_INT(script_report(s.script, r, SCRIPT_HOOK_CUMULATIVE, &snap), -1);
    CHECK_INT(w->ops->done(w, &s.e), -1);
    script_reporter_close(r);
    end(&s);

    begin(&s,
          "assert(sysbench.opt == nil)\n"
          "function init() sysbench.hooks.report_cumulative = print end\n" CHECK_COMMAND(
              "assert(sysbench.opt.percentile == 50)"),
          NULL, "check", "--percentile=50,95,99.9");
    CHECK(!script_has_hook(s.script, SCRIPT_HOOK_INTERMEDIATE));
    CHECK(!script_has_hook(s.script, SCRIPT_HOOK_CUMULATIVE));
    CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
    end(&s);
}

TEST_MAIN(lua_hooks_test)
{
    log_set_verbosity(-1);
    test_tables();
    test_hooks();
    golden_done("lua_hooks_test");
    return test_done("lua_hooks_test");
}
