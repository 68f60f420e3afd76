## An optimiser in Octave: random points of the box by turns with points near the best, each in a duel
## with the best so far. To be replaced by yours.
##
##   - {name: external, label: My optimizer, command: [octave-cli, -qfH, optimizer.m]}

source(fullfile(fileparts(mfilename("fullpath")), "popbench.m"));

function s = start(setup)
  s = struct("lo", setup.lo, "hi", setup.hi, "best", setup.start, "radius", 0.25, "steps", 0, "random", mod(setup.seed, 2^30) + 1);
  s = propose(s);
end

## A challenger for the best point. Draws are those of Lehmer's generator, which all languages compute
## exactly, so that the examples of all clients can be compared with one recorded conversation.
function s = propose(s)
  near = mod(s.steps, 2) == 1;
  s.challenger = s.best;
  for j = 1:numel(s.best)
    s.random = mod(16807 * s.random, 2147483647);
    u = s.random / 2147483647;
    width = s.hi(j) - s.lo(j);
    if (near)
      x = s.best(j) + s.radius * (2 * u - 1) * width;
    else
      x = s.lo(j) + u * width;
    end
    s.challenger(j) = min(max(x, s.lo(j)), s.hi(j));
  end
end

function points = ask(s)
  points = {s.best, s.challenger};
end

## After a duel with a near point the radius is halved if the best won, and doubled if not.
function s = tell(s, points, winner)
  if (mod(s.steps, 2) == 1)
    if (winner == 1)
      s.radius = s.radius / 2;
    else
      s.radius = min(2 * s.radius, 0.5);
    end
  end
  s.best = points{winner};
  s.steps = s.steps + 1;
  s = propose(s);
end

function x = recommend(s)
  x = s.best;
end

function m = metrics(s)
  m.radius = s.radius;
end

serve(struct("name", "random-local", "version", "1", "start", @start, "ask", @ask, "tell", @tell, "recommend", @recommend,
             "metrics", @metrics));
