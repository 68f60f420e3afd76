# The objective of shell/objective.awk, printing wherever it can.
BEGIN {
	kind = "problem"
	name = "tea"
	version = "1"
	print "printed before serve"
}

function respond(method,    x, heat, time) {
	if (method == "describe")
		return "{\"box\":{\"lo\":[60,1],\"hi\":[100,9]},\"optimum\":4,\"optimum_x\":[[82,4]],\"title\":\"Tea\",\"source\":\"an example\"}"
	if (method == "evaluate") {
		print "printed by evaluate"
		system("echo a child")
		if (numbers(point(".params.x"), x) != 2) refuse(-32602, "x has not 2 numbers")
		heat = (x[1] - 82) / 10
		time = (x[2] - 4) / 2
		printf "half a line"
		return "{\"value\":" num(4 - heat * heat - time * time) "}"
	}
	return ""
}
