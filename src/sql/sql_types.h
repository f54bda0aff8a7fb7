/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SQL structs and enums that Lua scripts see as FFI cdata (con.sql_errno, rs.nrows, param.type,
 * ...), written once: C includes this file, and the build embeds it as the text that the script
 * host gives to ffi.cdef.  So: plain C declarations only, no macros, no includes but the two guards
 * below; whatever begins with # is removed for Lua, and so are the tags of structs, which are a
 * script's to use.  Fields are script ABI: add at the end, never rename or reorder.
 */
#ifndef SB_SQL_SQL_TYPES_H
#define SB_SQL_SQL_TYPES_H
#include <stdbool.h>
#include <stdint.h>

typedef enum { DB_ERROR_NONE, DB_ERROR_IGNORABLE, DB_ERROR_FATAL } sql_error_t;

/* What a script takes over from a connection (sql_set_transaction_mode); 0.4's built-in test does.
 */
typedef enum {
    DB_KEEP_TRANSACTION = 1, /* no ROLLBACK after an ignored error */
    DB_QUIET = 2,            /* no FATAL line for a refused statement: the script prints it */
    DB_NO_PREPARE = 4        /* statements are emulated, whatever --db-ps-mode says */
} sql_transaction_mode;

/* values of sysbench.sql.type */
typedef enum {
    SQL_TYPE_NONE,
    SQL_TYPE_TINYINT,
    SQL_TYPE_SMALLINT,
    SQL_TYPE_INT,
    SQL_TYPE_BIGINT,
    SQL_TYPE_FLOAT,
    SQL_TYPE_DOUBLE,
    SQL_TYPE_TIME,
    SQL_TYPE_DATE,
    SQL_TYPE_DATETIME,
    SQL_TYPE_TIMESTAMP,
    SQL_TYPE_CHAR,
    SQL_TYPE_VARCHAR
} sql_bind_type_t;

/* One registered driver; sname "mysql", lname "MySQL driver". */
typedef struct sql_driver {
    const char *sname;
    const char *lname;
} sql_driver;

/* What a script may read of a connection; the private part follows it in memory. After a failed
 * call: class, native error number (0 where the server has none), SQLSTATE and message (NULL when
 * none). */
typedef struct sql_connection {
    sql_error_t error;
    int sql_errno;
    const char *sql_state;
    const char *sql_errmsg;
    sql_driver *driver;
} sql_connection;

/* One column of one row: text (not NUL-terminated by contract), NULL pointer for SQL NULL. */
typedef struct {
    uint32_t len;
    const char *ptr;
} sql_value;

typedef struct {
    sql_value *values;
} sql_row;

typedef struct sql_statement {
    sql_connection *connection;
} sql_statement;

/* A buffered result set, owned by its connection, valid until the next query/execute/close. */
typedef struct sql_result {
    uint32_t counter;         /* enum counter: how the statement was counted */
    sql_statement *statement; /* NULL for a plain query */
    uint32_t nfields;
    uint32_t nrows; /* not 64 bits: FFI would box them, and scripts count with plain numbers */
    sql_row row;
    void *ptr; /* driver's handle */
} sql_result;

/* One statement parameter.  All integer types carry an int64_t, FLOAT and DOUBLE a double, CHAR and
 * VARCHAR bytes; buffer, data_len and is_null are read anew at every execute. */
typedef struct {
    sql_bind_type_t type;
    void *buffer;
    unsigned long *data_len;
    unsigned long max_len;
    char *is_null;
} sql_bind;
#endif
