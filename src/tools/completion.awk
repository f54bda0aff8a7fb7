# SPDX-License-Identifier: GPL-2.0-or-later
#
# Turns the lines of option_table into a completion of `sysbench` for one shell.  All three know
# the tests, each test's commands and own options, the general options, and the values of those
# that have a fixed set.  An option that several tests have in common is written once.
#
# usage: awk -v shell=bash|zsh|fish -f completion.awk TABLE
BEGIN { FS = "\t" }

$1 == "test" { test[++tests] = $2; title[$2] = $3; next }
$1 == "command" { commands[$2] = commands[$2] (commands[$2] == "" ? "" : " ") $3; next }
$1 == "option" {
    name = $3
    gsub("_", "-", name)
    if ($2 == "-") {
        key = name
    } else {
        key = name SUBSEP $4 SUBSEP $5 SUBSEP $6
    }
    if (!(key in at)) {
        at[key] = ++options
        opt_name[options] = name; kind[options] = $4; values[options] = $5; help[options] = $6
        general[options] = $2 == "-"
    }
    scope[at[key]] = scope[at[key]] (scope[at[key]] == "" ? "" : " ") $2
    next
}
{ print "completion.awk: unknown line: " $0 >"/dev/stderr"; failed = 1; exit 1 }

# The first sentence of a description, at most 76 characters of it.
function short(text,    n) {
    if (match(text, /[.;] /)) { text = substr(text, 1, RSTART - 1) }
    if (length(text) > 76) {
        text = substr(text, 1, 76)
        sub(/ [^ ]*$/, "", text)
        text = text " ..."
    }
    return text
}

function names_of_tests(    i, s) {
    for (i = 1; i <= tests; i++) { s = s (i > 1 ? " " : "") test[i] }
    return s
}

# "--threads=" where a value must follow, "--debug" where one may.
function typed(i) { return "--" opt_name[i] (kind[i] == "bool" ? "" : "=") }

# --- bash -----------------------------------------------------------------------------------

function bash(    i, j, s, list) {
    print "# bash completion for sysbench; made from its option table"
    print ""
    print "# sets REPLY to the options of a test and the general ones; TEST may be a path or empty"
    print "_sysbench_options() {"
    for (i = 1; i <= options; i++) if (general[i]) { s = s (s == "" ? "" : " ") typed(i) }
    print "    REPLY='" s "'"
    print "    case ${1##*/} in"
    for (j = 1; j <= tests; j++) {
        list = ""
        for (i = 1; i <= options; i++)
            if (!general[i] && index(" " scope[i] " ", " " test[j] " ")) {
                list = list " " typed(i)
            }
        if (list != "") { print "    " test[j] "|" test[j] ".lua) REPLY+='" list "' ;;" }
    }
    print "    esac"
    print "}"
    print ""
    print "# sets REPLY to the values of an option"
    print "_sysbench_values() {"
    print "    REPLY="
    print "    case $1 in"
    for (i = 1; i <= options; i++)
        if (kind[i] == "file") {
            print "    " opt_name[i] ") return 1 ;;"
        } else if (values[i] != "" && !(opt_name[i] in done)) {
            done[opt_name[i]] = 1
            print "    " opt_name[i] ") REPLY='" values[i] "' ;;"
        }
    print "    esac"
    print "}"
    print ""
    print "_sysbench_commands() {"
    print "    case ${1##*/} in"
    for (j = 1; j <= tests; j++)
        print "    " test[j] "|" test[j] ".lua) REPLY='" commands[test[j]] "' ;;"
    print "    *) REPLY='prepare run cleanup help' ;;"
    print "    esac"
    print "}"
    print ""
    print "_sysbench_tests='" names_of_tests() "'"
    print ""
    while ((getline s <bash_code) > 0) { print s }
}

# --- zsh ------------------------------------------------------------------------------------

