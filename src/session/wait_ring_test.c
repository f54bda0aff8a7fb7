/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is told of a standstill, from the samples within it.
 */
#include "session/wait_ring.h"

#include "base/test.h"

#define MS NS_PER_MS

static struct wait_ring ring;

static void sample(mono_ns asked, dur_ns took, const char *why, unsigned commits, unsigned locks,
                   const char *own)
{
    struct session_wait v[64] = {0};
    struct server_waits list = {.session = v, .sessions = commits + locks + 1};
    struct ring_sample is = {.asked = asked, .answered = asked + took, .of.why = why};

    for (size_t i = 0; i < commits; i++)
        v[i] = (struct session_wait){.class = WAIT_LOG, .name = "WALWrite", .ours = true};
    for (size_t i = commits; i < commits + locks; i++)
        v[i] = (struct session_wait){.class = WAIT_ROW, .name = "row lock", .ours = true};
    v[commits + locks] = (struct session_wait){.class = WAIT_IO, .name = "DataFileSync"};
    snprintf(v[commits + locks].own, sizeof v->own, "%s", own);
    if (!why)
        ring_list(&is, &list);
    is.of.behind = locks;
    snprintf(is.of.who, sizeof is.of.who, "pid 12, psql, active for 3 s");
    ring_add(&ring, &is);
}

static const char *told(mono_ns from, mono_ns to)
{
    static char text[256];

    ring_tell(&ring, from, to, text, sizeof text);
    return text;
}

TEST_MAIN(wait_ring_test)
{
    CHECK_STR(told(0, 900 * MS),
              "what the sessions waited for is not known (no answer in time: the server, its "
              "network or its thread pool may hang)");
    sample(100 * MS, 10 * MS, NULL, 1, 0, ""); /* before */
    sample(200 * MS, 10 * MS, NULL, 41, 3, "checkpointer");
    sample(300 * MS, 10 * MS, NULL, 40, 3, "checkpointer");
    sample(400 * MS, 10 * MS, NULL, 41, 0, "");
    sample(500 * MS, 200 * MS, NULL, 0, 9, "walwriter"); /* the answer came after it */
    CHECK_STR(told(150 * MS, 600 * MS), "41 sessions in WALWrite, 2 in row lock (behind pid 12, "
                                        "psql, active); checkpointer in DataFileSync");
    CHECK_STR(told(350 * MS, 600 * MS), "41 sessions in WALWrite");
    CHECK_STR(told(90 * MS, 120 * MS), "1 session in WALWrite");
    CHECK(ring_tell(&ring, 350 * MS, 600 * MS, (char[99]){""}, 99));
    sample(1700 * MS, MS, NULL, 0, 5, "");
    struct ring_sample *last = &ring.v[(ring.n - 1) % RING_SAMPLES];
    last->of.behind = 0, last->of.root[WAIT_CLASSES] = 3;
    CHECK_STR(told(1690 * MS, 1750 * MS), "5 sessions in row lock (behind a deadlock)");
    struct session_wait runs = {.class = WAIT_CPU, .name = "cpu", .ours = true};
    struct ring_sample is = {.asked = 950 * MS, .answered = 951 * MS};
    ring_list(&is, &(struct server_waits){.session = &runs, .sessions = 1});
    ring_add(&ring, &is);
    CHECK_STR(told(940 * MS, 960 * MS), "1 session in cpu");
    CHECK(!ring_tell(&ring, 940 * MS, 960 * MS, (char[99]){""}, 99)); /* something else may */
    sample(800 * MS, MS, NULL, 0, 0, "");
    CHECK_STR(told(790 * MS, 810 * MS), "the server had begun no statement of theirs");
    sample(900 * MS, MS, "no privilege", 0, 0, "");
    CHECK_STR(told(890 * MS, 910 * MS), "what the sessions waited for is not known (no privilege)");
    for (mono_ns at = 200 * MS; at <= 600 * MS; at += 100 * MS)
        ring_stopped(&ring, at);
    CHECK_STR(told(150 * MS, 600 * MS), "the server was stopped");
    CHECK_STR(told(550 * MS, 900 * MS),
              "the server had begun no statement of theirs"); /* most of it was later */
    for (int i = 0; i < 2 * RING_SAMPLES; i++)
        sample((2000 + i) * MS, 0, NULL, 2, 0, "");
    CHECK_STR(told(2000 * MS, 2000 * MS + RING_SAMPLES * MS - 1),
              "what the sessions waited for is not known (no answer in time: the server, its "
              "network or its thread pool may hang)");
    CHECK_STR(told(2000 * MS, 3000 * MS), "2 sessions in WALWrite");
    return test_done("wait_ring");
}
