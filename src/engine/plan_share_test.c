/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A plan that several ranks divide: who has how many clients, which numbers they have and what they
 * draw; --events, --min-clients and --workers of a share; what cannot be divided.
 */
#include "engine/plan.h"

#include "engine/run_test.h"

/* The plan of "option=value option=value ..." for one of the ranks; the error in `e`. */
static int divided(struct plan *p, const char *options, int rank, int ranks)
{
    static const struct opt_row others[] = {
        {.name = "rand-seed", .type = OPT_INT, .def = "0", .help = "seed"},
        {.name = "mark-on", .type = OPT_STRING, .def = "", .help = "marks"}};
    struct opts *o = opts_new();
    char text[256], *at = NULL;
    int rc;

    plan_options(o);
    opts_add(o, OPT_GROUP_RANDOM, others, sizeof others / sizeof *others);
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        opt_set(o, word, value, NULL);
    }
    e = (struct err){0};
    rc = opts_check(o, &e) || plan_from_options(p, o, &e) || plan_divide(p, o, rank, ranks, &e);
    plan_fini(p);
    opts_free(o);
    return rc;
}

static struct plan share(const char *options, int rank, int ranks)
{
    struct plan p;

    CHECK_INT(divided(&p, options, rank, ranks), 0);
    CHECK_STR(e.msg, "");
    return p;
}

static void clients(void)
{
    static const int want[] = {4, 3, 3};

    for (int r = 0; r < 3; r++) {
        struct plan p = share("threads=10", r, 3);
        CHECK_INT(p.clients, want[r]);
        CHECK_INT(plan_share(&p, r), want[r]);
        CHECK_INT(p.clients_all, 10);
        CHECK_INT(plan_told_clients(&p), r ? want[r] : 10);
        CHECK_INT(plan_client_number(&p, 2), 6 + r);
        CHECK_INT(plan_client_place(&p, 2), 2 + 3 * r + (r > 0));
        CHECK_INT(p.min_clients, want[r]);
    }
}

/* 10 of 16 suffice: 6 may be absent, of 3 ranks 2 each. */
static void absent_clients(void)
{
    CHECK_INT(share("threads=16 min-clients=10", 0, 3).min_clients, 4);
    CHECK_INT(share("threads=16 min-clients=10", 1, 3).min_clients, 3);
    CHECK_INT(share("threads=16 min-clients=10", 2, 3).min_clients, 3);
}

static void workers(void)
{
    CHECK_INT(share("threads=8 workers=4", 1, 3).workers, 3); /* of 3 clients */
    CHECK_INT(share("threads=800 workers=4", 1, 3).workers, 4);
}

static void refused(void)
{
    struct plan p;

    CHECK(divided(&p, "threads=2", 0, 3));
    CHECK_STR(e.msg, "--threads=2 is too few for 3 ranks: each needs at least one client");
    CHECK(divided(&p, "threads=8 warmup-time=15 warmup-until=steady", 0, 2));
    CHECK_STR(e.msg, "--warmup-until=steady is for one load host, and this run has 2 (--cluster)");
    CHECK(divided(&p, "threads=8 tx-find=p99<20ms", 1, 3));
    CHECK_STR(e.msg, "--tx-find searches with one load host, and this run has 3 (--cluster)");
}

/* What each client, by its number, draws first; and how many transactions were done. */
struct drawn {
    uint64_t first[64], done;
};

static struct drawn drawn;

static int note_first(struct load *l, struct client *c, struct err *err)
{
    drawn.first[client_id(c)] = rng_next(client_rng(c));
    CHECK_INT(client_index(c), client_id(c) / (int)l->after);
    return 0;
}

/* Each rank in turn, as a run of its own. */
static struct drawn drawn_by(int ranks, uint64_t events, double rate)
{
    drawn = (struct drawn){.done = 0};
    for (int r = 0; r < ranks; r++) {
        struct load l = fresh();
        struct plan p = base_plan(11, rate);
        p.rank = r;
        p.ranks = ranks;
        p.clients_all = p.clients;
        p.clients = plan_share(&p, r);
        p.seed = 99;
        p.max_events = events;
        p.time_limit = 0;
        l.service = NS_PER_MS;
        l.opens = note_first;
        l.after = (uint64_t)ranks;
        CHECK_INT(run(&l, &p), 0);
        CHECK_INT(res.final.events, share_of(plan_shares(&p), events));
        drawn.done += res.final.events;
    }
    return drawn;
}

static void same_draws(void)
{
    struct drawn one = drawn_by(1, 50, 0), three = drawn_by(3, 50, 0), rated = drawn_by(4, 51, 700);

    CHECK_INT(one.done, 50);
    CHECK_INT(three.done, 50);
    CHECK_INT(rated.done, 51);
    CHECK(one.first[0] && one.first[10] && !one.first[11]);
    CHECK(memcmp(one.first, three.first, sizeof one.first) == 0);
    CHECK(memcmp(one.first, rated.first, sizeof one.first) == 0);
}

TEST_MAIN(plan_share_test)
{
    clients();
    absent_clients();
    workers();
    refused();
    held = held_clock_new();
    same_draws();
    held_clock_free(held);
    return test_done("plan_share_test");
}
