/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hooks.h.
 */
#include "session/hooks.h"

#include "base/log.h"

bool hooks_has(const struct hooks *h, enum script_hook hook)
{
    return h->script && script_has_hook(h->script, hook);
}

static struct script_reporter *open_reporter(const struct hooks *h)
{
    struct script_reporter *out = NULL;
    struct err e = {0};
    struct rng rng;

    /* drop-in: the clients' random streams are those that come after it */
    rng_seed(&rng, h->seeder);
    if (!h->script)
        return NULL;
    if (script_reporter_open(h->script, &rng, &out, &e) && e.kind != ERR_REPORTED)
        log_fatal("%s", e.msg);
    return out;
}

static void ticker_open(void *self)
{
    struct hooks *h = self;

    if (h->intervals)
        h->interval = open_reporter(h);
    if (h->checkpoints)
        h->checkpoint = open_reporter(h);
}

static void ticker_close(void *self)
{
    struct hooks *h = self;

    if (h->interval)
        script_reporter_close(h->interval);
    if (h->checkpoint)
        script_reporter_close(h->checkpoint);
    h->interval = h->checkpoint = NULL;
}

static void snapshot(void *self, const struct snapshot *s)
{
    struct hooks *h = self;
    bool interval = s->kind == SNAPSHOT_INTERVAL;
    enum script_hook hook = interval ? SCRIPT_HOOK_INTERMEDIATE : SCRIPT_HOOK_CUMULATIVE;
    struct script_reporter *reporter = interval ? h->interval : h->checkpoint;

    if (!hooks_has(h, hook) || s->untold)
        return;
    if (s->warmup) /* a hook would take a warm-up's interval for a result */
        return;
    /* the final report is the main thread's, in the main state */
    script_report(h->script, s->kind == SNAPSHOT_FINAL ? NULL : reporter, hook, s);
}

const struct observer_ops hooks_observer = {.name = "report hooks",
                                            .ticker_open = ticker_open,
                                            .snapshot = snapshot,
                                            .ticker_close = ticker_close};
