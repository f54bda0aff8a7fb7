# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stands behind the lists that completion.awk writes: choosing from them.

# The word under the cursor, as the option and the value in it: readline cuts words at '=' and ':'.
_sysbench_value() { # OPTION VALUE PREFIX: PREFIX stands before what is replaced
    local IFS=$' \t\n' done=
    if ! _sysbench_values "${1//_/-}"; then
        compopt -o filenames 2>/dev/null
        IFS=$'\n' COMPREPLY=($(compgen -P "$3" -f -- "$2"))
        return
    fi
    if [[ $2 == *,* ]]; then done=${2%,*},; fi
    COMPREPLY=($(compgen -P "$3$done" -W "$REPLY" -- "${2##*,}"))
}

_sysbench_option() { # WORD TEST
    local IFS=$' \t\n' i
    _sysbench_options "$2"
    if [[ $1 == *_* ]]; then # who writes underscores goes on with them
        REPLY=${REPLY//-/_}
        REPLY=${REPLY//__/--}
    fi
    compopt -o nospace 2>/dev/null
    COMPREPLY=($(compgen -W "$REPLY" -- "$1"))
    for i in "${!COMPREPLY[@]}"; do
        if [[ ${COMPREPLY[i]} != *= ]]; then COMPREPLY[i]+=' '; fi
    done
}

_sysbench_test() { # WORD
    local IFS=$' \t\n' tests=$_sysbench_tests
    COMPREPLY=($(compgen -W "$tests" -- "$1"))
    compopt -o filenames 2>/dev/null
    IFS=$'\n' COMPREPLY+=($(compgen -f -X '!*.lua' -- "$1") $(compgen -d -- "$1"))
}

_sysbench() {
    local REPLY i word cur=${COMP_WORDS[COMP_CWORD]} option= value= before=0
    local -a plain=()

    COMPREPLY=()
    for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == [=:] ]]; then i=$((i + 1)); continue; fi
        if [[ $word == -* || -z $word || $i == "$COMP_CWORD" ]]; then continue; fi
        plain+=("$word")
        if ((i < COMP_CWORD)); then before=$((before + 1)); fi
    done
    # what belongs to the option before it: "--name" "=" "csv" ":" "path"
    for ((i = COMP_CWORD; i > 0; i--)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = ]]; then option=${COMP_WORDS[i - 1]#--}; break; fi
        if [[ $word == -* && $i != "$COMP_CWORD" ]]; then break; fi
        if [[ $i != "$COMP_CWORD" && $word != : && ${COMP_WORDS[i + 1]} != : ]]; then break; fi
    done
    if [[ $cur == --*=* ]]; then # '=' does not cut words here
        option=${cur%%=*}
        _sysbench_value "${option#--}" "${cur#*=}" "$option="
    elif [[ -n $option ]]; then
        value=$cur
        if [[ $cur == [=:] ]]; then value=; fi
        _sysbench_value "$option" "$value" ''
    elif [[ $cur == -* ]]; then
        _sysbench_option "$cur" "${plain[0]}"
    elif ((before == 0)); then
        _sysbench_test "$cur"
    elif ((before == 1)); then
        _sysbench_commands "${plain[0]}"
        COMPREPLY=($(compgen -W "$REPLY" -- "$cur"))
    fi
}

complete -F _sysbench sysbench
