/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rows of tables (load.h), made and sent.
 *
 * The digits of a lane gather in one word, the oldest in its lowest byte: eight
 * of them are stored at once, then three and the '-'.
 *
 * Rows are made into the buffer that the client library sends from, or into the text of an INSERT,
 * and nowhere else.
 */
#include "sql/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* --- digits --- */

#define LANE(type) __attribute__((vector_size(LOAD_LANES * sizeof(type)))) type
#define INLINE     static inline __attribute__((always_inline))

typedef LANE(uint64_t) words;
typedef LANE(double) doubles;
typedef LANE(int32_t) ints;

struct lanes {
    words s0, s1, text;
};

#define ROTL(x, k) (((x) << (k)) | ((x) >> (64 - (k))))

/* rng_next(), then rng_double() * 10 without its fraction: 52 bits behind a 1 are the double 1.x,
 * exactly. */
INLINE void draw(struct lanes *l)
{
    words x = l->s0 + l->s1, t = l->s1 ^ l->s0;
    doubles u = (doubles)((x >> 12) | UINT64_C(0x3ff0000000000000)) - 1.0;

    l->s0 = ROTL(l->s0, 55) ^ t ^ (t << 14);
    l->s1 = ROTL(t, 36);
    t = __builtin_convertvector(__builtin_convertvector(u * 10, ints), words);
    l->text = l->text >> 8 | (t + '0') << 56;
}

INLINE void store(const words *text, unsigned at, size_t n, char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    for (int i = 0; i < LOAD_LANES; i++) {
        uint64_t w = (*text)[i];
        memcpy(out[i] + at, &w, n);
    }
}

INLINE void all_groups(const struct rng stream[LOAD_LANES], char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    struct lanes l = {.text = {0}};

    for (int i = 0; i < LOAD_LANES; i++) {
        l.s0[i] = stream[i].s[0];
        l.s1[i] = stream[i].s[1];
    }
    for (unsigned g = 0; g < LOAD_GROUPS; g++) {
        unsigned at = g * (LOAD_GROUP + 1);
        for (int i = 0; i < 8; i++)
            draw(&l);
        store(&l.text, at, 8, out);
        for (int i = 8; i < LOAD_GROUP; i++)
            draw(&l);
        l.text = l.text >> 40 | (uint64_t)'-' << 24;
        store(&l.text, at + 8, 4, out);
    }
}

#if defined __x86_64__
__attribute__((target("avx2"))) static void with_avx2(const struct rng stream[LOAD_LANES],
                                                      char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
    all_groups(stream, out);
}
#endif

/* The digits that the streams have next; the streams stay. */
static void load_digits(const struct rng stream[LOAD_LANES],
                        char out[LOAD_LANES][LOAD_DIGITS_BYTES])
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        with_avx2(stream, out);
        return;
    }
#endif
    all_groups(stream, out);
}

/* --- rows --- */

void load_rows_init(struct load_rows *l, const struct dist_params *dist, uint64_t table_size)
{
    l->dist = dist;
    l->last = table_size;
    rng_skip_init(&l->texts, LOAD_GROUP * LOAD_GROUPS);
}

/* Leaves out c and pad of a row; its k. */
static uint64_t draw_k(const struct load_rows *l, struct rng *r)
{
    rng_skip(&l->texts, r);
    return dist_default(l->dist, r, 1, l->last);
}

void load_rows_skip(const struct load_rows *l, struct rng *r, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        draw_k(l, r);
}

void load_maker_init(struct load_maker *m, const struct load_rows *l, const struct rng *r)
{
    m->l = l;
    m->rng = *r;
    m->at = LOAD_LANES;
}

