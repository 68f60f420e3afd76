## An objective in Octave: how much somebody likes a tea, by its temperature (°C) and time (minutes).
##
##   - {name: external, label: Tea, command: [octave-cli, -qfH, objective.m]}

source(fullfile(fileparts(mfilename("fullpath")), "popbench.m"));

function d = describe()
  d = struct("lo", [60 1], "hi", [100 9], "optimum", 4, "optimum_x", {{[82 4]}}, "title", "Tea", "source", "an example");
end

function value = evaluate(x)
  heat = (x(1) - 82) / 10;
  time = (x(2) - 4) / 2;
  value = 4 - heat * heat - time * time;
end

serve(struct("name", "tea", "version", "1", "describe", @describe, "evaluate", @evaluate));
