## An optimiser that chooses from arms in turn, and keeps the first point of a tie.
source("octave/popbench.m");

function s = start(setup)
  s = struct("arms", {setup.arms}, "best", setup.start, "steps", 0, "ties", numfields(setup.settings) + numfields(setup.known));
end

function points = ask(s)
  points = s.arms(mod(s.steps + (0:1), numel(s.arms)) + 1);
end

function s = tell(s, points, winner)
  if (isempty(winner))
    s.ties = s.ties + 1;
    winner = 1;
  end
  s.best = points{winner};
  s.steps = s.steps + 1;
end

function x = recommend(s)
  x = s.best;
end

function m = metrics(s)
  m.ties = s.ties;
end

serve(struct("name", "in-turn", "version", "1", "capabilities", struct("arms", true, "ties", true), "start", @start,
             "ask", @ask, "tell", @tell, "recommend", @recommend, "metrics", @metrics));
