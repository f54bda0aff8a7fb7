/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Meetings with uninvited guests: each is refused with a sentence, and the members meet all the
 * same.
 */
#include "cluster/meet_test.h"

#include <pthread.h>

/* Leads in a thread, so that the test can be the guests. */
static void *lead(void *arg)
{
    struct ranks *r = arg;
    struct err e = {0};

    CHECK_INT(meet_lead(r->listener, &r->terms, &r->c, &e), 0);
    CHECK_STR(e.msg, "");
    return NULL;
}

struct party {
    struct ranks r;
    pthread_t leader;
};

static void party_begin(struct party *p, int size)
{
    ranks_begin(&p->r, size);
    CHECK_INT(pipe(p->r.gate), 0);
    for (int i = 1; i < size; i++)
        ranks_fork(&p->r, i, nothing); /* before there are threads */
    capture_errors();
    pthread_create(&p->leader, NULL, lead, &p->r);
}

/* The members come, and meet.  Returns what the leader said. */
static const char *party_end(struct party *p)
{
    close(p->r.gate[1]);
    close(p->r.gate[0]);
    pthread_join(p->leader, NULL);
    for (int i = 1; i < p->r.terms.size; i++)
        say(p->r.c, i, "end");
    ranks_end(&p->r);
    return captured();
}

static void check_strangers(void)
{
    struct party p = {0};
    const char *said;
    int silent, fd, refused = 0;

    party_begin(&p, 3);
    silent = dial(&p.r); /* a connection that is never used */
    close(dial(&p.r));   /* a port scanner */
    fd = dial(&p.r);     /* a browser */
    send(fd, "GET / HTTP/1.1\r\nHost: load1\r\n\r\n", 31, 0);
    await_end(fd);
    fd = dial(&p.r); /* half a frame, and gone */
    send(fd, "\10\0\0\0", 4, 0);
    shutdown(fd, SHUT_WR);
    await_end(fd);
    fd = dial(&p.r); /* a frame of the wrong kind */
    send(fd, "\0\0\0\0\1\0\0\0", 8, 0);
    await_end(fd);
    fd = dial(&p.r); /* one that says too much is refused before its words take memory */
    send(fd, "\0\0\0\1\5\0\0\0", 8, 0);
    await_end(fd);
    said = party_end(&p);
    close(silent);
    CHECK(strstr(said, "Refused a connection from 127.0.0.1:"));
    CHECK(strstr(said, ": it closed the connection without joining\n"));
    while ((said = strstr(said, ": it is not a rank of sysbench\n")) != NULL)
        refused++, said++;
    CHECK_INT(refused, 3);
}

/* So many connections that say nothing that there is no place for more. */
static void check_crowd(void)
{
    struct party p = {0};
    struct str hello = STR_INIT;
    int fd[100];
    char more;

    party_begin(&p, 2);
    for (int i = 0; i < 100; i++)
        fd[i] = dial(&p.r);
    CHECK(strstr(party_end(&p), "too many connections at once"));
    CHECK_INT(read_frame(fd[0], &hello), FRAME_HELLO);
    CHECK_INT(recv(fd[0], &more, 1, 0), 0); /* a member in its place would have tried again */
    str_free(&hello);
    for (int i = 0; i < 100; i++)
        close(fd[i]);
}

/* The sentence of a member that was refused, from the leader's address on. */
static const char *refused(const struct party *p, const struct cluster_spec *t)
{
    static struct err e;
    struct cluster *c;
    const char *why;

    e = (struct err){0};
    CHECK_INT(ranks_join(&p->r, t, &c, &e), -1);
    CHECK(c == NULL);
    CHECK_INT(e.kind, ERR_FAILED);
    why = strstr(e.msg, " refused rank ");
    return why ? why + 1 : e.msg;
}

static void check_wrong_members(void)
{
    struct party p = {0};
    struct cluster_spec t;
    const char *said;

    party_begin(&p, 3);
    t = p.r.terms;
    t.rank = 1;
    t.secret = "a guess";
    CHECK_STR(refused(&p, &t),
              "refused rank 1: its secret (SYSBENCH_CLUSTER_SECRET) is not the leader's");
    t.secret = p.r.terms.secret;
    t.size = 4;
    CHECK_STR(refused(&p, &t), "refused rank 1: --cluster-size=4 there, 3 at the leader");
    t.size = 3;
    t.rank = 3;
    CHECK_STR(refused(&p, &t), "refused rank 3: there is no member with --cluster-rank=3");
    t.rank = 0;
    CHECK_STR(refused(&p, &t), "refused rank 0: there is no member with --cluster-rank=0");
    said = party_end(&p);
    CHECK(strstr(said, ": its secret (SYSBENCH_CLUSTER_SECRET) is not the leader's\n"));
    CHECK(strstr(said, ": --cluster-size=4 there, 3 at the leader\n"));
}

/* Joins by hand, with that nonce or the leader's (NULL); returns the type of the answer. */
static unsigned join_by_hand(int fd, struct handshake_join *j, const char *secret,
                             const unsigned char *nonce, struct str *answer)
{
    unsigned char given[HANDSHAKE_NONCE];
    struct str p = STR_INIT;

    CHECK_INT(read_frame(fd, answer), FRAME_HELLO);
    CHECK(handshake_get_hello(answer, given));
    handshake_put_join(&p, j, secret, nonce ? nonce : given);
    send_frame(fd, FRAME_JOIN, &p);
    str_free(&p);
    return read_frame(fd, answer);
}

/* Of another version; and with words that were said at another meeting. */
static void check_rejected(unsigned protocol, const unsigned char *nonce, const char *why)
{
    struct party p = {0};
    struct handshake_join j = {.protocol = protocol, .rank = 1, .size = 2, .host = "old"};
    struct str answer = STR_INIT;

    party_begin(&p, 2);
    int fd = dial(&p.r);
    CHECK_INT(join_by_hand(fd, &j, "a secret", nonce, &answer), FRAME_REJECT);
    close(fd);
    CHECK(strstr(party_end(&p), why));
    str_free(&answer);
}

/* The same rank twice; and a member that dies at the meeting makes place for another. */
static void check_twice(void)
{
    struct party p = {0};
    struct handshake_join j = {
        .protocol = HANDSHAKE_PROTOCOL, .rank = 1, .size = 3, .host = "load9"};
    struct handshake_accept w;
    struct str answer = STR_INIT;
    struct cluster_spec t;
    int fd;

    party_begin(&p, 3);
    fd = dial(&p.r);
    CHECK_INT(join_by_hand(fd, &j, "a secret", NULL, &answer), FRAME_ACCEPT);
    CHECK(handshake_get_accept(&answer, &w, "a secret", j.nonce));
    CHECK(!handshake_get_accept(&answer, &w, "another", j.nonce));
    t = p.r.terms;
    t.rank = 1;
    CHECK_STR(refused(&p, &t), "refused rank 1: rank 1 has joined already, from load9");
    shutdown(fd, SHUT_WR);
    await_end(fd); /* now the leader knows */
    party_end(&p);
    str_free(&answer);
}

TEST_MAIN(meet_test)
{
    signal(SIGPIPE, SIG_IGN);
    check_strangers();
    check_crowd();
    check_wrong_members();
    check_rejected(HANDSHAKE_PROTOCOL + 1, NULL,
                   "it is another version of sysbench (protocol 4 instead of 3)");
    check_rejected(HANDSHAKE_PROTOCOL, (const unsigned char[HANDSHAKE_NONCE]){7}, "its secret");
    check_twice();
    return test_done("meet_test");
}
