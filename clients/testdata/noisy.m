## The objective of octave/objective.m, printing wherever it can, with a helper of a likely name.
source("octave/popbench.m");
printf("printed before serve\n");

function d = describe()
  d = struct("lo", [60 1], "hi", [100 9], "optimum", 4, "optimum_x", [82 4], "title", "Tea", "source", "an example")
end

function v = point(x)
  v = x;
end

function value = evaluate(x)
  x = point(x);
  disp("printed by evaluate");
  system("echo a child");
  fputs(stdout, "half a line");
  heat = (x(1) - 82) / 10
  time = (x(2) - 4) / 2
  value = 4 - heat * heat - time * time
end

serve(struct("name", "tea", "version", "1", "describe", @describe, "evaluate", @evaluate));
