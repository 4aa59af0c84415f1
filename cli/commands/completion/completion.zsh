#compdef gpufft
# Completion of gpufft for zsh, as `gpufft completion zsh` prints it.
_gpufft() {
    local line tab=$'\t' place= before=
    local -a found open
    for line in ${(f)"$($words[1] completion words -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"}; do
        case $line in
        :*) place=$line[2] before=$line[3,-1] ;;
        *=$tab*) open+=("${line/$tab/:}") ;;
        *) found+=("${line/$tab/:}") ;;
        esac
    done
    (( $#found )) && _describe gpufft found
    (( $#open )) && _describe option open -S ''
    [[ -n $place ]] && compset -P "${(b)before}"
    case $place in
    f) _files ;;
    d) _files -/ ;;
    esac
}
if [ "$funcstack[1]" = _gpufft ]; then
    _gpufft "$@"
else
    compdef _gpufft gpufft
fi
