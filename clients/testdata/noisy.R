# The objective of r/objective.R, printing wherever R can keep it from standard output.
source("r/popbench.R")
cat("printed before serve\n")

serve(list(
  name = "tea", version = "1",
  describe = function() {
    print("printed by describe")
    list(lo = c(60, 1), hi = c(100, 9), optimum = 4, optimum_x = list(c(82, 4)), title = "Tea", source = "an example")
  },
  evaluate = function(x) {
    cat("printed by evaluate\n")
    message("a message")
    warning("a warning")
    heat <- (x[1] - 82) / 10
    time <- (x[2] - 4) / 2
    sink(tempfile()) # and not undone
    4 - heat * heat - time * time
  }))
