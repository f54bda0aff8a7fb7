/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names are looked up once for all who ask, and a slow one stops only those who wait for it.  The
 * name server is one of ours: it answers when the test says so.
 */
#include "fiber/worker.h"
#include "fiber/sched_test.h"

#include <arpa/inet.h>
#include <string.h>

static _Atomic int asked, released;      /* of the name server */
static _Atomic uint32_t slow_may_answer; /* it answers about slow.test once this is set */
static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};

/* Two addresses, as of a name with two records. */
static struct addrinfo *two_addresses(void)
{
    struct addrinfo *a = mem_array(2, sizeof *a);

    a[0].ai_next = &a[1];
    a[0].ai_family = AF_INET6;
    a[1].ai_family = AF_INET;
    return a;
}

static int server_look_up(const char *node, const char *service, const struct addrinfo *h,
                          struct addrinfo **out)
{
    (void)service;
    if (h->ai_flags & AI_NUMERICHOST) {
        *out = strcmp(node, "10.0.0.1") == 0 ? two_addresses() : NULL;
        return *out ? 0 : EAI_NONAME;
    }
    atomic_fetch_add(&asked, 1);
    if (strcmp(node, "slow.test") == 0)
        clock_sleep_until(MONO_NEVER, &slow_may_answer, 0);
    if (strcmp(node, "unknown.test") == 0)
        return EAI_NONAME;
    *out = two_addresses();
    return 0;
}

static void server_release(struct addrinfo *list)
{
    atomic_fetch_add(&released, 1);
    free(list);
}

static const struct resolver_calls name_server = {server_look_up, server_release};

static void let_slow_answer(void)
{
    atomic_store(&slow_may_answer, 1);
    clock_wake(&slow_may_answer);
}

/* The address families of a name, "" when it has none. */
static const char *families(const char *node, const char *service)
{
    struct addrinfo *list = NULL;
    const char *text = "";

    if (getaddrinfo(node, service, &hints, &list))
        return text;
    if (list->ai_family == AF_INET6 && list->ai_next->ai_family == AF_INET &&
        !list->ai_next->ai_next)
        text = "6 4";
    freeaddrinfo(list);
    return text;
}

/* --- clients of one worker --- */

/* Tasks 0 and 1 wait for the slow name; 2 and 3 are served meanwhile, and let it answer. */
static void resolve(struct scene *s, size_t i)
{
    bool slow = i < 2;

    if (slow)
        atomic_fetch_add(&s->waiting, 1);
    else
        CHECK_INT((int)atomic_load(&s->waiting), 2);
    CHECK_STR(families(slow ? "slow.test" : "fast.test", "3306"), "6 4");
    s->order[atomic_fetch_add(&s->ended, 1)] = (int)i;
    if (s->ended == 2)
        let_slow_answer();
}

static void a_slow_name(struct scene *s)
{
    scene_join(s);
    CHECK(s->order[0] >= 2 && s->order[1] >= 2); /* tasks 2 and 3 ended first */
    CHECK_INT(s->ended, 4);
}

/* --- one client on a thread --- */

static void numbers(void)
{
    struct addrinfo *list = NULL;
    struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};

    atomic_store(&asked, 0);
    CHECK_STR(families("10.0.0.1", "3306"), "6 4");
    CHECK_INT(getaddrinfo("fast.test", NULL, &numeric, &list), EAI_NONAME);
    CHECK_INT(asked, 0);
    freeaddrinfo(NULL);
}

static void answers_are_kept(void)
{
    atomic_store(&asked, 0);
    CHECK_STR(families("kept.test", "1"), "6 4");
    CHECK_STR(families("kept.test", "1"), "6 4");
    CHECK_TIMED_INT(asked, 1);
    CHECK_STR(families("kept.test", "2"), "6 4");
    CHECK_STR(families("kept.test", NULL), "6 4");
    CHECK_TIMED_INT(asked, 3);
    clock_sleep_until(clock_mono() + RESOLVER_KEEPS, &(_Atomic uint32_t){0}, 0);
    CHECK_STR(families("kept.test", "1"), "6 4");
    CHECK_TIMED_INT(asked, 4);
}

static void failures_are_not(void)
{
    struct addrinfo *list = NULL;

    atomic_store(&asked, 0);
    CHECK_INT(getaddrinfo("unknown.test", "1", &hints, &list), EAI_NONAME);
    CHECK_INT(getaddrinfo("unknown.test", "1", NULL, &list), EAI_NONAME);
    CHECK_INT(getaddrinfo("unknown.test", "1", &hints, &list), EAI_NONAME);
    CHECK_INT(asked, 3);
}

static void limits_hold(void)
{
    struct addrinfo *list = NULL;
    mono_ns begun = clock_mono();

    atomic_store(&slow_may_answer, 0);
    sched_limit_waits(begun + 2 * NS_PER_MS);
    CHECK_INT(getaddrinfo("slow.test", "limit", &hints, &list), EAI_FAIL);
    CHECK(clock_mono() >= begun + 2 * NS_PER_MS);
    CHECK(sched_waits_over());
    sched_limit_waits(0);
    let_slow_answer();
    CHECK_STR(families("slow.test", "limit"), "6 4"); /* the answer of the same look-up */
}

/* What nobody uses and no client would get any more is released at the next question. */
static void lists_are_released(void)
{
    struct addrinfo *held = NULL;
    int before;

    CHECK_INT(getaddrinfo("held.test", "1", &hints, &held), 0);
    clock_sleep_until(clock_mono() + RESOLVER_KEEPS, &(_Atomic uint32_t){0}, 0);
    CHECK_STR(families("other.test", "1"), "6 4");
    before = released;
    CHECK_INT(held->ai_family, AF_INET6);
    freeaddrinfo(held);
    CHECK_STR(families("unknown.test", "1"), "");
    CHECK(released > before);
}

static void the_real_one(void)
{
    static const struct resolver_calls real = {0};
    struct addrinfo *list = NULL;

    resolver_use(&real);
    CHECK_INT(getaddrinfo("localhost", "5432", &hints, &list), 0);
    CHECK(list && (list->ai_family == AF_INET || list->ai_family == AF_INET6));
    freeaddrinfo(list);
    CHECK_INT(getaddrinfo("127.0.0.1", "5432", &hints, &list), 0);
    CHECK_INT(ntohs(((struct sockaddr_in *)(void *)list->ai_addr)->sin_port), 5432);
    freeaddrinfo(list);
}

TEST_MAIN(resolver_test)
{
    resolver_use(&name_server);
    timed_begin();
    play(4, 1, 0, resolve, a_slow_name);
    CHECK_TIMED_INT(asked, 2); /* an answer is kept for a second */
    numbers();
    TIMED(answers_are_kept);
    failures_are_not();
    limits_hold();
    lists_are_released();
    the_real_one();
    return timed_done("resolver");
}
