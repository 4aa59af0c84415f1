# Completion of gpufft for bash, as `gpufft completion bash` prints it.
_gpufft() {
    local cur=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT} before name reply
    # = and : divide words, as they do unless that was changed; blanks divide the whole one.
    local whole=${line##*[[:blank:]]}
    [[ $cur == [=:] ]] && cur=
    [[ $whole == *"$cur" ]] || whole=$cur
    read -ra before <<<"${line%"$whole"}"
    # The command word is as typed: its tilde is not expanded yet.
    local program=$1
    [[ $program == "~/"* ]] && program=$HOME/${program:2}
    COMPREPLY=()
    while IFS= read -r reply; do
        case $reply in
        :*)
            compopt -o filenames
            name=${whole#"${reply:2}"}
            while IFS= read -r name; do COMPREPLY+=("${reply:2}$name"); done < <(compgen "-${reply:1:1}" -- "${name//\\/}") ;;
        *) COMPREPLY+=("${reply%%$'\t'*}") ;;
        esac
    done < <("$program" completion words -- "${before[@]:1}" "$whole" 2>/dev/null)
    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
    # What comes before the last = or : stays as it was typed.
    COMPREPLY=("${COMPREPLY[@]#"${whole%"$cur"}"}")
}
complete -F _gpufft gpufft
