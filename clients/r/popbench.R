# Your optimiser or your objective, written in R, in popbench. Load this file before anything else, call
# serve, and name the program in a suite: command: [Rscript, my_optimizer.R]; files: lists what it sources,
# so that bench notices changes. docs/protocol.md describes the protocol. Needs R 3.5 or later and jsonlite.
#
#   source("popbench.R")
#   serve(list(
#     name = "mine", version = "1",
#     start     = function(setup) list(...),                  # the state of a new run
#     ask       = function(state) list(state$best, ...),      # two or more points; changes nothing
#     tell      = function(state, points, winner) state,      # points[[winner]] was preferred
#     recommend = function(state) state$best))                # the best point so far
#
#   serve(list(
#     name = "my objective", version = "1",
#     describe  = function() list(lo = c(180, 20), hi = c(260, 80)),
#     evaluate  = function(x) ...))                           # a number, the same whenever x is the same
#
# setup has lo, hi, start, steps, seed, stream, settings, pilot and known, as docs/protocol.md describes
# them; set.seed(setup$seed %% 2^31) makes a run repeatable. Points are numeric vectors, and indices
# count from 1. `undefined("reason")` in start says that the program is not made for such a run.
#
# Further entries: metrics, a function(state) that returns named numbers for the record; and capabilities,
# such as list(arms = TRUE) for programs that choose from setup$arms where there is no box,
# list(ties = TRUE) for those that learn from ties, where winner is NULL, or list(values = TRUE) for
# those that tell brings the values of the new points, not a winner.
#
# Whatever R prints goes to standard error. What other programs or compiled code write to file
# descriptor 1 R cannot divert: call system2(..., stdout = TRUE) and print what it returns.

sink(stderr())

