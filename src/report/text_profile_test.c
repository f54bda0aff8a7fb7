/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of a profile in both of its forms, text and JSON: everything known, one kind only,
 * nothing watched, and all that makes a profile incomplete.
 */
#include "report/text_profile.h"

#include "base/test.h"
#include "report/json_doc.h"

static const struct report_profile whole = {.ended = true,
                                            .cpu = true,
                                            .off_cpu = true,
                                            .hz = 99,
                                            .start = NS_PER_SEC / 2,
                                            .length = 2 * NS_PER_SEC,
                                            .name = "db (pid 7)",
                                            .watched = 2 * NS_PER_SEC,
                                            .samples = 198,
                                            .stacks = 12,
                                            .off_cpu_time = 7 * NS_PER_SEC / 2,
                                            .threads = 4,
                                            .off_cpu_stacks = 5,
                                            .estimate = "estimated from 900 of 1000 waits",
                                            .switches = 1000,
                                            .involuntary = 10,
                                            .sampled = 900,
                                            .by_cfi = 150,
                                            .by_pointers = 50,
                                            .partial = 20,
                                            .cost = NS_PER_SEC / 100,
                                            .prefix = "dir/p",
                                            .file = {"dir/p.cpu.folded", "dir/p.cpu.svg"},
                                            .files = 2};

static void check(const struct report_profile *p, const char *text, const char *json)
{
    struct str s = STR_INIT;

    text_profile(&s, p);
    CHECK_STR(str_cstr(&s), text);
    str_reset(&s);
    json_doc_profile(&s, p);
    CHECK_STR(str_cstr(&s), json);
    str_free(&s);
}

static void check_whole(void)
{
    check(
        &whole,
        "Server profile:\n"
        "    watched:                             db (pid 7), for 2.0000 s\n"
        "    on CPU:                              198 samples at 99/s on each CPU (about 2.0000 s "
        "of CPU time), 12 different stacks\n"
        "    off CPU:                             3.5000 s in 4 threads, 5 different stacks, "
        "estimated from 900 of 1000 waits\n"
        "    switches:                            1000 (10 involuntary), 900 sampled with a stack\n"
        "    unwinding:                           call frame information 75.0%, frame pointers "
        "25.0%; 10.0% do not reach the start of a thread\n"
        "    lost:                                0 records\n"
        "    profiler:                            0.0100 s of CPU (0.50% of one CPU)\n"
        "    files:                               dir/p.cpu.folded, .svg\n"
        "                                         dir/p.offcpu.folded, .svg\n"
        "\n",
        "{\"kinds\":[\"cpu\",\"offcpu\"],\"frequency_hz\":99,\"window_start_s\":0.5,"
        "\"window_length_s\":2,\"name\":\"db (pid 7)\",\"watched_s\":2,\"samples\":198,"
        "\"sampled_cpu_s\":2,\"stacks\":12,\"off_cpu_s\":3.5,\"off_cpu_threads\":4,"
        "\"off_cpu_stacks\":5,\"switches\":1000,\"involuntary_switches\":10,"
        "\"switches_with_stack\":900,\"unwound_by_frame_information\":150,"
        "\"unwound_by_frame_pointers\":50,\"unwound_in_part\":20,\"degraded_stacks\":0,"
        "\"lost_records\":0,\"left_out_frames\":0,\"profiler_cpu_s\":0.01,"
        "\"profiler_cpu_pct_of_one\":0.5,\"files\":[\"dir/p.cpu.folded\",\"dir/p.cpu.svg\"],"
        "\"files_complete\":true,\"missing\":{}}");
}

