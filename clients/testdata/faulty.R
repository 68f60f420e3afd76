# An optimiser that makes the mistake that its settings name.
source("r/popbench.R")

serve(list(
  name = "faulty", version = "1",
  start = function(setup) if (setup$settings$fault != "start") list(fault = setup$settings$fault, best = setup$start),
  ask = function(s) switch(s$fault,
    matrix = rbind(s$best, s$best),
    missing = list(s$best, s$challenger),
    list(best = s$best, challenger = c(x = 0.25, y = 0.5))),
  tell = function(s, points, winner) if (s$fault != "tell") s,
  recommend = function(s) if (s$fault == "recommend") s$bets else c(x = 0.25, y = 0.5)))
