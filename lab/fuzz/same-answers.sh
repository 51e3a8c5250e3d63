#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# same-answers.sh FUZZER FOLDER...: whether each input in these folders gets one answer, whichever
# inputs were run before it: those before it in a list, those behind it, or none.
set -eu
fuzzer=$1
shift
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

run() {
    ORALAB_FUZZ_ANSWERS=$room/now "$fuzzer" "$@" >"$room/log" 2>&1 || {
        tail -n 40 "$room/log" >&2
        exit 1
    }
    cat "$room/now" >>"$room/answers"
}

find "$@" -type f | sort >"$room/forward"
sort -r "$room/forward" >"$room/backward"
for order in forward backward; do
    # shellcheck disable=SC2046 # names of ours, without blanks
    run $(cat "$room/$order")
done
find fuzz/corpus -type f | while read -r input; do
    run "$input"
done
sort -u "$room/answers" | cut -d ' ' -f 1 | uniq -d >"$room/differ"
inputs=$(cut -d ' ' -f 1 "$room/answers" | sort -u | wc -l)
differ=$(wc -l <"$room/differ")
echo "same answers: $((inputs - differ)) of $inputs inputs"
[ "$differ" -eq 0 ]