local({ # so that a start, a point or a query of your own replaces none of the functions here

undefined <<- function(reason) refuse(-32001, reason)

refuse <- function(code, ...)
  stop(structure(class = c("refusal", "error", "condition"), list(message = paste0(...), call = NULL, code = code)))

serve <<- function(program) {
  input <- file("stdin", "r", encoding = "UTF-8")
  session <- new.env()
  repeat {
    line <- readLines(input, 1, warn = FALSE)
    if (length(line) == 0) return(invisible()) # bench has ended
    if (trimws(line) == "") next
    request <- NULL
    answer <- tryCatch({
      request <- read_request(line)
      list(result = respond(program, session, request[["method"]], request[["params"]]))
    }, error = function(e) {
      if (inherits(e, "refusal")) return(list(error = list(code = e$code, message = e$message)))
      place <- if (is.null(conditionCall(e))) "" else paste0(" (in ", deparse(conditionCall(e))[1], ")")
      list(error = list(code = -32000, message = paste0(conditionMessage(e), place)))
    })
    if (!is.null(request) && is.null(request[["id"]])) next # nothing may answer a notification
    text <- to_json(c(list(jsonrpc = "2.0", id = request[["id"]]), answer))
    while (sink.number() > 0) sink()
    writeLines(enc2utf8(text), stdout(), useBytes = TRUE)
    flush(stdout())
    sink(stderr())
    if (identical(request[["method"]], "shutdown")) return(invisible())
  }
}

read_request <- function(line) {
  request <- tryCatch(list(parse_json(line))[[1]], error = function(e) refuse(-32700, "this is not JSON"))
  if (!is.list(request) || !identical(request[["jsonrpc"]], "2.0") || !is.character(request[["method"]]))
    refuse(-32600, "this is not a request of JSON-RPC 2.0")
  request
}

# The result of a request. session holds the run: its setup and state, and what a repeated ask or
# recommend returns. Keys of messages are read with [[ ]], since $ would take "newest" for "new".
respond <- function(program, session, method, p) {
  problem <- is.function(program$evaluate)
  if (!is.null(p) && !is.list(p)) refuse(-32602, "params are not an object")
  if (method == "shutdown") return(empty)
  if (method == "initialize") {
    if (!isTRUE(p[["protocol"]] >= 1)) refuse(-32003, "this program speaks version 1 of the protocol")
    return(list(protocol = 1, kind = if (problem) "problem" else "algorithm", name = program$name, version = program$version,
                capabilities = if (length(program$capabilities)) program$capabilities else empty,
                provenance = list(R = as.character(getRversion()), jsonlite = as.character(utils::packageVersion("jsonlite")))))
  }
  known <- if (problem) c("describe", "evaluate") else c("start", "ask", "tell", "recommend")
  if (!method %in% known || !is.function(program[[method]])) refuse(-32601, "this program has no method ", method)
  if (problem) {
    domain <- program$describe()
    if (method == "describe") return(description(domain))
    return(list(value = program$evaluate(point(p[["x"]], domain, "x"))))
  }
  if (method == "start") return(start(program, session, p))
  if (is.null(session$state)) refuse(-32600, method, " before start")
  if (method == "tell") return(tell(program, session, p))
  if (method == "ask") {
    if (is.null(session$asked)) session$asked <- query(program$ask(session$state), session)
    return(session$asked)
  }
  if (is.null(session$recommended)) session$recommended <- recommendation(program, session$state)
  session$recommended
}

start <- function(program, session, p) {
  s <- p[c("cell", "steps", "seed", "stream", "settings", "known")]
  if (!is.null(p[["arms"]])) {
    if (!isTRUE(program$capabilities$arms)) undefined("this program searches boxes, not lists of points")
    s$arms <- points(p[["arms"]], list(), "arms")
  } else {
    s$lo <- point(p[["box"]][["lo"]], list(), "box.lo")
    s$hi <- point(p[["box"]][["hi"]], list(lo = s$lo, hi = Inf), "box.hi")
  }
  s$start <- point(p[["start"]], s, "start")
  s$pilot <- lapply(p[["pilot"]], function(q) list(points = points(q[["points"]], s, "pilot"), winner = q[["winner"]] + 1))
  remember(session, program$start(s), list())
  session$setup <- s
  empty
}

tell <- function(program, session, p) {
  shown <- points(p[["points"]], session$setup, "points")
  if (length(shown) < 2) refuse(-32602, "points: a query has two or more")
  if (!isTRUE(p[["new"]] %in% 0:length(shown))) refuse(-32602, "new is not a number of points")
  if (isTRUE(program$capabilities$values)) {
    if (p[["new"]] == 0 || length(p[["values"]]) != p[["new"]]) refuse(-32602, "values: one for each new point is needed")
    state <- program$tell(session$state, utils::tail(shown, p[["new"]]), point(p[["values"]], list(), "values"))
  } else {
    tie <- isTRUE(program$capabilities$ties) && "winner" %in% names(p) && is.null(p[["winner"]])
    if (!tie && !isTRUE(p[["winner"]] %in% (seq_along(shown) - 1))) refuse(-32602, "winner is not an index of points")
    state <- program$tell(session$state, shown, if (!tie) p[["winner"]] + 1)
  }
  remember(session, state, shown)
  empty
}

# previous are the points of the last query. Without them the state is that of start.
remember <- function(session, state, previous) {
  if (is.null(state)) refuse(-32000, if (length(previous)) "tell" else "start", " returned NULL; it must return the state of the run")
  list2env(list(state = state, previous = previous, asked = NULL, recommended = NULL), session)
}

empty <- structure(list(), names = character()) # {} in JSON

# A point from a list of numbers, which must lie between domain$lo and domain$hi or be one of domain$arms.
point <- function(v, domain, name) {
  if (length(v) == 0 || !all(vapply(v, is.numeric, NA))) refuse(-32602, name, " is not a list of numbers")
  x <- as.numeric(unlist(v))
  dim <- length(c(domain$lo, domain$arms[[1]])) # one of them is NULL; 0 if nothing is known
  if (dim > 0 && length(x) != dim) refuse(-32602, name, " has ", length(x), " numbers, not ", dim)
  if (any(x < domain$lo) || any(x > domain$hi)) refuse(-32602, name, " is outside the box")
  if (length(domain$arms) && !any(vapply(domain$arms, identical, NA, x))) refuse(-32602, name, " is none of the arms")
  x
}

points <- function(v, domain, name) {
  if (!is.list(v) || length(v) == 0) refuse(-32602, name, " is not a list of points")
  lapply(v, point, domain, name)
}

# The result of ask. Points of the query before, and the start, come first; those that follow are new. A
# query that consists of such points is new as a whole.
query <- function(asked, session) {
  if (!is.list(asked)) refuse(-32000, "ask returned ", class(asked)[1], "; it must return a list of points, such as list(x, y)")
  asked <- Map(returned, unname(asked), paste0("point ", seq_along(asked), " of ask"))
  known <- c(session$previous, list(session$setup$start))
  old <- vapply(asked, function(x) any(vapply(known, identical, NA, x)), NA)
  list(points = lapply(asked, I), new = length(asked) - if (all(old)) 0 else sum(cumprod(old)))
}

# A point of the program, without its names. A state that lacks an entry makes it NULL.
returned <- function(x, what) {
  if (!is.numeric(x)) refuse(-32000, what, " is ", class(x)[1], ", not a numeric vector")
  as.numeric(x)
}

recommendation <- function(program, state) {
  result <- list(recommendations = list(list(rule = "own", x = I(returned(program$recommend(state), "what recommend returned")))))
  if (!is.function(program$metrics)) return(result)
  m <- program$metrics(state)
  c(result, metrics = list(lapply(names(m), function(name) list(name = name, value = m[[name]], kind = "state"))))
}

description <- function(d) {
  if (!is.null(d$lo)) d$box <- list(lo = I(d$lo), hi = I(d$hi))
  d$lo <- d$hi <- NULL
  if (!is.null(d$optimum_x)) d$optimum_x <- lapply(d$optimum_x, I)
  if (length(d)) d else empty
}

# jsonlite reads -0 as 0 unless it has a decimal point. The pattern leaves out what stands in a string.
parse_json <- function(line) {
  line <- gsub('"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"(*SKIP)(*FAIL)|-0(?![0-9.eE])', "-0.0", line, perl = TRUE)
  jsonlite::parse_json(line)
}

# jsonlite writes at most 15 digits, and a number needs 17 to be read as the same number. A vector of
# length 1 becomes a number, or with I(x) a list of one.
to_json <- function(v) {
  if (is.null(v)) return("null")
  if (is.list(v) && is.null(names(v))) return(paste0("[", paste(vapply(v, to_json, ""), collapse = ","), "]"))
  if (is.list(v)) {
    keys <- vapply(names(v), function(k) as.character(jsonlite::toJSON(k, auto_unbox = TRUE)), "")
    return(paste0("{", paste(keys, vapply(v, to_json, ""), sep = ":", collapse = ","), "}"))
  }
  if (is.logical(v) && !all(is.na(v))) text <- tolower(v)
  else if (is.numeric(v) || is.logical(v)) text <- ifelse(is.na(v), "NaN", sprintf("%.17g", as.numeric(v)))
  else text <- vapply(as.character(v), function(s) as.character(jsonlite::toJSON(s, auto_unbox = TRUE)), "")
  if (length(text) == 1 && !inherits(v, "AsIs")) text else paste0("[", paste(text, collapse = ","), "]")
}

})
