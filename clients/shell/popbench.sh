#!/bin/sh
# Your optimiser or your objective, written in awk, in popbench: command: [sh, popbench.sh, my_optimizer.awk].
# The protocol is described in docs/protocol.md, the functions of popbench.awk in that file.
#
# awk runs once a message, since some awks do not read from a pipe line by line. File descriptor 3 is for
# answers; whatever the program prints goes to standard error.
exec 3>&1 1>&2
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
newline='
'
state=
while IFS= read -r line || [ -n "$line" ]; do
	case $line in
	*[![:space:]]*) ;;
	*) continue ;;
	esac
	# The first line of what awk returns is the answer, which may be empty; the second says whether the
	# conversation goes on; the others are the state.
	returned=$(printf '%s\n' "$line" "$state" | awk -f "$here/popbench.awk" -f "$1" 4>&1 1>&2) || exit
	answer=${returned%%"$newline"*}
	returned=${returned#*"$newline"}
	state=${returned#*"$newline"}
	[ -z "$answer" ] || printf '%s\n' "$answer" >&3
	[ "${returned%%"$newline"*}" = on ] || exit 0
done
