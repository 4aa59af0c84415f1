# Completion of gpufft for fish, as `gpufft completion fish` prints it.
function __gpufft_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    test -n "$last"; or set last ''
    for line in (command $words[1] completion words -- $words[2..-1] $last 2>/dev/null)
        set -l before (string sub -s 3 -- $line)
        set -l name (string sub -s (math (string length -- "$before") + 1) -- $last)
        switch $line
            case ':f*'
                printf '%s\n' $before(__fish_complete_path $name)
            case ':d*'
                printf '%s\n' $before(__fish_complete_directories $name)
            case '*'
                echo $line
        end
    end
end
complete -c gpufft -f -a '(__gpufft_complete)'
