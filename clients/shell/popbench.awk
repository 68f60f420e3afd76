# What every program for popbench.sh needs. The program sets kind ("algorithm" or "problem"), name and version
# in BEGIN, and defines respond(method), which returns the result of a request as JSON text, or "" for a
# method that it does not have. optimizer.awk and objective.awk are examples.
#
#   json[path]          the JSON text of a value of the request, such as json[".params.box.lo"]; json[path ".#"]
#                       is the length of a list
#   state[key]          kept from message to message, if the method is start or tell: texts without tabs and newlines,
#                       num(x) for a number; add 0 before you compare one
#   setup()             for start: checks it, and sets state["lo"], state["hi"] and state["start"], lists as JSON text
#   query(a, b)         for ask: its result for two points, the older one first
#   told()              for tell: checks it, and returns the index of the preferred point, so that it is
#                       json[".params.points." index]
#   recommendation(x, metric, number)   for recommend: its result for a point, and a number for the record
#   point(path)         checks the list of numbers at a path, and returns its text
#   numbers(text, a)    splits a list of numbers into a[1], a[2], ...; returns how many
#   num(x)              a number as text, with the 17 digits that it needs to be read as the same number
#   refuse(code, text)  ends the call with an error; the state remains what it was

NR == 1 {
	line = $0
	next
}

{
	tab = index($0, "\t")
	if (tab) before[substr($0, 1, tab - 1)] = state[substr($0, 1, tab - 1)] = substr($0, tab + 1)
}

END {
	id = "null"
	at = 1
	value("")
	blank()
	if (at <= length(line)) refuse(-32700, "this is not JSON")
	method = json[".method"]
	if (json[".jsonrpc"] != "\"2.0\"" || method !~ /^"/) refuse(-32600, "this is not a request of JSON-RPC 2.0")
	method = substr(method, 2, length(method) - 2)
	if (!(".id" in json)) send("") # nothing may answer a notification
	id = json[".id"]
	if ((".params" in json) && json[".params"] !~ /^[{]/) refuse(-32602, "params are not an object")
	if (method == "shutdown") result = "{}"
	else if (method == "initialize") {
		if (json[".params.protocol"] + 0 < 1) refuse(-32003, "this program speaks version 1 of the protocol")
		result = "{\"protocol\":1,\"kind\":\"" kind "\",\"name\":" quote(name) ",\"version\":" quote(version) ",\"capabilities\":{}}"
	} else {
		if (kind == "algorithm" && method ~ /^(ask|tell|recommend)$/ && !("start" in state)) refuse(-32600, method " before start")
		result = respond(method)
		if (result == "") refuse(-32601, "this program has no method " method)
	}
	if (method == "start" || method == "tell") { # nothing else changes the state
		for (key in before) delete before[key]
		for (key in state) before[key] = state[key]
	}
	send("{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}")
}

function refuse(code, message) {
	send("{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":" quote(message) "}}")
}

function send(answer,    out, key) {
	out = "cat >&4"
	print answer | out
	print (method == "shutdown" && answer != "" ? "over" : "on") | out
	for (key in before) print key "\t" before[key] | out
	close(out)
	exit 0
}

function quote(text) {
	gsub(/[\\"]/, "\\\\&", text)
	return "\"" text "\""
}

# Reads the value at position at of the line into json[path], and what is in it below.
function value(path,    from, open, c, n, key) {
	blank()
	from = at
	open = substr(line, at, 1)
	if (open == "{" || open == "[") {
		at++
		blank()
		c = substr(line, at, 1)
		if (c == "}" || c == "]") at++
		else do {
			if (open == "{") {
				blank()
				key = token("^\"([^\"\\\\]|\\\\.)*\"")
				key = substr(key, 2, length(key) - 2)
				blank()
				token("^:")
			} else key = n + 0
			value(path "." key)
			n++
			blank()
			c = substr(line, at++, 1)
		} while (c == ",")
		if (c != (open == "{" ? "}" : "]")) refuse(-32700, "this is not JSON")
		if (open == "[") json[path ".#"] = n + 0
	} else if (open == "\"") token("^\"([^\"\\\\]|\\\\.)*\"")
	else token("^(-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?|true|false|null)")
	json[path] = substr(line, from, at - from)
}

function token(pattern,    rest) {
	rest = substr(line, at)
	if (!match(rest, pattern)) refuse(-32700, "this is not JSON")
	at += RLENGTH
	return substr(rest, 1, RLENGTH)
}

function blank() {
	while (substr(line, at, 1) ~ /[ \t\r]/) at++
}

function num(x) {
	return sprintf("%.17g", x)
}

function numbers(text, a) {
	gsub(/[][ \t]/, "", text)
	return split(text, a, ",")
}

# In an algorithm the point must be in the box.
function point(path,    i, n, dim, lo, hi) {
	n = json[path ".#"]
	if (n < 1) refuse(-32602, substr(path, 9) " is not a list of numbers")
	dim = numbers(state["lo"], lo)
	if (dim && n != dim) refuse(-32602, substr(path, 9) " has " n " numbers, not " dim)
	numbers(state["hi"], hi)
	for (i = 1; i <= n; i++) {
		if (json[path "." (i - 1)] !~ /^[-0-9]/) refuse(-32602, substr(path, 9) " is not a list of numbers")
		if (dim && (json[path "." (i - 1)] + 0 < lo[i] + 0 || json[path "." (i - 1)] + 0 > hi[i] + 0)) refuse(-32602, substr(path, 9) " is outside the box")
	}
	return json[path]
}

function setup(    key, lo, hi) {
	if (".params.arms" in json) refuse(-32001, "this program searches boxes, not lists of points")
	for (key in state) delete state[key]
	lo = point(".params.box.lo")
	hi = point(".params.box.hi")
	state["lo"] = lo
	if (json[".params.box.hi.#"] != json[".params.box.lo.#"]) refuse(-32602, "box.lo and box.hi differ in length")
	state["hi"] = hi
	state["start"] = point(".params.start")
}

function query(a, b) {
	return "{\"points\":[" a "," b "],\"new\":" (old(a) && !old(b) ? 1 : 2) "}"
}

# Whether a point is the start, or was in the query before.
function old(x,    i, j, a, b, dim) {
	dim = numbers(x, a)
	for (i = 0; i <= state["shown"]; i++) {
		numbers(i ? state["shown." i] : state["start"], b)
		for (j = 1; j <= dim && a[j] + 0 == b[j] + 0;) j++
		if (j > dim) return 1
	}
	return 0
}

function told(    n, i, winner) {
	n = json[".params.points.#"]
	if (n < 2) refuse(-32602, "points: a query has two or more")
	index_of("new", n)
	winner = index_of("winner", n - 1)
	state["shown"] = n
	for (i = 1; i <= n; i++) state["shown." i] = point(".params.points." (i - 1))
	return winner
}

# A whole number of the params, 0 to most.
function index_of(key, most) {
	if (json[".params." key] !~ /^[0-9]+$/ || json[".params." key] + 0 > most) refuse(-32602, key " is not a whole number from 0 to " most)
	return json[".params." key] + 0
}

function recommendation(x, metric, number) {
	return "{\"recommendations\":[{\"rule\":\"own\",\"x\":" x "}],\"metrics\":[{\"name\":" quote(metric) ",\"value\":" num(number) ",\"kind\":\"state\"}]}"
}
