/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks all options: the meaning of an empty value, that all values in lists are accepted, and
 * that options which stock lacks are marked as ours.
 */
#include "cli/registry.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"

/* With an empty value these behave as in stock, or (the last line) have a meaning of their own; all
 * others refuse it. */
static const char may_be_empty[] =
    " threads events time warmup_time forced_shutdown thread_stack_size "
    "thread_init_timeout rate report_interval report_checkpoints config_file luajit_cmd "
    "max_requests max_time num_threads rand_type rand_spec_iter rand_spec_pct "
    "rand_spec_res rand_seed rand_pareto_h rand_zipfian_exp verbosity percentile "
    "db_driver db_ps_mode mysql_host mysql_port mysql_socket mysql_user mysql_password "
    "mysql_db mysql_ssl_key mysql_ssl_ca mysql_ssl_cert mysql_ssl_cipher "
    "mysql_compression_algorithms mysql_ignore_errors pgsql_host pgsql_user "
    "pgsql_password pgsql_db pgsql_sslmode file_num file_block_size file_total_size "
    "file_test_mode file_io_mode file_async_backlog file_extra_flags file_fsync_freq "
    "file_fsync_mode file_merged_requests file_rw_ratio cpu_max_prime memory_block_size "
    "memory_total_size memory_scope memory_oper memory_access_mode thread_yields "
    "thread_locks mutex_num mutex_locks mutex_loops tx_strict server_syscalls "
    "pgsql_ignore_errors seed_rng intermediate_result_timer batch batch_delay "
    "mysql_table_engine mysql_engine_trx myisam_max_rows mysql_create_options "
    "mysql_table_options drizzle_host drizzle_port drizzle_socket drizzle_user "
    "drizzle_password drizzle_db drizzle_buffer drizzle_table_engine drizzle_engine_trx "
    "drizzle_max_rows drizzle_create_options oracle_user oracle_password oracle_db "
    "attachsql_host attachsql_port attachsql_socket attachsql_user attachsql_password "
    "attachsql_db ";

static bool is_in(const char *list, const char *name)
{
    char word[64];

    snprintf(word, sizeof word, " %s ", name);
    return strstr(list, word);
}

static struct opts *all(void)
{
    struct opts *o = opts_new();

    options_declare(o);
    for (size_t i = 0; registry_builtin_at(i); i++)
        builtin_options(registry_builtin_at(i), o);
    return o;
}

/* The error message about one argument; "" when there is none. */
static void judge(const char *arg, struct err *e)
{
    struct opts *o = all();

    *e = (struct err){0};
    if (opts_set_arg(o, arg, e) == 0 && opts_finish(o, false, e) == 0)
        opts_check(o, e);
    opts_free(o);
}

static void check_empty(const struct opt_view *v, const char *end)
{
    char *arg = mem_printf("--%s%s", v->shown, end),
         *want = mem_printf("--%s needs a value", v->title);
    struct err e;

    judge(arg, &e);
    if (v->type == OPT_BOOL && !*end)
        CHECK_STR(e.msg, ""); /* a flag */
    else if (v->type == OPT_BOOL && !v->choices)
        CHECK(strncmp(e.msg, "invalid option: ", 16) == 0);
    else if (v->type == OPT_BOOL)
        CHECK(strncmp(e.msg, "Invalid value for ", 18) == 0);
    else
        CHECK_STR(e.msg, is_in(may_be_empty, v->name) ? "" : want);
    free(arg);
    free(want);
}

static void empty_values(void)
{
    struct opts *o = all();
    struct opt_view v;
    size_t n = 0, refusing = 0;

    for (; opts_at(o, n, &v); n++) {
        check_empty(&v, "=");
        check_empty(&v, "");
        refusing += v.type != OPT_BOOL && !is_in(may_be_empty, v.name);
    }
    CHECK(n > 100);
    CHECK(refusing > 20);
    opts_free(o);
}

/* Each word of a list is accepted, one that is none of them is not (or is left to its reader), help
 * shows all. */
static void check_choices(const struct opt_view *v)
{
    char *arg = mem_printf("--%s=nosuchword", v->shown);
    struct err e;

    judge(arg, &e);
    CHECK_INT(e.kind == ERR_NONE, (v->flags & (OPT_OPEN | OPT_CHECKED_LATER)) != 0);
    free(arg);
    for (const char *word = v->choices; *word; word += strcspn(word, "|"), word += *word == '|') {
        int len = (int)strcspn(word, "|");
        arg = mem_printf("--%s=%.*s", v->shown, len, word);
        judge(arg, &e);
        CHECK_STR(e.msg, "");
        CHECK(strstr(v->help, arg + strlen(v->shown) + 3) != NULL || v->flags & OPT_HIDDEN);
        if (!strstr(v->help, arg + strlen(v->shown) + 3))
            printf("--%s: %s: not in \"%s\"\n", v->shown, arg, v->help);
        free(arg);
    }
}

static void lists_of_values(void)
{
    struct opts *o = all();
    struct opt_view v;
    size_t lists = 0;

    for (size_t i = 0; opts_at(o, i, &v); i++) {
        CHECK(!strstr(v.help, "{}") && !strstr(v.help, "{,}"));
        if (v.choices) {
            check_choices(&v);
            lists++;
        }
    }
    CHECK(lists >= 20);
    opts_free(o);
}

/* What --help of sysbench 1.0 lists, except tx-rate, which has another meaning here; what 1.1
 * added. */
static const char stock[] =
    " threads events time forced-shutdown thread-stack-size rate report-interval "
    "report-checkpoints debug validate help version config-file max-requests max-time "
    "num-threads rand-type rand-spec-iter rand-spec-pct rand-spec-res rand-seed "
    "rand-pareto-h verbosity percentile histogram db-driver db-ps-mode db-debug "
    "mysql-host mysql-port mysql-socket mysql-user mysql-password mysql-db mysql-ssl "
    "mysql-ssl-cipher mysql-compression mysql-debug mysql-ignore-errors mysql-dry-run "
    "pgsql-host pgsql-port pgsql-user pgsql-password pgsql-db warmup-time "
    "thread-init-timeout luajit-cmd rand-zipfian-exp mysql-ssl-key mysql-ssl-ca "
    "mysql-ssl-cert mysql-compression-algorithms pgsql-sslmode ";

/* OPT_OWN is on every option that is not in the list, and on none that is, nor on those of 0.4 and
 * 0.5. */
static void own_and_stock(void)
{
    struct opts *o = opts_new();
    struct opt_view v;

    options_declare(o);
    for (size_t i = 0; opts_at(o, i, &v); i++) {
        bool own = v.flags & OPT_OWN;
        if (v.flags & OPT_OLD) {
            CHECK(v.flags & OPT_HIDDEN && !own && !is_in(stock, v.shown));
            continue;
        }
        TEST_REPORT(own != is_in(stock, v.shown), "--%s: %s", v.shown,
                    own ? "stock has it" : "lacks OPT_OWN");
    }
    char *words = mem_strdup(stock), *rest = words;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        TEST_REPORT(opt_exists(o, word), "--%s is missing", word);
    free(words);
    opts_free(o);
}

TEST_MAIN(options_test)
{
    empty_values();
    lists_of_values();
    own_and_stock();
    return test_done("options_test");
}
