/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Meetings that fail: ranks that do not come, leaders that are none, ports that are taken.
 */
#include "cluster/meet_test.h"

#include <netdb.h>
#include <sys/resource.h>

#include "base/test_timed.h"
#include "cluster/cluster_state.h"

/* --- leaders that are none --- */

/* Plays the leader for one member, in a child; ends after the WELCOME. */
static void play_leader(struct ranks *r, const char *secret)
{
    unsigned char nonce[HANDSHAKE_NONCE] = {3};
    struct handshake_accept w = {.host = "load0"};
    struct handshake_join j;
    struct str heard = STR_INIT;
    struct str p = STR_INIT;
    bool right;
    int fd = accept(r->listener, NULL, NULL);

    handshake_put_hello(&p, nonce);
    send_frame(fd, FRAME_HELLO, &p);
    str_free(&p);
    CHECK_INT(read_frame(fd, &heard), FRAME_JOIN);
    CHECK(handshake_get_join(&heard, &j, "a secret", nonce, &right) && right);
    handshake_put_accept(&p, &w, secret, j.nonce);
    send_frame(fd, FRAME_ACCEPT, &p);
    str_free(&p);
    str_free(&heard);
    close(fd);
}

/* Refuses without an introduction. */
static void play_refuser(struct ranks *r)
{
    struct str p = STR_INIT;
    int fd = accept(r->listener, NULL, NULL);

    put_str(&p, "go\033[2J\naway");
    send_frame(fd, FRAME_REJECT, &p);
    str_free(&p);
    close(fd);
}

/* Without a secret it refuses. */
static void check_false_leader(const char *secret, const char *want)
{
    struct ranks r = {0};
    struct cluster_spec t;
    struct err e = {0};
    struct cluster *c;

    ranks_begin(&r, 2);
    fcntl(r.listener, F_SETFL, fcntl(r.listener, F_GETFL) & ~O_NONBLOCK);
    if (become_child(&r, 1)) {
        if (secret)
            play_leader(&r, secret);
        else
            play_refuser(&r);
        end_child();
    }
    close(r.listener);
    t = r.terms;
    t.rank = 1;
    CHECK_INT(ranks_join(&r, &t, &c, &e), -1);
    CHECK(strstr(e.msg, want));
    CHECK_INT(e.kind, ERR_FAILED);
    CHECK_INT(ranks_wait(&r, 1), 0);
}

static void check_false_leaders(void)
{
    check_false_leader(NULL, " refused rank 1: go?[2J?away");
    check_false_leader("a guess", " does not know the secret");
    check_false_leader("a secret", " ended before all ranks had joined: it closed the connection");
}

/* --- addresses --- */

static void check_places(void)
{
    static const struct {
        const char *address, *want;
    } t[] = {{"10.0.0.7", "10.0.0.7:5000"},
             {"fd00::1", "[fd00::1]:5000"},
             {"::ffff:10.0.0.7", "10.0.0.7:5000"}};
    const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    char place[HANDSHAKE_PLACE];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct addrinfo *a;
        CHECK_INT(getaddrinfo(t[i].address, "5000", &numeric, &a), 0);
        handshake_place(a->ai_addr, a->ai_addrlen, place);
        CHECK_STR(place, t[i].want);
        freeaddrinfo(a);
    }
}

/* --- meetings that fail --- */

static void check_absent(void)
{
    struct ranks r = {0};
    struct err e = {0};

    ranks_begin(&r, 12);
    r.terms.timeout = NS_PER_MS * 100;
    CHECK_INT(meet_lead(r.listener, &r.terms, &r.c, &e), -1);
    CHECK_INT(e.kind, ERR_TIMEOUT);
    CHECK_STR(e.msg, "ranks 1, 2, 3, 4, 5, 6, 7, 8 and others of 12 did not join within 0.1 s "
                     "(--cluster=timeout)");
}

/* A member that came in vain is told why. */
static void check_called_off(void)
{
    struct ranks r = {0};
    struct err e = {0};
    struct cluster *c;
    struct cluster_spec t;

    ranks_begin(&r, 3);
    t = r.terms;
    t.rank = 1;
    t.timeout = 5 * NS_PER_SEC;
    if (become_child(&r, 1)) {
        close(r.listener);
        CHECK_INT(ranks_join(&r, &t, &c, &e), -1);
        CHECK(strstr(e.msg, "the leader at ") == e.msg);
        CHECK(strstr(e.msg, " gave up: rank 2 of 3 did not join within 1 s (--cluster=timeout)"));
        end_child();
    }
    r.terms.timeout = NS_PER_SEC;
    CHECK_INT(meet_lead(r.listener, &r.terms, &r.c, &e), -1);
    CHECK_TIMED_INT(ranks_wait(&r, 1), 0); /* it had a second to come */
}

