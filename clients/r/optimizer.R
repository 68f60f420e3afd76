# An optimiser in R: random points of the box by turns with points near the best, each in a duel with
# the best so far. To be replaced by yours.
#
#   - {name: external, label: My optimizer, command: [Rscript, optimizer.R]}

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]))
source(file.path(folder, "popbench.R"))

# A challenger for the best point. Draws are those of Lehmer's generator, which all languages compute
# exactly, so that the examples of all clients can be compared with one recorded conversation.
propose <- function(s) {
  local <- s$steps %% 2 == 1
  s$challenger <- s$best
  for (j in seq_along(s$best)) {
    s$random <- (16807 * s$random) %% 2147483647
    u <- s$random / 2147483647
    width <- s$hi[j] - s$lo[j]
    x <- if (local) s$best[j] + s$radius * (2 * u - 1) * width else s$lo[j] + u * width
    s$challenger[j] <- min(max(x, s$lo[j]), s$hi[j])
  }
  s
}

serve(list(
  name = "random-local", version = "1",

  start = function(setup)
    propose(list(lo = setup$lo, hi = setup$hi, best = setup$start, radius = 0.25, steps = 0, random = setup$seed %% 2^30 + 1)),

  ask = function(s) list(s$best, s$challenger),

  # After a duel with a near point the radius is halved if the best won, and doubled if not.
  tell = function(s, points, winner) {
    if (s$steps %% 2 == 1) s$radius <- if (winner == 1) s$radius / 2 else min(2 * s$radius, 0.5)
    s$best <- points[[winner]]
    s$steps <- s$steps + 1
    propose(s)
  },

  recommend = function(s) s$best,

  metrics = function(s) c(radius = s$radius)))