# A description inside [ ] of _arguments, in single quotes.
function zsh_text(text) {
    text = short(text)
    gsub(/\\/, "\\\\", text)
    gsub(/\[/, "\\[", text)
    gsub(/\]/, "\\]", text)
    gsub(/:/, "\\:", text)
    gsub(/'/, "'\\''", text)
    return text
}

function zsh_spec(i,    s, action, what) {
    s = "--" opt_name[i] "=-[" zsh_text(help[i]) "]"
    what = kind[i] == "bool" ? "::on or off" : ":" kind[i]
    action = kind[i] == "file" ? "_files" : values[i] == "" ? " " : \
        kind[i] == "list" ? "_sequence compadd - " values[i] : "(" values[i] ")"
    return "'" s what ":" action "'"
}

function zsh(    i, j) {
    print "#compdef sysbench"
    print "# zsh completion for sysbench; made from its option table"
    print ""
    print "_sysbench() {"
    print "    local word test"
    print "    local -a options commands tests"
    print "    tests=("
    for (j = 1; j <= tests; j++) print "        '" test[j] ":" zsh_text(title[test[j]]) "'"
    print "    )"
    print "    options=("
    for (i = 1; i <= options; i++) if (general[i]) { print "        " zsh_spec(i) }
    print "    )"
    print "    for word in ${words[2,-1]}; do"
    print "        if [[ $word != -* ]]; then test=${${word:t}%.lua}; break; fi"
    print "    done"
    for (i = 1; i <= options; i++)
        if (!general[i]) {
            s = scope[i]
            gsub(" ", "|", s)
            print "    if [[ $test == (" s ") ]]; then options+=(" zsh_spec(i) "); fi"
        }
    print "    case $test in"
    for (j = 1; j <= tests; j++) print "    " test[j] ") commands=(" commands[test[j]] ") ;;"
    print "    *) commands=(prepare run cleanup help) ;;"
    print "    esac"
    print "    _arguments -M 'm:_=-' $options \\"
    print "        '1:test:{ _describe -t tests test tests; _files -g \"*.lua\" }' \\"
    print "        '2:command:($commands)'"
    print "}"
    print ""
    print "_sysbench \"$@\""
}

# --- fish -----------------------------------------------------------------------------------

function fish_text(text) {
    text = short(text)
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return text
}

# Until its "=" is typed, an option is declared as a plain word: fish would complete an option of
# its own kind with a blank behind it, and sysbench wants "=" there.
function fish_option(i,    own, name, line) {
    name = opt_name[i]
    own = general[i] ? "" : "; and __fish_sysbench_is " scope[i]
    print "complete -c sysbench -n '__fish_sysbench_dash" own "' -a '" typed(i) "' -d '" \
        fish_text(help[i]) "'"
    line = "complete -c sysbench -n '__fish_sysbench_at " name "' -l " name
    if (kind[i] == "file") {
        line = line " -r -F"
    } else if (values[i] == "") {
        line = line " -x"
    } else {
        line = line " -x -a '(__fish_sysbench_values " values[i] ")'"
    }
    if (!(line in done)) { print line }
    done[line] = 1
}

function fish(    i, j) {
    print "# fish completion for sysbench; made from its option table"
    print ""
    print "# The words of the command line that are no options: the test, the command."
    print "function __fish_sysbench_words"
    print "    for word in (commandline -opc)[2..-1]"
    print "        string match -q -- '-*' $word; or echo $word"
    print "    end"
    print "end"
    print ""
    print "# Is the test one of these?"
    print "function __fish_sysbench_is"
    print "    set -l words (__fish_sysbench_words)"
    print "    set -q words[1]; or return 1"
    print "    set -l name (string replace -r '.*/' '' -- $words[1] | string replace -r '\\.lua$' '')"
    print "    contains -- $name $argv"
    print "end"
    print ""
    print "function __fish_sysbench_count"
    print "    test (count (__fish_sysbench_words)) -eq $argv[1]"
    print "end"
    print ""
    print "# Is an option being typed?  Which one, and is it the value's turn?"
    print "function __fish_sysbench_dash"
    print "    string match -qr -- '^-[^=]*$' (commandline -ct)"
    print "end"
    print ""
    print "function __fish_sysbench_at"
    print "    set -l token (commandline -ct)"
    print "    string match -q -- '--*=*' $token"
    print "    and test (string replace -r '^--([^=]*)=.*' '$1' -- $token) = $argv[1]"
    print "end"
    print ""
    print "# The values, behind the last comma of a list."
    print "function __fish_sysbench_values"
    print "    set -l value (string replace -r '^[^=]*=' '' -- (commandline -ct))"
    print "    set -l before (string replace -r '[^,]*$' '' -- $value)"
    print "    for value in $argv"
    print "        echo $before$value"
    print "    end"
    print "end"
    print ""
    print "complete -c sysbench -f"
    for (j = 1; j <= tests; j++)
        print "complete -c sysbench -n '__fish_sysbench_count 0' -a " test[j] " -d '" \
            fish_text(title[test[j]]) "'"
    print "complete -c sysbench -n '__fish_sysbench_count 0' -a '(__fish_complete_suffix .lua)'"
    for (j = 1; j <= tests; j++)
        print "complete -c sysbench -n '__fish_sysbench_count 1; and __fish_sysbench_is " \
            test[j] "' -a '" commands[test[j]] "'"
    print "complete -c sysbench -n '__fish_sysbench_count 1; and not __fish_sysbench_is " \
        names_of_tests() "' -a 'prepare run cleanup help'"
    for (i = 1; i <= options; i++) fish_option(i)
}

END {
    if (failed) { exit 1 }
    if (!tests || !options) { print "completion.awk: the table is empty" >"/dev/stderr"; exit 1 }
    if (shell == "bash") { bash() }
    else if (shell == "zsh") { zsh() }
    else if (shell == "fish") { fish() }
    else { print "completion.awk: -v shell=bash, zsh or fish" >"/dev/stderr"; exit 1 }
}
