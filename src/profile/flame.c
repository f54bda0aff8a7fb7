/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See flame.h.  Letters are drawn in a fixed-width face of known proportion, so the program can
 * compute how many fit into a box.
 */
#include "profile/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- boxes -------------------------------------------------------------------------------- */

/*
 * The rows are ordered frame by frame (folded_finish), so the open boxes are
 * those that the present row shares with the one before it; a row's weight is added to all that are
 * open.
 */

static size_t new_box(struct flame_tree *t, struct flame_box box)
{
    t->box = mem_append(t->box, t->n, sizeof *t->box);
    t->box[t->n] = box;
    return t->n++;
}

void flame_tree_build(struct flame_tree *t, const struct folded *f)
{
    size_t *open = NULL, n = 0; /* into t->box, by depth */
    uint64_t at = 0;

    *t = (struct flame_tree){0};
    open = mem_append(open, n, sizeof *open);
    open[n++] = new_box(t, (struct flame_box){.name = ""});
    for (const struct folded_row *r = f->row; r < f->row + f->n; r++) {
        const char *frame = r->stack;
        size_t depth = 1, len;
        for (;; depth++, frame += len + 1) { /* keeps those open that the row is in */
            const struct flame_box *b = depth < n ? &t->box[open[depth]] : NULL;
            len = strcspn(frame, ";");
            if (!b || b->len != len || memcmp(b->name, frame, len) != 0) {
                if (depth < n)
                    n = depth;
                open = mem_append(open, n, sizeof *open);
                open[n++] = new_box(
                    t,
                    (struct flame_box){.name = frame, .len = len, .depth = (int)depth, .at = at});
            }
            if (!frame[len])
                break;
        }
        n = depth + 1;
        for (size_t k = 0; k < n; k++) {
            struct flame_box *b = &t->box[open[k]];
            b->weight += r->weight;
            b->before += r->before;
            b->idle += r->idle ? r->weight : 0;
            b->idle_before += r->idle ? r->before : 0;
        }
        at += r->weight;
    }
    free(open);
}

void flame_tree_free(struct flame_tree *t)
{
    free(t->box);
    *t = (struct flame_tree){0};
}

/* --- the picture -------------------------------------------------------------------------- */

enum { BOX = 17, SIDE = 10, HEAD = 58, FOOT = 26, FONT = 11 };
#define LETTER 6.65 /* width of one letter of that size */
#define IDLE   "#dde3dd"

struct drawing {
    struct str *out;
    const struct flame_style *style;
    const struct flame_box *all;
    double scale; /* pixels per weight */
    double most;  /* the largest difference, of a share or absolute, with diff */
    int width, height;
};

void flame_escape(struct str *out, const char *text, size_t n)
{
    while (n) {
        unsigned char c = (unsigned char)*text;
        char ahead[5] = "";

        memcpy(ahead, text, n < 4 ? n : 4);
        size_t len = str_utf8(ahead);
        if (len == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] > 0xbd)
            len = 0; /* no character of XML */
        if (c == '<')
            str_adds(out, "&lt;");
        else if (c == '>')
            str_adds(out, "&gt;");
        else if (c == '&')
            str_adds(out, "&amp;");
        else if (c == '"')
            str_adds(out, "&quot;");
        else if (len == 0 || c < 0x20 || c == 0x7f)
            str_adds(out, "?");
        else
            str_add(out, text, len);
        text += len ? len : 1;
        n -= len ? len : 1;
    }
}

/* Hue distinguishes kernel frames, unnamed frames and named frames; shade, a number that belongs to
 * the name (FNV-1a), distinguishes neighbours. */
