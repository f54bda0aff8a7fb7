/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Templates that scripts give: of random strings ('#' a digit, '@' a letter), and of statements
 * ('?' a parameter).  The first byte chooses the rules of a dialect.
 */
#include <ctype.h>
#include <string.h>

#include "base/dist.h"
#include "base/mem.h"
#include "fuzz.h"
#include "sql/sql_text.h"
#include "sql/sql_bind.h"
#include "sql/sql_types.h"

static void check_string(const char *fmt, size_t n)
{
    struct rng_seeder seeder;
    struct rng rng;
    char *out = malloc(n ? n : 1); /* exactly: a byte too many is seen */

    FUZZ_CHECK(out);
    rng_seeder_init(&seeder, 1);
    rng_seed(&rng, &seeder);
    dist_string(&rng, fmt, n, out);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(fmt[i] == '#'   ? isdigit((unsigned char)out[i])
                   : fmt[i] == '@' ? out[i] >= 'a' && out[i] <= 'z'
                                   : out[i] == fmt[i]);
    free(out);
}

static void quote(void *arg, struct str *out, const char *bytes, size_t n)
{
    (void)arg;
    str_add(out, bytes, n);
}

/* Parameters that are NULL: expanding replaces each placeholder by that word and nothing else. */
static void check_statement(const char *text, size_t n, unsigned lex)
{
    struct sql_template t;
    struct str out = STR_INIT;
    sql_bind *params;

    sql_template_init(&t, text, n, lex);
    params = mem_array(t.nplaceholders + 1, sizeof *params);
    for (size_t i = 0; i < t.nplaceholders; i++) {
        FUZZ_CHECK(t.placeholders[i] < n && text[t.placeholders[i]] == '?');
        FUZZ_CHECK(i == 0 || t.placeholders[i] > t.placeholders[i - 1]);
        params[i] = (sql_bind){.is_null = (char[]){1}};
    }
    sql_template_expand(&t, params, quote, NULL, &out);
    FUZZ_CHECK(out.len == n + 3 * t.nplaceholders);
    sql_template_number(&t, &out);
    FUZZ_CHECK(out.len >= n);
    free(params);
    sql_template_fini(&t);
    sql_digest(&out, text, n, lex);
    sql_digest_is_transaction(text, n);
    str_free(&out);
}

static void one(const uint8_t *data, size_t size)
{
    char *text;

    if (size == 0)
        return;
    /* a block of its own, without a NUL behind it */
    text = malloc(size);
    FUZZ_CHECK(text);
    memcpy(text, data + 1, size - 1);
    check_string(text, size - 1);
    check_statement(text, size - 1, data[0] & (SQL_LEX_BACKSLASH | SQL_LEX_MYSQL | SQL_LEX_PGSQL));
    free(text);
}

const struct fuzz_target fuzz_template = {"template", one};
