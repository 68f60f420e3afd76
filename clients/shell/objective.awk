# An objective in awk: how much somebody likes a tea, by its temperature (°C) and time (minutes).
#
#   - {name: external, label: Tea, command: [sh, popbench.sh, objective.awk]}

BEGIN {
	kind = "problem"
	name = "tea"
	version = "1"
}

function respond(method,    x, heat, time) {
	if (method == "describe")
		return "{\"box\":{\"lo\":[60,1],\"hi\":[100,9]},\"optimum\":4,\"optimum_x\":[[82,4]],\"title\":\"Tea\",\"source\":\"an example\"}"
	if (method == "evaluate") {
		if (numbers(point(".params.x"), x) != 2) refuse(-32602, "x has not 2 numbers")
		heat = (x[1] - 82) / 10
		time = (x[2] - 4) / 2
		return "{\"value\":" num(4 - heat * heat - time * time) "}"
	}
	return ""
}