static char *number(uint64_t v, char *out)
{
    char text[20], *p = text + sizeof text;

    do {
        *--p = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    memcpy(out, p, (size_t)(text + sizeof text - p));
    return out + (text + sizeof text - p);
}

#define WORD(text, out) ((char *)memcpy(out, text, sizeof(text) - 1) + sizeof(text) - 1)

/* Without the '-' behind the last group. */
static char *groups(const char *digits, unsigned n, char *out)
{
    memcpy(out, digits, n * (LOAD_GROUP + 1) - 1);
    return out + n * (LOAD_GROUP + 1) - 1;
}

static char *tabs(uint64_t id, uint64_t k, const char *c, const char *pad, char *p)
{
    p = WORD("\t", number(id, p));
    p = WORD("\t", number(k, p));
    p = WORD("\t", groups(c, LOAD_C_GROUPS, p));
    return WORD("\n", groups(pad, LOAD_PAD_GROUPS, p));
}

static char *values(uint64_t id, uint64_t k, const char *c, const char *pad, char *p)
{
    p = WORD(", ", number(id, WORD("(", p)));
    p = WORD(", '", number(k, p));
    p = WORD("', '", groups(c, LOAD_C_GROUPS, p));
    return WORD("')", groups(pad, LOAD_PAD_GROUPS, p));
}

size_t load_row(struct load_maker *m, uint64_t id, enum load_form form, char *out)
{
    if (m->at == LOAD_LANES) {
        struct rng begin[LOAD_LANES];
        for (unsigned i = 0; i < LOAD_LANES; i++) {
            begin[i] = m->rng;
            m->k[i] = draw_k(m->l, &m->rng);
        }
        load_digits(begin, m->digits);
        m->at = 0;
    }
    uint64_t k = m->k[m->at];
    const char *c = m->digits[m->at++], *pad = c + (size_t)LOAD_C_GROUPS * (LOAD_GROUP + 1);
    return (size_t)((form == LOAD_TABS ? tabs : values)(id, k, c, pad, out) - out);
}

/* --- sending --- */

#define ROWS_PER_REPORT 1000u

/* The rows of a piece, one after the other. */
struct rows {
    struct load_maker maker;
    const struct load_way *way;
    uint64_t next, last;
    unsigned unreported;
    char row[LOAD_ROW_MAX]; /* one that did not fit */
    size_t len, at;
};

static size_t make(struct rows *s, enum load_form form, char *out)
{
    size_t n = load_row(&s->maker, s->next++, form, out);

    if (++s->unreported == ROWS_PER_REPORT || s->next > s->last) {
        if (s->way->sent)
            s->way->sent(s->way->arg, s->unreported);
        s->unreported = 0;
    }
    return n;
}

/* What is left of the row that did not fit. */
static size_t rest(struct rows *s, char *out, size_t room)
{
    size_t n = s->len - s->at < room ? s->len - s->at : room;

    memcpy(out, s->row + s->at, n);
    s->at += n;
    return n;
}

static size_t read_rows(void *arg, char *out, size_t room)
{
    struct rows *s = arg;
    size_t n = rest(s, out, room);

    while (s->next <= s->last && room - n >= LOAD_ROW_MAX)
        n += make(s, LOAD_TABS, out + n);
    if (s->next <= s->last && n < room) {
        s->len = make(s, LOAD_TABS, s->row);
        s->at = 0;
        n += rest(s, out + n, room - n);
    }
    return n;
}

static int send_feed(sql_connection *con, struct rows *s, const struct load_piece *p,
                     uint64_t *taken)
{
    struct sql_feed feed = {.read = read_rows, .arg = s};
    bool copy = s->way->method == LOAD_BY_COPY;
    char text[160];
    int n = snprintf(text, sizeof text, "%ssbtest%" PRIu64 " (id, k, c, pad)%s",
                     copy ? "COPY " : "LOAD DATA LOCAL INFILE 'rows of sysbench' INTO TABLE ",
                     p->table, copy ? " FROM STDIN" : "");

    return sql_load(con, text, (size_t)n, &feed, taken);
}

static int query(sql_connection *con, const char *text, size_t len)
{
    sql_query(con, text, len);
    return con->error == DB_ERROR_NONE ? 0 : -1;
}

static int send_inserts(sql_connection *con, struct rows *s, const struct load_piece *p)
{
    struct str text = STR_INIT;
    int rc = query(con, "BEGIN", 5);

    while (!rc && s->next <= s->last) {
        str_reset(&text);
        str_printf(&text, "INSERT INTO sbtest%" PRIu64 "(id, k, c, pad) VALUES ", p->table);
        /* as many rows as a statement may have; at least one, which the server may then refuse */
        for (size_t n = 0;
             s->next <= s->last && (!n || text.len + LOAD_ROW_MAX + 2 <= s->way->packet); n++) {
            if (n)
                str_adds(&text, ",");
            str_room(&text, LOAD_ROW_MAX);
            text.len += make(s, LOAD_VALUES, text.s + text.len);
        }
        str_adds(&text, "");
        rc = query(con, str_cstr(&text), text.len);
    }
    str_free(&text);
    return rc ? rc : query(con, "COMMIT", 6);
}

/* After an attempt whose answer was lost; no rows are there after any other.  PostgreSQL's DELETE
 * does not wait for rows that another session has not committed yet, and a table without a unique
 * key takes them twice: the lock waits until the lost session is through. */
static int remove_rows(sql_connection *con, const struct load_piece *p)
{
    bool lock = strcmp(con->driver->sname, "pgsql") == 0;
    char text[160];
    int n = snprintf(text, sizeof text, "LOCK TABLE sbtest%" PRIu64 " IN SHARE ROW EXCLUSIVE MODE",
                     p->table);
    int rc = lock ? query(con, "BEGIN", 5) : 0;

    rc = rc || !lock ? rc : query(con, text, (size_t)n);
    n = snprintf(text, sizeof text,
                 "DELETE FROM sbtest%" PRIu64 " WHERE id BETWEEN %" PRIu64 " AND %" PRIu64,
                 p->table, p->first, p->last);
    rc = rc ? rc : query(con, text, (size_t)n);
    return rc || !lock ? rc : query(con, "COMMIT", 6);
}

int load_send(sql_connection *con, const struct load_rows *l, const struct load_piece *p,
              const struct load_way *way, uint64_t *taken)
{
    uint64_t all = p->last - p->first + 1;
    bool again = false, repeats;
    int rc;

    sql_set_transaction_mode(con, DB_QUIET);
    for (;;) {
        struct rows s = (struct rows){.way = way, .next = p->first, .last = p->last};
        load_maker_init(&s.maker, l, &p->rng);
        rc = again ? remove_rows(con, p) : 0;
        *taken = all;
        switch (way->method) {
        case LOAD_BY_COPY: rc = rc ? rc : send_feed(con, &s, p, taken); break;
        case LOAD_BY_INSERT: rc = rc ? rc : send_inserts(con, &s, p); break;
        case LOAD_BY_LOAD: /* it leaves out a row that the table does not take, as if all were well
                            */
            rc = rc ? rc : query(con, "BEGIN", 5);
            rc = rc ? rc : send_feed(con, &s, p, taken);
            if (!rc)
                rc = *taken == all ? query(con, "COMMIT", 6) : query(con, "ROLLBACK", 8);
            break;
        }
        rc = rc == 0 && *taken != all ? -1 : rc;
        if (rc >= 0)
            break;
        repeats = sql_runs_again(con);
        /* Rows that the first attempt finds are somebody else's, and not ours to delete.  Where a
         * later one finds rows, the server was still at work on the attempt whose answer was lost
         * when we deleted them. */
        if (con->error != DB_ERROR_NONE && sql_error_class(con) == ERROR_DUPLICATE) {
            repeats = again;
            if (again)
                sql_rollback(con);
        }
        if (!repeats || !way->again || !way->again(way->arg, s.next - p->first - s.unreported))
            break;
        again = true;
    }
    sql_set_transaction_mode(con, 0);
    return rc;
}
