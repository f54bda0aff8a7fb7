# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a manual page from documents in Markdown, as far as docs/*.md use it: headings,
# paragraphs, lists, tables, blocks of code, `code`, *emphasis*, **emphasis** and links.  A table
# of two columns becomes a list of terms, a wider one a table for tbl(1).  The document's own
# title is replaced by the NAME section; links to documents that are manual pages themselves
# become references to those.
#
# usage: awk -v page=NAME -v section=N -v summary=TEXT -v date=DATE -v version=TEXT -v docdir=DIR \
#            -v pages='rate.md=sysbench-rate(7) ...' -v also='sysbench(1) ...' \
#            -f md2man.awk FILE.md...
BEGIN {
    n = split(pages, list, " ")
    for (i = 1; i <= n; i++) {
        cut = index(list[i], "=")
        page_of[substr(list[i], 1, cut - 1)] = substr(list[i], cut + 1)
    }
    for (i = 1; i < ARGC; i++) {
        if ((getline text < ARGV[i]) > 0 && text ~ /^# /) {
            file = ARGV[i]
            sub(/.*\//, "", file)
            title_of[file] = i == 1 ? "above" : substr(text, 3)
        }
        close(ARGV[i])
    }
    print "'\\\" t"
    print ".\\\" made from docs/*.md by scripts/md2man.awk"
    print ".TH " toupper(page) " " section " " date " \"" version "\" \"sysbench-tx\""
    print ".ad l"
    print ".nh"
    print ".SH NAME"
    print page " \\- " summary
    print ".SH DESCRIPTION"
    after_heading = 1
}

# --- one line of text -----------------------------------------------------------------------

# What roff must not take for its own; in code also what it would draw in another way.
function escape(text, code) {
    gsub(/\\/, "\\e", text)
    gsub(/~/, "\\(ti", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/`/, "\\(ga", text)
    if (code) {
        gsub(/-/, "\\-", text)
        gsub(/'/, "\\(aq", text)
        gsub(/"/, "\\(dq", text)
    } else {
        gsub(/--/, "\\-\\-", text)
    }
    return text
}

function reference(name,    cut) {
    cut = index(name, "(")
    return "\\fB" escape(substr(name, 1, cut - 1), 1) "\\fR" substr(name, cut)
}

# A link whose text is just the document's name becomes that of the page or of the file; of a document
# that is in this page, its title.
function link(text, target,    file, own, place) {
    file = target
    sub(/#.*/, "", file)
    own = file == "" || (file in page_of && page_of[file] == page "(" section ")")
    if (own && text !~ /\.md$/) { return inline(text) }
    if (own && file in title_of) {
        return title_of[file] == "above" ? "above" : "\\fI" escape(title_of[file], 0) "\\fR"
    }
    if (file in page_of) { place = reference(page_of[file]) }
    else if (file ~ /^https?:/) { place = escape(target, 1) }
    else { place = "\\fI" escape(file ~ /^\.\.\// ? substr(file, 4) : "docs/" file, 1) "\\fR" }
    return text ~ /\.(md|json|1)$/ ? place : inline(text) " (" place ")"
}

# No hyphens in names (\%); long code may be broken at these characters (\:).
function code(text) {
    text = "\\%" escape(text, 1)
    gsub(/ /, " \\%", text)
    if (length(text) > 12) { gsub("[,|/]", "&\\:", text) }
    return "\\fB" text "\\f"
}

# Does emphasis in italics begin here?  Not within a word, and not where nothing ends it.
function opens_emphasis(text, before) {
    return text ~ /^\*[^ *][^*]*\*/ && before !~ /[A-Za-z0-9]$/
}

# `code`, links and emphasis.
function inline(text,    out, font, end, cut, inner) {
    font = "R"
    while (text != "") {
        if (substr(text, 1, 1) == "`" && (end = index(substr(text, 2), "`")) > 0) {
            out = out code(substr(text, 2, end - 1)) font
            text = substr(text, end + 2)
        } else if (match(text, /^\[[^]]*\]\([^)]*\)/)) {
            inner = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
            cut = index(inner, "](")
            inner = substr(inner, 1, length(inner) - 1)
            out = out link(substr(inner, 2, cut - 2), substr(inner, cut + 2))
        } else if (text ~ /^\*\*/) {
            font = font == "B" ? "R" : "B"
            out = out "\\f" font
            text = substr(text, 3)
        } else if (text ~ /^\*/ && (font == "I" || opens_emphasis(text, out))) {
            font = font == "I" ? "R" : "I"
            out = out "\\f" font
            text = substr(text, 2)
        } else if (text ~ /^\\[|*`_]/) {
            out = out escape(substr(text, 2, 1), 0)
            text = substr(text, 3)
        } else {
            end = match(substr(text, 2), /[`[*\\]/) ? RSTART : length(text)
            out = out escape(substr(text, 1, end), 0)
            text = substr(text, end + 1)
        }
    }
    return out
}

# Text without fonts, for headings.
function plain(text) {
    gsub(/`/, "", text)
    return escape(text, 1)
}

# Prints a paragraph's text in lines of at most 78 characters, none of which looks like a request.
function fold(text,    cut) {
    gsub(/ +/, " ", text)
    sub(/ $/, "", text)
    while (text != "") {
        if (length(text) <= 78) {
            cut = length(text) + 1
        } else {
            for (cut = 78; cut > 1 && substr(text, cut, 1) != " "; cut--) { }
            if (cut == 1) {
                cut = index(text, " ")
                if (!cut) { cut = length(text) + 1 }
            }
        }
        print (text ~ /^[.']/ ? "\\&" : "") substr(text, 1, cut - 1)
        text = substr(text, cut + 1)
        sub(/^ +/, "", text)
    }
}

# A heading begins a paragraph by itself.
function request(macro) {
    if (macro != ".PP" || !after_heading) { print macro }
    after_heading = 0
}

function heading(macro, text) {
    end_block()
    print macro " \"" plain(text) "\""
    after_heading = 1
    para_macro = ""
}

# --- blocks ---------------------------------------------------------------------------------

# What was collected of a paragraph or an item of a list.
function flush() {
    if (para != "") {
        if (para_macro != "") { request(para_macro) }
        fold(inline(para))
    }
    para = para_macro = ""
}

function end_list() {
    flush()
    in_item = 0
}

function begin_code() {
    flush()
    if (!in_code) {
        request(".PP")
        print ".RS 4"
        print ".EX"
        in_code = 1
        blank_lines = 0
    }
}

function end_code() {
    if (in_code) {
        print ".EE"
        print ".RE"
        in_code = 0
        }
}

function code_line(text) {
    for (; blank_lines > 0; blank_lines--) { print "" }
    text = escape(text, 1)
    print (text ~ /^[.']/ ? "\\&" : "") text
}

# Splits a row of a table at the bars that are not escaped; fills cell[], returns how many.
function cells(row,    n, at, text) {
    sub(/^ *\|/, "", row)
    sub(/\| *$/, "", row)
    n = 0
    text = ""
    while (row != "") {
        at = match(row, /\|/) ? RSTART : length(row) + 1
        text = text substr(row, 1, at - 1)
        row = substr(row, at + 1)
        if (text ~ /\\$/) {
            text = substr(text, 1, length(text) - 1) "|"
            continue
        }
        gsub(/^ +| +$/, "", text)
        cell[++n] = text
        text = ""
    }
    if (text != "") { cell[++n] = text }
    return n
}

function table_row(row,    i) {
    if (row ~ /^ *\|[-|: ]*-[-|: ]*$/) { return }
    rows++
    n = cells(row)
    if (rows == 1) { columns = n }
    for (i = 1; i <= columns; i++) {
        table[rows, i] = i <= n ? cell[i] : ""
        cell[i] = ""
    }
}

# Names are bold; where some of a text is marked as code, that alone.
function term(text) {
    return text ~ /`/ ? inline(text) : "\\fB" escape(text, 0) "\\fR"
}

function list_of_terms(    i) {
    if (table[1, 1] ~ /^`/ && table[1, 2] == "") {
        request(".PP")
        fold(inline(table[1, 1]))
    }
    for (i = 2; i <= rows; i++) {
        request(".TP")
        print term(table[i, 1])
        fold(inline(table[i, 2]) == "" ? "\\&" : inline(table[i, 2]))
    }
}

# What a text is long in print, without the escapes.
function printed(text) {
    gsub(/\\f[BIR]|\\%|\\&/, "", text)
    gsub(/\\\(..|\\[-e]/, "x", text)
    return text
}

function longest_word(text,    word, n, i, max) {
    text = printed(text)
    gsub(/\\:/, " ", text)
    n = split(text, word, / +/)
    for (i = 1; i <= n; i++) if (length(word[i]) > max) { max = length(word[i]) }
    return max
}

# Each column gets what its longest word needs, and its share of what is left of 70 characters;
# false: too little.
function widths(    i, j, size, left, total) {
    left = 70 - 3 * (columns - 1)
    for (j = 1; j <= columns; j++) {
        least[j] = 6
        want[j] = 1
        for (i = 1; i <= rows; i++) {
            size = longest_word(inline(table[i, j]))
            if (size > least[j]) { least[j] = size }
            size = length(table[i, j])
            if (size > want[j]) { want[j] = size }
        }
        left -= least[j]
        total += want[j]
    }
    for (j = 1; j <= columns; j++) {
        width[j] = least[j] + (left > 0 ? int(left * want[j] / total) : 0)
    }
    return left >= 0
}

# A table whose header has no words.
function headless(    j) {
    for (j = 1; j <= columns; j++) if (table[1, j] != "") { return 0 }
    return 1
}

function wide_table(    i, j, format) {
    request(".PP")
    print ".TS"
    print "tab(@);"
    for (j = 1; j <= columns; j++) { format = format (j > 1 ? " " : "") "lbw(" width[j] "n)" }
    if (!headless()) { print format }
    gsub("lb", "l", format)
    print format "."
    for (i = headless() ? 2 : 1; i <= rows; i++) {
        for (j = 1; j <= columns; j++) {
            print (j > 1 ? "T}@T{" : "T{")
            if (table[i, j] != "") { fold(inline(table[i, j])) }
            else if (j == 1) { print "\\&" }
        }
        print "T}"
    }
    print ".TE"
}

# A table that does not fit: each row a term, each further column a line "HEADER: TEXT".
function list_of_rows(    i, j, first) {
    for (i = 2; i <= rows; i++) {
        request(".TP")
        print term(table[i, 1])
        first = 1
        for (j = 2; j <= columns; j++) {
            if (table[i, j] == "") { continue }
            if (!first) { print ".br" }
            first = 0
            fold((table[1, j] == "" ? "" : inline(table[1, j]) ": ") inline(table[i, j]))
        }
        if (first) { print "\\&" }
    }
}

function end_table() {
    if (rows) {
        if (columns == 2) { list_of_terms() }
        else if (widths()) { wide_table() }
        else { list_of_rows() }
    }
    rows = 0
}

function end_block() {
    end_code()
    end_table()
    end_list()
}

# --- lines ----------------------------------------------------------------------------------

FNR == 1 && NR > 1 { end_block() }

/^```/ {
    if (fenced) {
        end_code()
        fenced = 0
    } else {
        end_table()
        begin_code()
        fenced = 1
    }
    next
}
fenced { code_line($0); next }

/^    / && (in_code || (para == "" && !in_item)) {
    end_table()
    begin_code()
    code_line(substr($0, 5))
    next
}
in_code && /^ *$/ { blank_lines++; next }
in_code { end_code() }

/^\|/ {
    if (!rows) { end_list() }
    table_row($0)
    next
}
{ end_table() }

/^# / && first_file == "" { first_file = FILENAME; after_heading = 1; next }
/^# / || /^## / { sub(/^#+ /, ""); heading(".SH", $0); next }
/^###/ { sub(/^#+ /, ""); heading(".SS", $0); next }

/^ *$/ {
    flush()
    para_macro = in_item ? ".IP \"\" 2" : ".PP"
    next
}
/^- / {
    flush()
    in_item = 1
    para_macro = ".IP \\(bu 2"
    para = substr($0, 3)
    next
}
/^[0-9]+\. / {
    flush()
    in_item = 1
    para_macro = ".IP " $1 " 4"
    sub(/^[0-9]+\. /, "")
    para = $0
    next
}
{
    if (in_item && para == "" && $0 !~ /^ /) {
        in_item = 0
        para_macro = ".PP"
    }
    if (para == "" && para_macro == "") { para_macro = ".PP" }
    sub(/^ +/, "")
    para = para (para == "" ? "" : " ") $0
}

END {
    end_block()
    print ".SH \"SEE ALSO\""
    n = split(also, list, " ")
    for (i = 1; i <= n; i++) { line = line (i > 1 ? ", " : "") reference(list[i]) }
    fold(line)
    print ".PP"
    fold("Documents that are named \\fIdocs/...\\fR are in \\fI" escape(docdir, 1) "\\fR.")
}