static void plain_colour(char *buf, size_t n, const struct flame_box *b, bool cold)
{
    uint32_t h = 2166136261u;
    int r, g, bl;

    for (size_t i = 0; i < b->len; i++)
        h = (h ^ (unsigned char)b->name[i]) * 16777619u;
    double t = (double)((h >> 8) & 0xffff) / 65535.0;
    if (b->depth == 0) {
        r = 226, g = 226, bl = 220;
    } else if (b->len && b->name[0] == '[') {
        r = g = bl = 190 + (int)(30 * t);
    } else if (b->len >= 4 && memcmp(b->name + b->len - 4, "_[k]", 4) == 0) {
        r = cold ? 110 + (int)(35 * t) : 238;
        g = cold ? 130 + (int)(35 * t) : 125 + (int)(40 * t);
        bl = cold ? 225 : 60;
    } else if (cold) {
        r = 120 + (int)(40 * t), g = 190 + (int)(35 * t), bl = 225 - (int)(40 * t);
    } else {
        r = 246, g = 180 + (int)(50 * t), bl = 95 + (int)(45 * t);
    }
    snprintf(buf, n, "#%02x%02x%02x", r, g, bl);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* The weight of `before`, scaled for comparison. */
static double scaled(const struct drawing *d, uint64_t before)
{
    return (double)before * (d->style->scale > 0 ? d->style->scale : 1);
}

/* Without idle waits. */
static double change(const struct drawing *d, const struct flame_box *b)
{
    uint64_t now = b->weight - b->idle, before = b->before - b->idle_before;

    if (d->style->absolute)
        return (double)now - scaled(d, before);
    return share(now, d->all->weight - d->all->idle) -
           share(before, d->all->before - d->all->idle_before);
}

static void add_weight(const struct drawing *d, double weight, const char *sign)
{
    str_printf(d->out, "%s%.0f ", weight < 0 ? "" : sign, weight);
    flame_escape(d->out, d->style->unit, strlen(d->style->unit));
}

/* The colour of a box in a difference, and the value that determines it: red grew, blue shrank; the
 * largest change has the full colour. */
static void add_change(const struct drawing *d, const struct flame_box *b, char *colour, size_t n)
{
    uint64_t now = b->weight - b->idle, before = b->before - b->idle_before;
    double by = change(d, b), strength = fabs(by) / d->most;
    int faded = 244 - (int)(190 * (strength < 1 ? strength : 1));
    bool partly = b->idle || b->idle_before;

    snprintf(colour, n, by >= 0 ? "#f4%02x%02x" : "#%02x%02xf4", faded,
             by >= 0 ? faded : faded + (244 - faded) / 4);
    if (b->weight > 0 && b->idle == b->weight && b->idle_before == b->before) {
        snprintf(colour, n, IDLE); /* nothing but waiting for work */
        str_adds(d->out, "; idle, before ");
        add_weight(d, scaled(d, b->before), "");
    } else if (d->style->absolute) {
        if (partly) {
            str_adds(d->out, "; without idle waits ");
            add_weight(d, (double)now, "");
        }
        str_adds(d->out, partly ? ", before " : "; before ");
        add_weight(d, scaled(d, before), "");
        str_adds(d->out, ", ");
        add_weight(d, by, "+");
    } else {
        if (partly)
            str_printf(d->out, "; without idle waits %.2f%%",
                       100 * share(now, d->all->weight - d->all->idle));
        str_printf(d->out, "; before %.2f%%, %+.2f",
                   100 * share(before, d->all->before - d->all->idle_before), 100 * by);
    }
}

static void add_box(const struct drawing *d, const struct flame_box *b)
{
    double x = SIDE + (double)b->at * d->scale, width = (double)b->weight * d->scale;
    double y = d->height - FOOT - (b->depth + 1) * BOX;
    const char *name = b->depth ? b->name : "all";
    size_t len = b->depth ? b->len : 3, fits = width < 6 ? 0 : (size_t)((width - 5) / LETTER);
    char colour[8];

    str_adds(d->out, "<g><title>");
    flame_escape(d->out, name, len);
    str_adds(d->out, " (");
    add_weight(d, (double)b->weight, "");
    str_printf(d->out, ", %.2f%%", 100 * share(b->weight, d->all->weight));
    if (d->style->diff)
        add_change(d, b, colour, sizeof colour);
    else
        plain_colour(colour, sizeof colour, b, d->style->cold);
    str_printf(d->out,
               ")</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>"
               "<text x=\"%.1f\" y=\"%.0f\">",
               x, y, width, BOX - 1, colour, x + 3, y + 12.5);
    if (fits >= 3) { /* as much of the name as fits, "name" or "na.." */
        size_t shown = len <= fits ? len : fits - 2;
        while (shown < len && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80)
            shown--; /* not through a letter */
        flame_escape(d->out, name, shown);
        if (shown < len)
            str_adds(d->out, "..");
    }
    str_adds(d->out, "</text></g>\n");
}

static void add_centered(const struct drawing *d, int y, int size, const char *fill,
                         const char *text)
{
    str_printf(d->out,
               "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"%d\" fill=\"%s\">",
               d->width / 2, y, size, fill);
    flame_escape(d->out, text, strlen(text));
    str_adds(d->out, "</text>\n");
}

static void add_head(const struct drawing *d)
{
    const struct flame_style *s = d->style;
    const char *title = s->title  ? s->title
                        : s->diff ? "Difference of two flame graphs"
                                  : "Flame graph";

    str_printf(
        d->out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" "
        "font-size=\"%d\">\n<title>",
        d->width, d->height, d->width, d->height, FONT);
    flame_escape(d->out, title, strlen(title));
    str_printf(
        d->out,
        "</title>\n<style>text{pointer-events:none}#frames rect{stroke:#fff;stroke-width:0.4}"
        "#frames g:hover rect{stroke:#000;stroke-width:1}.away{display:none}.low{opacity:0.5}"
        "#say,#find,#back{pointer-events:all}#find,#back{cursor:pointer}</style>\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
        d->width, d->height);
    add_centered(d, 24, 17, "#111", title);
    if (s->subtitle)
        add_centered(d, 43, 11, "#555", s->subtitle);
    str_printf(
        d->out,
        "<text id=\"back\" x=\"%d\" y=\"24\" fill=\"#36c\" class=\"away\">reset zoom</text>\n"
        "<text id=\"find\" x=\"%d\" y=\"24\" text-anchor=\"end\" fill=\"#36c\" class=\"away\">search</text>\n"
        "<text id=\"say\" x=\"%d\" y=\"%d\" fill=\"#333\"> </text>\n",
        SIDE, d->width - SIDE, SIDE, d->height - 9);
}

/* The colours of a difference, and its sums: frames that disappeared have no width. */
static void add_legend(const struct drawing *d, const struct folded *f, struct str *sums)
{
    static const struct {
        const char *fill, *text;
    } item[] = {
        {"#f43636", "grew"}, {"#f4f4f4", "as before"}, {"#3665f4", "shrank"}, {IDLE, "idle"}};
    bool idle = d->all->idle || d->all->idle_before;
    size_t n = sizeof item / sizeof *item - !idle;
    int x = d->width - SIDE - (int)n * 92;
    uint64_t gone = 0;

    for (size_t i = 0; i < n; i++, x += 92)
        str_printf(
            d->out,
            "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\" stroke=\"#999\"/>"
            "<text x=\"%d\" y=\"%d\" fill=\"#333\">%s</text>\n",
            x, d->height - 19, item[i].fill, x + 17, d->height - 9, item[i].text);
    for (size_t i = 0; i < f->n; i++)
        gone += f->row[i].weight ? 0 : f->row[i].before;
    str_printf(sums, "%llu %s after, %.0f before", (ull)d->all->weight, d->style->unit,
               scaled(d, d->all->before));
    if (idle)
        str_printf(sums, ", of them idle %llu and %.0f", (ull)d->all->idle,
                   scaled(d, d->all->idle_before));
    str_printf(sums, "; %.1f%% of before was in stacks that are gone and have no width here",
               100 * share(gone, d->all->before));
}

static bool is_drawn(const struct drawing *d, const struct flame_box *b)
{
    double least = d->style->min_width > 0 ? d->style->min_width : 0.1;

    return b->depth == 0 || (b->weight > 0 && (double)b->weight * d->scale >= least);
}

void flame_svg(struct str *out, const struct folded *f, const struct flame_style *style)
{
    struct drawing d = {.out = out, .style = style, .width = style->width ? style->width : 1200};
    struct str below = STR_INIT;
    struct flame_tree tree;
    int deepest = 0;

    flame_tree_build(&tree, f);
    d.all = &tree.box[0];
    d.scale = d.all->weight ? (d.width - 2 * SIDE) / (double)d.all->weight : 0;
    /* the full colour is for a hundredth of the whole when there is no larger change */
    d.most = style->absolute ? fmax(0.01 * fmax((double)(d.all->weight - d.all->idle),
                                                scaled(&d, d.all->before - d.all->idle_before)),
                                    1e-9)
                             : 0.01;
    for (size_t i = 0; i < tree.n; i++) {
        if (!is_drawn(&d, &tree.box[i]))
            continue;
        if (tree.box[i].depth > deepest)
            deepest = tree.box[i].depth;
        if (style->diff)
            d.most = fmax(d.most, fabs(change(&d, &tree.box[i])));
    }
    d.height = HEAD + FOOT + (deepest + 1) * BOX;
    add_head(&d);
    str_adds(out, "<g id=\"frames\">\n");
    for (size_t i = 0; i < tree.n; i++)
        if (is_drawn(&d, &tree.box[i]))
            add_box(&d, &tree.box[i]);
    str_adds(out, "</g>\n");
    if (style->diff)
        add_legend(&d, f, &below);
    if (style->note)
        str_printf(&below, "%s%s", below.len ? "; " : "", style->note);
    if (below.len && !style->subtitle)
        add_centered(&d, 43, 11, "#555", below.s);
    if (d.all->weight == 0)
        add_centered(&d, HEAD - 4, FONT, "#555", "no stacks");
    str_printf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_js);
    str_free(&below);
    flame_tree_free(&tree);
}
