# shellcheck shell=bash disable=SC2154 # variables of run and lib.sh
# The cases of a test file, for run: cut out at their lines, chosen by TEST_ONLY, run in their order.

# cut_cases FILE FOLDER: writes each section of the file into FOLDER/N/, blank lines before it, so that a failure
# names the file's own line. FOLDER/list has a line `N LINE KIND NAME` for each of those to run. Status 1: none.
cut_cases() {
    local file=$1 folder=$2 base=${1##*/} i n=-1 lines starts=(0) heads=('')
    mapfile -t lines <"$file"
    for i in "${!lines[@]}"; do
        case ${lines[i]} in
        'it '* | given) starts+=("$i") heads+=("${lines[i]}") ;;
        esac
    done
    choose_cases "${base%.test}" || return
    starts+=(${#lines[@]})
    for ((n = 0; n < ${#heads[@]}; n++)); do
        [ -n "${chosen[n]}" ] || continue
        mkdir -p "$folder/$n"
        {
            [ "${starts[n]}" -eq 0 ] || printf '%*s' "${starts[n]}" '' | tr ' ' '\n'
            printf '%s\n' "${lines[@]:starts[n]:starts[n+1]-starts[n]}"
        } >"$folder/$n/$base"
        echo "$n $((starts[n] + 1)) ${kinds[n]} ${names[n]}"
    done >"$folder.list"
}

# choose_cases PROGRAM: the names and kinds of the sections of which heads has the first lines; chosen[N] is not
# empty for those to run: cases that TEST_ONLY selects, those that these come after, and what is given before them.
choose_cases() {
    local n m found any='' after=()
    names=() kinds=() chosen=()
    for n in "${!heads[@]}"; do
        case_name='' case_after=''
        [ -z "${heads[n]}" ] || eval "head_of_${heads[n]}"
        names+=("$case_name") after[n]=$case_after chosen[n]=''
        case ${heads[n]} in it*) kinds+=(it) ;; *) kinds+=(given) ;; esac
        [ "${kinds[n]}" = it ] && [[ "$1: $case_name" == *"${TEST_ONLY:-}"* ]] && chosen[n]=1
    done
    [ ${#heads[@]} -gt 1 ] || [ -n "${TEST_ONLY:-}" ] || kinds=(it) names=(everything) chosen=(1)
    for ((n = ${#heads[@]} - 1; n >= 0; n--)); do
        [ "${kinds[n]}" = it ] || { chosen[n]=$any && continue; }
        found=''
        for ((m = 0; m < n; m++)); do
            [ "${names[m]}" != "${names[n]}" ] || misplaced "two cases of $1 are named '${names[n]}'"
            [ "${names[m]}" != "${after[n]}" ] || [ "${kinds[m]}" != it ] || found=$m
        done
        [ -z "${after[n]}" ] || [ -n "$found" ] || misplaced "$1: no case '${after[n]}' stands before '${names[n]}'"
        [ -n "${chosen[n]}" ] || continue
        any=1
        [ -z "$found" ] || chosen[found]=1
    done
    [ -n "$any" ]
}
misplaced() { echo "tests/cli/run: $1" >&2 && exit 2; }
head_of_it() { case_name=$1 case_after=${3:-}; }
head_of_given() { :; }

# run_cases FOLDER: the sections that cut_cases listed, in this shell, with the helpers of lib.sh.
run_cases() {
    local section_number section_line section_kind section_name section_file section_unmet='' section_never=''
    cases_ended=0 # lib.sh counts
    while read -r section_number section_line section_kind section_name <&9; do
        section_file=$1/$section_number/$test_file.test
        [ "$section_kind" = it ] || section_unmet=$section_never
        begin_case "$section_name"
        if [ -n "$section_unmet" ]; then
            skip_reason=$section_unmet
        else
            section "$section_file" 9<&-
            [ $? -ne 2 ] || bash -n "$section_file" || fail_check "bash cannot read the section from line $section_line on"
        fi
        if [ "$section_kind" = it ]; then
            end_case
            continue
        fi
        [ "$checks_failed" -eq "$case_failed" ] || end_case
        section_unmet=$skip_reason
        [ "$section_number" -ne 0 ] || section_never=$section_unmet
    done 9<"$1.list"
}
# A function, so that the positional parameters of a section are its own.
section() {
    # shellcheck disable=SC1090
    . "$1"
}
