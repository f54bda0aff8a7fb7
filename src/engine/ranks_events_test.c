/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happened at members: told once, to bytes and back, and added to the leader's list.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include "base/test.h"

#define S NS_PER_SEC

static const struct snapshot_incident stopped = {.kind = INCIDENT_STOPPED,
                                                 .at = 12 * S,
                                                 .duration = 2 * S},
                                      cpus = {
                                          .kind = INCIDENT_CPUS, .at = 9 * S, .was = 4, .is = 3};

/* What a member has at a reading, as the leader has it then. */
static void tell(struct reading *mine, struct reading_sent *sent, struct reading *theirs)
{
    struct put out = {0};
    struct get in;

    reading_put(&out, mine, sent);
    in = get_of(out.s.s, out.s.len);
    CHECK_INT(reading_get(theirs, &in), 0);
    put_free(&out);
}

static void told_once(void)
{
    struct reading mine, theirs;
    struct reading_sent sent = {0};

    reading_init(&mine, 1);
    reading_init(&theirs, 1);
    baseline_init(&sent.b, 1);
    tell(&mine, &sent, &theirs);
    CHECK_INT(theirs.incidents, 0);
    mine.incident[mine.incidents++] = stopped;
    tell(&mine, &sent, &theirs);
    tell(&mine, &sent, &theirs);
    CHECK_INT(theirs.incidents, 1);
    mine.incident[mine.incidents++] = cpus;
    tell(&mine, &sent, &theirs);
    CHECK_INT(theirs.incidents, 2);
    CHECK_INT(theirs.incident[0].kind, INCIDENT_STOPPED);
    CHECK_INT(theirs.incident[0].at, 12 * S);
    CHECK_INT(theirs.incident[0].duration, 2 * S);
    CHECK_INT(theirs.incident[1].kind, INCIDENT_CPUS);
    CHECK_INT(theirs.incident[1].was, 4);
    CHECK_INT(theirs.incident[1].is, 3);
    baseline_fini(&sent.b);
    reading_fini(&mine);
    reading_fini(&theirs);
}

/* More of them than there is room for, of a kind that members do not tell. */
static void bad(void)
{
    struct reading mine, theirs;
    struct reading_sent sent = {0};
    struct put out = {0};
    struct get in;

    reading_init(&mine, 1);
    reading_init(&theirs, 1);
    baseline_init(&sent.b, 1);
    mine.incident[mine.incidents++] = stopped;
    theirs.incidents = SNAPSHOT_MAX_INCIDENTS;
    reading_put(&out, &mine, &sent);
    in = get_of(out.s.s, out.s.len);
    CHECK_INT(reading_get(&theirs, &in), -1);
    put_free(&out);
    mine.incident[mine.incidents++].kind = INCIDENT_RANK_LOST;
    theirs.incidents = 0;
    out = (struct put){0};
    reading_put(&out, &mine, &sent);
    in = get_of(out.s.s, out.s.len);
    CHECK_INT(reading_get(&theirs, &in), -1);
    put_free(&out);
    baseline_fini(&sent.b);
    reading_fini(&mine);
    reading_fini(&theirs);
}

static void added(void)
{
    static struct incidents to; /* some kB */
    struct reading from;

    reading_init(&from, 1);
    from.incident[from.incidents++] = stopped;
    from.incident[from.incidents++] = cpus;
    ranks_add_incidents(&to, &from, 2, "load3", false);
    ranks_add_incidents(&to, &from, 2, "load3", false);
    CHECK_INT(to.n, 2);
    CHECK_INT(to.v[0].kind, INCIDENT_STOPPED);
    CHECK_INT(to.v[0].rank, 2);
    CHECK_STR(to.v[0].host, "load3");
    from.merged = 0;
    ranks_add_incidents(&to, &from, 1, NULL, true); /* the leader says it of the machine */
    CHECK_INT(to.n, 3);
    CHECK_INT(to.v[2].kind, INCIDENT_STOPPED);
    CHECK_STR(to.v[2].host, "");
    to.v[to.n++] = (struct snapshot_incident){.kind = INCIDENT_CLOCK_SET, .at = 11 * S};
    to.v[to.n++] = (struct snapshot_incident){.kind = INCIDENT_SERVER_RESTARTED, .at = S};
    ranks_own_incidents(&to, "load1");
    CHECK_STR(to.v[3].host, "load1");
    CHECK(!to.v[4].host);
    CHECK_INT(to.v[0].rank, 2);
    CHECK_STR(to.v[0].host, "load3");
    incidents_sort(&to);
    CHECK_INT(to.v[0].at, S);
    CHECK_INT(to.v[1].at, 9 * S);
    CHECK_INT(to.v[2].at, 11 * S);
    CHECK_INT(to.v[3].rank, 1);
    CHECK_INT(to.v[4].rank, 2);
    to.n = SNAPSHOT_MAX_INCIDENTS;
    from.merged = 0;
    ranks_add_incidents(&to, &from, 1, "load2", false);
    CHECK_INT(to.n, SNAPSHOT_MAX_INCIDENTS);
    reading_fini(&from);
}

TEST_MAIN(ranks_events_test)
{
    told_once();
    bad();
    added();
    return test_done("ranks_events_test");
}
