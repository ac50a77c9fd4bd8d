# Completion of vigia for bash: the commands, then the flags that the help of a command
# lists, then files.
_vigia() {
	local words
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$(vigia help | sed -n '/^Commands:/,/^Flags:/s/^  \([a-z-]*\) .*/\1/p' | uniq)
	elif [[ $2 == -* ]]; then
		words=$(vigia help "${COMP_WORDS[1]}" | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
}
complete -o default -F _vigia vigia
