#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes live_page.c, the live page of --metrics-listen as one string: index.html, in which a line
#
#     <!-- embed: NAME -->
#
# stands for a file.  A style sheet or script is in PAGE or, shared with the pages of the laboratory,
# in CHARTS; the name Chart.js stands for the file CHART_JS and is left out when that is "no".
#
# usage: embed.sh CHART_JS VERSION PAGE CHARTS >live_page.c
set -eu
chart_js=$1 version=$2 page=$3 charts=$4

file_of() {
    if [ "$1" = Chart.js ]; then echo "$chart_js"
    elif [ -e "$page/$1" ]; then echo "$page/$1"
    else echo "$charts/$1"
    fi
}

# A page ends at the first </script, also within a text.
embed() {
    file=$(file_of "$1")
    case $file in
    no) return ;;
    *.css) echo '<style>'; cat "$file"; echo '</style>' ;;
    *)
        if grep -q '</script' "$file"; then echo "embed.sh: $file contains </script" >&2; exit 1; fi
        echo '<script>'; sed '/^\/\/# sourceMappingURL=/d' "$file"; echo '</script>' ;;
    esac
}

whole() {
    while IFS= read -r line; do
        case $line in
        '<!-- embed: '*' -->') name=${line#<!-- embed: }; embed "${name% -->}" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$page/index.html"
}

echo '/* Made from src/report/live/ and scripts/sysbench_lab/page/; do not edit. */'
echo '#include "report/live.h"'
echo "const char live_chart_library[] = \"$version\";"
echo 'const unsigned char live_page[] = {'
whole | od -An -v -tu1 | sed 's/  */,/g; s/^,//; s/$/,/'
echo '0};'
echo 'const size_t live_page_size = sizeof live_page - 1;'
