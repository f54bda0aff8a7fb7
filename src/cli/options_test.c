/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks all options: the meaning of an empty value, that all values in lists are accepted, that
 * options which stock lacks are marked as ours, and what numbers they take.
 */
#include "cli/registry.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"
#include "engine/plan.h"
#include "opt/generation.h"
#include "report/report_options.h"

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
    "thread_locks mutex_num mutex_locks mutex_loops tx_strict server_syscalls settle "
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

/* --- numbers --- */

/* 0 and the option as it was read, or -1 and the sentence. */
static int read_number(const char *arg, const char *name, struct opt_view *v, struct err *e)
{
    struct opts *o = all();
    struct plan plan;
    struct dist_params dist;
    int rc;

    *e = (struct err){0};
    rc = opts_set_arg(o, arg, e) || opts_finish(o, false, e) || generation_check(o, e) ||
                 opts_check(o, e) || plan_from_options(&plan, o, e) ||
                 random_options_read(&dist, o, e)
             ? -1
             : 0;
    for (size_t i = 0; opts_at(o, i, v) && strcmp(v->name, name) != 0; i++)
        ;
    *v = (struct opt_view){.type = v->type, .number = v->number, .given = v->given};
    opts_free(o);
    return rc;
}

/* The complaint about an option of 0.4 names the option that it has become. */
static bool names_option(const char *msg, const struct opt_view *v)
{
    return strstr(msg, v->name) || strstr(msg, v->title) ||
           (strcmp(v->name, "intermediate_result_timer") == 0 && strstr(msg, "report"));
}

/* A rate of stages is named by its faulty stage. */
static bool names_value(const char *msg, const struct opt_view *v, const char *value)
{
    return strstr(msg, value) || (strcmp(v->name, "tx_rate") == 0 && strstr(msg, "stage 1, "));
}

/* Is refused: the sentence names both. */
static void check_refused(const struct opt_view *v, const char *value)
{
    char *arg = mem_printf("--%s=%s", v->shown, value);
    struct opt_view read;
    struct err e;

    TEST_REPORT(read_number(arg, v->name, &read, &e) == -1, "%s is accepted", arg);
    TEST_REPORT(names_option(e.msg, v) && names_value(e.msg, v, value), "%s: \"%s\"", arg, e.msg);
    free(arg);
}

/* Is refused as above, or is a number. */
static void check_number(const struct opt_view *v, const char *value)
{
    char *arg = mem_printf("--%s=%s", v->shown, value);
    struct opt_view read;
    struct err e;

    if (read_number(arg, v->name, &read, &e))
        TEST_REPORT(names_option(e.msg, v), "%s: \"%s\"", arg, e.msg);
    else
        TEST_REPORT(isfinite(read.number), "%s is %g", arg, read.number);
    free(arg);
}

/* Stock takes -1 for "none" or never asks; the options of the built-in tests are refused later, by
 * the test. */
static void check_negative(const struct opt_view *v)
{
    static const char accepting[] =
        " events time max_requests max_time num_threads batch_delay "
        "seed_rng verbosity rand_seed myisam_max_rows attachsql_port drizzle_max_rows ";
    char *arg = mem_printf("--%s=-1", v->shown);
    struct opt_view read;
    struct err e;
    bool accepted = read_number(arg, v->name, &read, &e) == 0;

    if (v->group != OPT_GROUP_TEST)
        TEST_REPORT(accepted == (is_in(accepting, v->name) != 0), "%s is %s: %s", arg,
                    accepted ? "accepted" : "refused", e.msg);
    free(arg);
}

/* The last of two values counts, as everywhere on the command line. */
static void check_twice(const struct opt_view *v)
{
    char *first = mem_printf("--%s=x", v->shown), *second = mem_printf("--%s=%s", v->shown, v->def);
    struct opts *o = all();
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, first, &e), 0);
    CHECK_INT(opts_set_arg(o, second, &e), 0);
    TEST_REPORT(opts_finish(o, false, &e) == 0 && opts_check(o, &e) == 0, "%s %s: %s", first,
                second, e.msg);
    opts_free(o);
    free(first);
    free(second);
}

static void check_option(const struct opt_view *v)
{
    static const char *const never[] = {"nan", "-nan", "inf", "-inf", "1e309", "x",
                                        "1x",  "0x",   "--",  "1,2",  "1e",    "."};
    static const char *const some[] = {"-1",
                                       "18446744073709551616",
                                       "9223372036854775808",
                                       "-9223372036854775809",
                                       "2147483648",
                                       "1e30",
                                       "-0.5",
                                       "1e-320",
                                       "",
                                       "0",
                                       " 1",
                                       "99999999999999999999999999999999999999999999999999"};

    /* a size that cannot be read is 0 where its reader refuses 0 */
    for (size_t i = 0; !(v->flags & OPT_LENIENT) && i < sizeof never / sizeof *never; i++)
        if (!opt_beyond_number(v->flags, never[i]))
            check_refused(v, never[i]);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        check_number(v, some[i]);
    check_negative(v);
    if (v->def && *v->def)
        check_twice(v);
}

/* Every numeric option with every value that is none, or too large, too small or empty: it is
 * refused with one sentence that names the option and the value, or taken for a finite number
 * within the row's range.  Of values that some options accept, the table says which options. */
static void extremes(void)
{
    struct opts *o = all();
    struct opt_view v;
    size_t n = 0;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (v.type == OPT_INT || v.type == OPT_SIZE || v.type == OPT_DOUBLE) {
            check_option(&v);
            n++;
        }
    CHECK(n > 40);
    opts_free(o);
}

TEST_MAIN(options_test)
{
    empty_values();
    lists_of_values();
    own_and_stock();
    extremes();
    return test_done("options_test");
}
