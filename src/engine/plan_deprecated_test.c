/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which old names take effect, and the messages about them.
 */
#include "engine/plan_deprecated.h"

#include "base/test.h"
#include "base/test_capture.h"
#include "engine/plan.h"
#include "opt/random_options.h"

static struct opts *options(const char *const *arg)
{
    struct opts *o = opts_new();
    struct err e = {0};

    plan_options(o);
    random_options_declare(o); /* the plan has --rand-seed */
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, &e), 0);
    return o;
}

#define OPTIONS(...) options((const char *const[]){__VA_ARGS__, NULL})

static void check(const char *arg, const char *now, int64_t value, const char *warning)
{
    struct opts *o = OPTIONS(arg);

    capture();
    plan_apply_deprecated(o);
    CHECK_STR(captured(), warning);
    CHECK_INT(opt_int(o, now), value);
    opts_free(o);
}

static void test_names(void)
{
    check("--num-threads=8", "threads", 8,
          "WARNING: --num-threads is deprecated, use --threads instead\n");
    check("--num-threads=1", "threads", 1, ""); /* its default: "not used" */
    check("--max-requests=100", "events", 100,
          "WARNING: --max-requests is deprecated, use --events instead\n");
    check("--max-requests=0", "events", 0, "");
    check("--max-requests=-1", "events", -1,
          "WARNING: --max-requests is deprecated, use --events instead\n");
    check("--max-time=5", "time", 5, "WARNING: --max-time is deprecated, use --time instead\n");
    check("--max-time=-5", "time", 10, "");
    check("--threads=3", "threads", 3, "");
}

/* The old name wins. */
static void test_both(void)
{
    struct opts *o = OPTIONS("--num-threads=8", "--threads=2");

    capture();
    plan_apply_deprecated(o);
    captured();
    CHECK_INT(opt_int(o, "threads"), 8);
    opts_free(o);
}

/* stderr as capture() does stdout */
static size_t note_length(struct opts *o, const char *command)
{
    int before = dup(STDERR_FILENO);
    FILE *f = tmpfile();
    struct plan p;
    struct err e = {0};
    long n;

    if (!f)
        abort();
    dup2(fileno(f), STDERR_FILENO);
    CHECK_INT(plan_from_options(&p, o, &e), 0);
    plan_note_tx_rate(&p, o, command);
    dup2(before, STDERR_FILENO);
    close(before);
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    fclose(f);
    opts_free(o);
    return (size_t)n;
}

static void test_note(void)
{
    CHECK(note_length(OPTIONS("--tx-rate=5"), "run") > 100);
    CHECK_INT(note_length(OPTIONS("--tx-rate=5"), "prepare"), 0);
    CHECK_INT(note_length(OPTIONS("--tx-rate=5"), NULL), 0);
    CHECK_INT(note_length(OPTIONS("--tx-rate=0"), "run"), 0);
    CHECK_INT(note_length(OPTIONS("--rate=5"), "run"), 0);
    /* another option of ours: the user knows the difference */
    CHECK_INT(note_length(OPTIONS("--tx-rate=5", "--tx-jitter=0"), "run"), 0);
}

int main(void)
{
    test_names();
    test_both();
    test_note();
    return test_done("plan_deprecated_test");
}
