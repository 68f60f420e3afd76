# An optimiser that makes the mistake that its settings name. The client has functions of these names, too.
source("r/popbench.R")

start <- function(setup) if (setup$settings$fault != "start") list(fault = setup$settings$fault, best = setup$start)

query <- function(s) switch(s$fault,
  matrix = rbind(s$best, s$best),
  missing = list(s$best, s$challenger),
  list(best = s$best, challenger = c(x = 0.25, y = 0.5)))

tell <- function(s, points, winner) if (s$fault != "tell") s

returned <- function(s) if (s$fault == "recommend") s$bets else c(x = 0.25, y = 0.5)

serve(list(name = "faulty", version = "1", start = start, ask = query, tell = tell, recommend = returned))
