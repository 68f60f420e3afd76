# An optimiser that chooses from arms in turn, and keeps the first point of a tie.
source("r/popbench.R")

serve(list(
  name = "in-turn", version = "1", capabilities = list(arms = TRUE, ties = TRUE),
  start = function(setup) list(arms = setup$arms, best = setup$start, steps = 0, ties = 0),
  ask = function(state) state$arms[(state$steps + 0:1) %% length(state$arms) + 1],
  tell = function(state, points, winner) {
    state$best <- points[[if (is.null(winner)) 1 else winner]]
    state$ties <- state$ties + is.null(winner)
    state$steps <- state$steps + 1
    state
  },
  recommend = function(state) state$best,
  metrics = function(state) list(ties = state$ties)))
