## An optimiser that makes the mistake that its settings name.
source("octave/popbench.m");

function s = start(setup)
  s = struct("fault", setup.settings.fault, "best", setup.start);
end

function points = ask(s)
  points = {s.best(:), [0.25; 0.5]};
  switch (s.fault)
    case "matrix"
      points = [s.best; 0.25 0.5];
    case "missing"
      points{2} = [];
    case "complex"
      points{2} = sqrt([-1 0.5]);
  end
end

function s = tell(s, points, winner)
end

function x = recommend(s)
  x = s.best;
  if (strcmp(s.fault, "recommend"))
    x = [s.best; s.best];
  end
end

function m = metrics(s)
  m.root = 1;
  if (strcmp(s.fault, "metric"))
    m.root = sqrt(-1);
  end
end

serve(struct("name", "faulty", "version", "1", "start", @start, "ask", @ask, "tell", @tell, "recommend", @recommend,
             "metrics", @metrics));
