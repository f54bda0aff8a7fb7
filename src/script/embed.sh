#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Turns text files into one C source with a table {name, text, length} (script/internal_lua.h), so that the
# script API is part of the program and C and Lua share one set of declarations: of a C header
# every line that begins with #, every comment and the tags of `typedef struct tag {` are left out, which
# makes it food for ffi.cdef.
#
# usage: embed.sh OUTPUT FILE...
#
# The table's name of a file is its base name; of a file in legacy/ or
# sysbench-tx/, with that directory.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: $0 OUTPUT FILE..." >&2
    exit 1
fi
out=$1
shift
tmp=$out.tmp.$$
trap 'rm -f "$tmp"' EXIT INT TERM

name() {
    case $1 in
    */legacy/*) printf '%s' "legacy/${1##*/}" ;;
    */sysbench-tx/*) printf '%s' "sysbench-tx/${1##*/}" ;;
    *) printf '%s' "${1##*/}" ;;
    esac
}

# Comments would be dead weight in every Lua state.
without_comments() {
    awk '{
        rest = $0
        kept = ""
        while (rest != "") {
            mark = within ? "*/" : "/*"
            at = index(rest, mark)
            if (!within)
                kept = kept (at ? substr(rest, 1, at - 1) : rest)
            rest = at ? substr(rest, at + 2) : ""
            if (at)
                within = !within
        }
        if (kept ~ /[^ \t]/)
            print kept
    }'
}

text() {
    case $1 in
    *.h) sed -e '/^#/d' -e 's/^typedef struct [a-z_]* {/typedef struct {/' "$1" | without_comments ;;
    *) cat "$1" ;;
    esac
}

{
    echo '/* Made by embed.sh from the files named below; do not edit. */'
    echo '#include "script/internal_lua.h"'
    n=0
    for f in "$@"; do
        n=$((n + 1))
        echo
        echo "/* ${f##*/} */"
        echo "static const unsigned char text_${n}[] = {"
        text "$f" | od -An -v -tu1 | sed 's/  */,/g; s/^,//; s/$/,/'
        echo '0};'
    done
    echo
    echo 'const struct internal_lua internal_lua[] = {'
    n=0
    for f in "$@"; do
        n=$((n + 1))
        echo "    {\"$(name "$f")\", (const char *)text_$n, sizeof text_$n - 1},"
    done
    echo '};'
    echo "const size_t internal_lua_count = $n;"
} > "$tmp"
mv "$tmp" "$out"
