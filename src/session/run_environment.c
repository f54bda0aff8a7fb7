/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_environment.h.  The list of the server's variables is a choice: those that determine what
 * a commit waits for, what fits into memory, how connections are mapped to threads, and what the
 * server measures itself.
 */
#include "session/run_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "opt/secret.h"
#include "sql/sql.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const char mysql_variables[] =
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ("
    "'version','version_comment','version_compile_machine','version_malloc_library',"
    "'version_ssl_library','innodb_buffer_pool_size','innodb_buffer_pool_instances',"
    "'innodb_flush_log_at_trx_commit','innodb_flush_method','innodb_log_file_size',"
    "'innodb_redo_log_capacity','innodb_log_buffer_size','innodb_io_capacity',"
    "'innodb_doublewrite','innodb_page_size','innodb_adaptive_hash_index',"
    "'innodb_use_native_aio','innodb_thread_concurrency','innodb_file_per_table',"
    "'innodb_checksum_algorithm','innodb_undo_log_truncate','innodb_numa_interleave',"
    "'sync_binlog','log_bin','binlog_format','thread_handling','thread_pool_size',"
    "'thread_cache_size','max_connections','back_log','max_prepared_stmt_count',"
    "'table_open_cache','table_open_cache_instances','open_files_limit','performance_schema',"
    "'query_cache_type','query_cache_size','transaction_isolation','tx_isolation',"
    "'character_set_server','collation_server','large_pages','slow_query_log','general_log',"
    "'sql_mode','default_storage_engine','join_buffer_size','sort_buffer_size')";

static const char pgsql_variables[] =
    "SELECT name, setting || coalesce(' ' || unit, '') FROM pg_settings WHERE name IN ("
    "'server_version','shared_buffers','effective_cache_size','work_mem',"
    "'maintenance_work_mem','huge_pages','wal_level','fsync','synchronous_commit',"
    "'wal_sync_method','full_page_writes','wal_buffers','wal_compression','min_wal_size',"
    "'max_wal_size','checkpoint_timeout','checkpoint_completion_target','commit_delay',"
    "'max_connections','superuser_reserved_connections','effective_io_concurrency',"
    "'random_page_cost','seq_page_cost','jit','max_worker_processes','max_parallel_workers',"
    "'max_parallel_workers_per_gather','autovacuum','default_transaction_isolation',"
    "'shared_preload_libraries','track_activities','track_counts','track_io_timing',"
    "'log_statement','log_min_duration_statement','block_size','data_checksums',"
    "'server_encoding','lc_collate') ORDER BY name";

static void add_row(struct environment *e, const sql_row *row)
{
    const sql_value *name = &row->values[0], *value = &row->values[1];
    char key[120];

    if (!name->ptr)
        return;
    snprintf(key, sizeof key, "server.variable.%.*s", (int)(name->len < 80 ? name->len : 80),
             name->ptr);
    environment_add(e, key, "%.*s", (int)value->len, value->ptr ? value->ptr : "");
}

static void query_settings(struct environment *e, sql_connection *con, const char *question)
{
    sql_result *res = sql_query(con, question, strlen(question));
    sql_row *row;

    if (!res) {
        environment_missing(e, "server.variable", "%s",
                            con->sql_errmsg ? con->sql_errmsg : "no answer");
        return;
    }
    while (res->nfields >= 2 && (row = sql_fetch_row(res)))
        add_row(e, row);
    sql_free_results(res);
}

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void add_variables(struct environment *e, const char *driver)
{
    struct counters *counters = mem_array_aligned(1, sizeof *counters); /* of no client */
    struct sql_host host = {.counters = counters, .keep_trying = never, .auxiliary = true};
    sql_driver *d = sql_driver_get(driver);
    sql_connection *con = d ? sql_connect(d, &host) : NULL;

    if (con) {
        environment_add(e, "server.driver", "%s", d->sname);
        query_settings(e, con, strcmp(d->sname, "mysql") == 0 ? mysql_variables : pgsql_variables);
        sql_disconnect(con);
        sql_connection_free(con);
    } else {
        environment_missing(e, "server.variable", "no connection could be made");
    }
    free(counters);
}

static void add_program(struct environment *e, const struct command_line *a)
{
    struct str s = STR_INIT;

    for (int i = 0; i < a->argc; i++) {
        char *arg = secret_shown_arg(a->opts, a->argv[i]);
        str_printf(&s, "%s%s", i ? " " : "", arg);
        free(arg);
    }
    environment_add(e, "client.version", "%s %s", PACKAGE_NAME, PACKAGE_VERSION);
    environment_add(e, "client.command", "%s", str_cstr(&s));
    str_free(&s);
}

void run_environment_begin(struct environment *e, const struct command_line *a)
{
    add_program(e, a);
    environment_host(e, "/proc", "/sys");
}

void run_environment_add_server(struct environment *e, const pid_t *pids, size_t n,
                                struct remote *remote, const char *driver)
{
    if (remote)
        remote_environment(remote, e);
    for (size_t i = 0; i < n && !remote; i++)
        environment_process(e, "/proc", pids[i]);
    if (driver) {
        log_mute_thread(true); /* the record has the errors */
        add_variables(e, driver);
        log_mute_thread(false);
    }
}
