/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Clients of several ranks draw what those of one would, and have its events; plan_test.c has the
 * plans.
 */
#include "engine/plan.h"

#include "engine/run_test.h"

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
    held = held_clock_new();
    same_draws();
    held_clock_free(held);
    return test_done("plan_share_test");
}
