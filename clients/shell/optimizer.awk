# An optimiser in awk: random points of the box by turns with points near the best, each in a duel with the
# best so far. To be replaced by yours.
#
#   - {name: external, label: My optimizer, command: [sh, popbench.sh, optimizer.awk]}

BEGIN {
	kind = "algorithm"
	name = "random-local"
	version = "1"
}

function respond(method,    winner) {
	if (method == "start") {
		setup()
		state["best"] = state["start"]
		state["radius"] = 0.25
		state["steps"] = 0
		state["random"] = json[".params.seed"] % 1073741824 + 1
		propose()
		return "{}"
	}
	if (method == "ask") return query(state["best"], state["challenger"])
	if (method == "tell") {
		winner = told()
		# After a duel with a near point the radius is halved if the best won, and doubled if not.
		if (state["steps"] % 2 == 1) state["radius"] = num(winner == 0 ? state["radius"] / 2 : state["radius"] + 0 < 0.25 ? 2 * state["radius"] : 0.5)
		state["best"] = json[".params.points." winner]
		state["steps"]++
		propose()
		return "{}"
	}
	if (method == "recommend") return recommendation(state["best"], "radius", state["radius"])
	return ""
}

# A challenger for the best point. Draws are those of Lehmer's generator, which all languages compute exactly,
# so that the examples of all clients can be compared with one recorded conversation.
function propose(    dim, j, lo, hi, best, random, u, x, text) {
	dim = numbers(state["lo"], lo)
	numbers(state["hi"], hi)
	numbers(state["best"], best)
	random = state["random"]
	for (j = 1; j <= dim; j++) {
		random = (16807 * random) % 2147483647
		u = random / 2147483647
		if (state["steps"] % 2 == 1) x = best[j] + state["radius"] * (2 * u - 1) * (hi[j] - lo[j])
		else x = lo[j] + u * (hi[j] - lo[j])
		text = text "," (x < lo[j] + 0 ? lo[j] : x > hi[j] + 0 ? hi[j] : num(x))
	}
	state["random"] = num(random)
	state["challenger"] = "[" substr(text, 2) "]"
}