static void check_damaged(void)
{
    struct report_profile p = whole;

    p.off_cpu = false;
    p.length = 0;
    p.by_cfi = p.by_pointers = p.partial = 0;
    p.degraded = 3;
    p.lost = 4;
    p.truncated = 5;
    p.no_names = p.no_kernel_names = p.files_incomplete = true;
    p.files = 0;
    check(
        &p,
        "Server profile:\n"
        "    watched:                             db (pid 7), for 2.0000 s\n"
        "    on CPU:                              198 samples at 99/s on each CPU (about 2.0000 s "
        "of CPU time), 12 different stacks\n"
        "    unwinding:                           n/a (no stacks)\n"
        "                                         3 stacks by frame pointers alone, the profiler "
        "had used up its CPU share\n"
        "    names of its code:                   n/a (/proc/PID/maps of the server cannot be "
        "read: be its user, or have CAP_SYS_PTRACE)\n"
        "    names of the kernel:                 n/a (kernel.kptr_restrict hides the kernel's "
        "addresses)\n"
        "    lost:                                4 records: the kernel's buffers were full\n"
        "    left out:                            5 frames: too many different stacks\n"
        "    profiler:                            0.0100 s of CPU (0.50% of one CPU)\n"
        "    files:                               dir/p.cpu.folded, .svg (not all of them could "
        "be written)\n"
        "\n",
        "{\"kinds\":[\"cpu\"],\"frequency_hz\":99,\"window_start_s\":0.5,"
        "\"window_length_s\":null,\"name\":\"db (pid 7)\",\"watched_s\":2,\"samples\":198,"
        "\"sampled_cpu_s\":2,\"stacks\":12,\"off_cpu_s\":null,\"off_cpu_threads\":null,"
        "\"off_cpu_stacks\":null,\"switches\":null,\"involuntary_switches\":null,"
        "\"switches_with_stack\":null,\"unwound_by_frame_information\":0,"
        "\"unwound_by_frame_pointers\":0,\"unwound_in_part\":0,\"degraded_stacks\":3,"
        "\"lost_records\":4,\"left_out_frames\":5,\"profiler_cpu_s\":0.01,"
        "\"profiler_cpu_pct_of_one\":0.5,\"files\":[],\"files_complete\":false,"
        "\"missing\":{\"window_length_s\":\"to the end of the run\","
        "\"off_cpu_s\":\"offcpu was not asked for\","
        "\"off_cpu_threads\":\"offcpu was not asked for\","
        "\"off_cpu_stacks\":\"offcpu was not asked for\","
        "\"switches\":\"offcpu was not asked for\","
        "\"involuntary_switches\":\"offcpu was not asked for\","
        "\"switches_with_stack\":\"offcpu was not asked for\"}}");
}

/* Parts of the text that depend on one figure. */
static void check_parts(void)
{
    struct report_profile p = whole;
    struct str s = STR_INIT;

    p.no_cfi = "not on this kind of CPU";
    text_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "unwinding:                           frame pointers only (not on "
                               "this kind of CPU); 10.0% do not reach") != NULL);
    str_reset(&s);
    json_doc_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "\"unwound_by_frame_information\":null,"
                               "\"unwound_by_frame_pointers\":50,") != NULL);
    str_reset(&s);
    p.cpu = false;
    text_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "on CPU") == NULL);
    CHECK(strstr(str_cstr(&s), "    files:                               dir/p.offcpu.folded") !=
          NULL);
    str_free(&s);
}

static void check_nothing(void)
{
    struct report_profile p = {.ended = true, .cpu = true, .hz = 99, .why = "it ran elsewhere"};
    struct str s = STR_INIT;

    text_profile(&s, &p);
    CHECK_STR(str_cstr(&s), "Server profile:\n"
                            "    stacks:                              n/a (it ran elsewhere)\n\n");
    str_reset(&s);
    json_doc_profile(&s, &p);
    CHECK(strstr(str_cstr(&s), "\"name\":null,\"watched_s\":null,\"samples\":null,") != NULL);
    CHECK(strstr(str_cstr(&s), "\"watched_s\":\"it ran elsewhere\"") != NULL);
    str_free(&s);
    p.ended = false;
    check(&p, "", "null");
    check(NULL, "", "null");
}

TEST_MAIN(text_profile_test)
{
    check_whole();
    check_damaged();
    check_parts();
    check_nothing();
    return test_done("text_profile");
}
