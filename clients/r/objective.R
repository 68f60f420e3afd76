# An objective in R: how much somebody likes a tea, by its temperature (°C) and time (minutes).
#
#   - {name: external, label: Tea, command: [Rscript, objective.R]}

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]))
source(file.path(folder, "popbench.R"))

serve(list(
  name = "tea", version = "1",
  describe = function() list(lo = c(60, 1), hi = c(100, 9), optimum = 4, optimum_x = list(c(82, 4)), title = "Tea", source = "an example"),
  evaluate = function(x) {
    heat <- (x[1] - 82) / 10
    time <- (x[2] - 4) / 2
    4 - heat * heat - time * time
  }))
