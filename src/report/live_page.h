/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The live page as one HTML document; the build makes live_page.c from src/report/live/, from the
 * charts of the laboratory (scripts/sysbench_lab/page/) and, if it was found, from Chart.js.
 * Private to src/report
 */
#ifndef SB_REPORT_LIVE_PAGE_H
#define SB_REPORT_LIVE_PAGE_H

#include <stddef.h>

extern const unsigned char live_page[]; /* UTF-8 */
extern const size_t live_page_size;

extern const char live_chart_library[]; /* version of Chart.js, or "no" */

#endif
