# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a header of .sql files, of which each of these is one line, without other comments:
#
#     -- name: x                    SQL_X is what follows
#     -- preset: x:gauge            SQL_PRESETS_FILE has "x:gauge=" and what follows
#     -- or                         another way to ask for it, if the one before has no answer
#     -- without: text              what mends it when there is none
#     -- word: class word -> name   SQL_WORDS_FILE has a row {word, class, name or NULL}

function done() {
    if (name != "")
        printf "#define SQL_%s \"%s\"\n", toupper(name), text
    if (preset != "")
        presets = presets " \"" preset "=" text (without == "" ? "" : " -- " without) "\","
    name = preset = text = without = ""
}

function end_of_file() {
    done()
    if (presets != "")
        printf "#define SQL_PRESETS_%s%s\n", toupper(file), presets
    if (words != "")
        printf "#define SQL_WORDS_%s%s\n", toupper(file), words
    presets = words = ""
}

function add_word(line, at, shown) {
    at = index(line, " -> ")
    shown = at ? "\"" substr(line, at + 4) "\"" : "NULL"
    line = at ? substr(line, 1, at - 1) : line
    at = match(line, / +/)
    words = words " {\"" substr(line, at + RLENGTH) "\", WAIT_" toupper(substr(line, 1, at - 1)) \
        ", " shown "},"
}

BEGIN { print "/* Made by header.awk from session/sql; do not edit. */" }
FNR == 1 { end_of_file(); file = FILENAME; gsub(/.*\/|\.sql$/, "", file) }
/^-- name: / { done(); name = $3; next }
/^-- preset: / { done(); preset = $3; next }
/^-- word: / { sub(/^-- word: /, ""); add_word($0); next }
/^-- or$/ { text = text "\\1"; next }
/^-- without: / { sub(/^-- without: /, ""); without = $0; next }
/^--/ { next }
{
    gsub(/^[ \t]+|[ \t]+$/, "")
    if ($0 != "")
        text = text (text == "" || text ~ /\\1$/ ? "" : " ") $0
}
END { end_of_file() }