/* No descriptor is left for the connection that waits: the meeting ends in time all the same.
 * poll() itself refuses more connections than the limit. */
static void check_no_descriptors(rlim_t limit, const char *want)
{
    const struct rlimit few = {limit, limit};
    struct ranks r = {0};
    struct err e = {0};
    int guest;

    ranks_begin(&r, 2);
    r.terms.timeout = NS_PER_SEC / 2;
    guest = dial(&r);
    if (become_child(&r, 0)) {
        CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
        while (dup(guest) >= 0) /* all are in use */
            ;
        alarm(60);
        CHECK_INT(meet_lead(r.listener, &r.terms, &r.c, &e), -1);
        CHECK_STR(e.msg, want);
        fflush(stdout);
        _exit(test_failures ? 1 : 0); /* what exit() does may need a descriptor */
    }
    close(r.listener);
    CHECK_INT(ranks_wait(&r, 0), 0);
    close(guest);
}

/* The last refusal is part of the sentence. */
static void check_absent_refused(void)
{
    struct ranks r = {0};
    struct err e = {0};

    ranks_begin(&r, 2);
    r.terms.timeout = NS_PER_SEC / 2;
    close(dial(&r));
    capture_errors();
    CHECK_INT(meet_lead(r.listener, &r.terms, &r.c, &e), -1);
    captured();
    CHECK_TIMED(strstr(e.msg, "; the last connection that was refused, from "));
}

static void check_unknown_host(void)
{
    const char *host = "no.such.host.invalid";
    struct cluster_spec t = {.rank = 1, .size = 2, .secret = "s", .timeout = NS_PER_MS};
    struct err e = {0};
    struct cluster *c;

    CHECK_INT(meet_join(&host, 1, "5000", &t, &c, &e), -1);
    CHECK(strstr(e.msg, "cannot find the leader's host no.such.host.invalid: "));
}

/* Something else listens there. */
static void *other_service(void *arg)
{
    int fd = accept(*(int *)arg, NULL, NULL);

    send(fd, "220 mail.example.org ESMTP ready\r\n", 34, MSG_NOSIGNAL);
    await_end(fd);
    return NULL;
}

static void check_other_service(void)
{
    struct ranks r = {0};
    struct cluster_spec t;
    struct err e = {0};
    struct cluster *c;
    pthread_t thread;

    ranks_begin(&r, 2);
    fcntl(r.listener, F_SETFL, fcntl(r.listener, F_GETFL) & ~O_NONBLOCK);
    pthread_create(&thread, NULL, other_service, &r.listener);
    t = r.terms;
    t.rank = 1;
    t.timeout = NS_PER_SEC / 2;
    CHECK_INT(ranks_join(&r, &t, &c, &e), -1);
    close(dial(&r)); /* in case the attempt never came to it */
    pthread_join(thread, NULL);
    CHECK(strstr(e.msg, "is not the leader of a benchmark") || strstr(e.msg, "did not answer"));
    close(r.listener);
}

static void check_port_taken(void)
{
    struct ranks r = {0};
    struct err e = {0};
    char want[128];

    ranks_begin(&r, 2);
    CHECK_INT(meet_listen(r.port, NULL, &e), -1);
    snprintf(want, sizeof want, "cannot listen on port %s: Address already in use", r.port);
    CHECK_STR(e.msg, want);
    close(r.listener);
}

/* A port that nobody else can take, and where nobody listens yet. */
static int reserve(struct ranks *r)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    CHECK_INT(bind(fd, (struct sockaddr *)&a, n), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    snprintf(r->port, sizeof r->port, "%d", ntohs(a.sin_port));
    return fd;
}

/* The leader may be the last to come. */
static void check_leader_late(void)
{
    struct ranks r = {0};

    ranks_begin(&r, 2);
    close(r.listener);
    r.listener = reserve(&r);
    ranks_fork(&r, 1, nothing);
    usleep(300000);
    CHECK_INT(listen(r.listener, 1), 0);
    ranks_lead(&r);
    say(r.c, 1, "end");
    ranks_end(&r);
}

TEST_MAIN(meet_fail_test)
{
    signal(SIGPIPE, SIG_IGN);
    check_false_leaders();
    check_places();
    check_absent();
    check_no_descriptors(100, "rank 1 of 2 did not join within 0.5 s (--cluster=timeout); cannot "
                              "accept a connection: Too many open files");
    check_no_descriptors(20, "cannot watch the connections of ranks: Too many open files");
    check_unknown_host();
    check_other_service();
    check_port_taken();
    check_leader_late();
    TIMED(check_absent_refused);
    TIMED(check_called_off);
    return timed_done("meet_fail_test");
}
