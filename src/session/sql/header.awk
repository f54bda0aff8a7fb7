# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a header of .sql files: what follows "-- name: X" becomes SQL_X, on one line, without other
# comments.

function done() {
    if (name != "")
        printf "#define SQL_%s \"%s\"\n", toupper(name), text
    name = text = ""
}

BEGIN { print "/* Made by header.awk from session/sql; do not edit. */" }
/^-- name: / { done(); name = $3; next }
/^--/ { next }
{
    gsub(/^[ \t]+|[ \t]+$/, "")
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    if ($0 != "")
        text = text (text == "" ? "" : " ") $0
}
END { done() }
