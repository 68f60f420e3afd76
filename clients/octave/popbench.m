## Your optimiser or your objective, written in Octave, in popbench. Load this file before anything else,
## call serve, and name the program in a suite: command: [octave-cli, -qfH, my_optimizer.m]. The protocol
## is described in docs/protocol.md. Needs Octave 7 or later and no package.
##
##   source("popbench.m");
##   serve(struct("name", "mine", "version", "1", "start", @start, "ask", @ask, "tell", @tell, "recommend", @recommend));
##
##   state  = start(setup)                 # a new run
##   points = ask(state)                   # a cell array of two or more points; changes nothing
##   state  = tell(state, points, winner)  # points{winner} was preferred
##   x      = recommend(state)             # the best point so far
##
##   serve(struct("name", "my objective", "version", "1", "describe", @describe, "evaluate", @evaluate));
##
##   d     = describe()                    # d.lo and d.hi; d.optimum, d.optimum_x, d.title, d.source if known
##   value = evaluate(x)                   # a number, the same whenever x is the same
##
## setup has lo, hi, start, steps, seed, stream, settings, pilot and known, as docs/protocol.md describes
## them; rand("twister", mod(setup.seed, 2^32)) makes a run repeatable. Points are row vectors, and indices
## count from 1. undefined("reason") in start says that the program is not made for such a run.
##
## Further fields: metrics, a function metrics(state) that returns a struct of numbers for the record; and
## capabilities, such as struct("arms", true) for programs that choose from setup.arms where there is no
## box, struct("ties", true) for those that learn from ties, where winner is [], or struct("values", true) for
## those that tell brings the values of the new points, not a winner.
##
## From here on standard output is standard error for all that prints, compiled code and other programs
## included. Where /dev/stdout cannot be opened (Windows, sockets) nothing is diverted: print to stderr.

1;

global protocol_output = fopen("/dev/stdout", "a");
if (protocol_output < 0)
  protocol_output = stdout;
else
  dup2(stderr, stdout);
end
page_screen_output(false);

function undefined(reason)
  refuse(-32001, "%s", reason);
end

function refuse(code, varargin)
  error(sprintf("popbench:%d", -code), varargin{:});
end

function serve(program)
  global protocol_output
  session = struct("state", {{}}, "previous", {{}}); # state is empty before start, and a cell of one after
  while (ischar(line = next_line()))
    if (isempty(strtrim(line)))
      continue;
    end
    id = "null";
    method = "";
    try
      request = read_request(line);
      if (! isfield(request, "id"))
        continue; # nothing may answer a notification
      end
      id = to_json(request.id);
      method = request.method;
      [result, session] = respond(program, session, method, request);
      answer = ["\"result\":" to_json(result)];
    catch err
      code = sscanf(err.identifier, "popbench:%d");
      if (isempty(code))
        code = 32000;
        err.message = sprintf("%s (%s, line %d)", err.message, err.stack(1).name, err.stack(1).line);
      end
      answer = ["\"error\":" to_json(struct("code", -code, "message", err.message))];
    end
    fputs(protocol_output, ["{\"jsonrpc\":\"2.0\",\"id\":" id "," answer "}\n"]);
    fflush(protocol_output);
    if (strcmp(method, "shutdown"))
      return;
    end
  end
end

## The next line of standard input, or -1 at its end. fgetl would wait for the line after it as well.
function line = next_line()
  line = fscanf(stdin, "%[^\n]", 1);
  if (isempty(fread(stdin, 1)) && isempty(line))
    line = -1;
  end
end

function request = read_request(line)
  try
    request = from_json(line);
  catch
    refuse(-32700, "this is not JSON");
  end
  if (! isstruct(request) || ! strcmp(field(request, "jsonrpc"), "2.0") || ! ischar(field(request, "method")))
    refuse(-32600, "this is not a request of JSON-RPC 2.0");
  end
end

## The result of a request. session holds the run: setup, state, the points of the last query, and what a
## repeated ask or recommend returns. It is returned changed, or not at all if anything goes wrong.
function [result, session] = respond(program, session, method, request)
  result = struct();
  problem = isfield(program, "evaluate");
  p = field(request, "params", struct());
  if (! isstruct(p))
    refuse(-32602, "params are not an object");
  end
  if (strcmp(method, "shutdown"))
    return;
  end
  if (strcmp(method, "initialize"))
    if (! (field(p, "protocol", 0) >= 1))
      refuse(-32003, "this program speaks version 1 of the protocol");
    end
    result = struct("protocol", 1, "kind", choose(problem, "problem", "algorithm"), "name", program.name, "version", program.version,
                    "capabilities", field(program, "capabilities", struct()), "provenance", struct("octave", version()));
    return;
  end
  known = choose(problem, {"describe", "evaluate"}, {"start", "ask", "tell", "recommend"});
  if (! any(strcmp(method, known)) || ! isfield(program, method))
    refuse(-32601, "this program has no method %s", method);
  end
  if (problem)
    domain = program.describe();
    result = description(domain);
    if (strcmp(method, "evaluate"))
      result = struct("value", program.evaluate(point(field(p, "x"), domain, "x")));
    end
    return;
  end
  if (! strcmp(method, "start") && isempty(session.state))
    refuse(-32600, "%s before start", method);
  end
  switch (method)
    case "start"
      session = start_run(program, p);
    case "tell"
      session = told(program, session, p);
    case "ask"
      if (! isfield(session, "asked"))
        session.asked = query(program.ask(session.state{1}), session);
      end
      result = session.asked;
    case "recommend"
      if (! isfield(session, "recommended"))
        session.recommended = recommendation(program, session.state{1});
      end
      result = session.recommended;
  end
end

function session = start_run(program, p)
  s = p;
  if (isfield(p, "arms"))
    if (! field(field(program, "capabilities", struct()), "arms", false))
      undefined("this program searches boxes, not lists of points");
    end
    s.arms = points(p.arms, struct(), "arms");
  else
    box = field(p, "box", struct());
    s.lo = point(field(box, "lo"), struct(), "box.lo");
    s.hi = point(field(box, "hi"), struct("lo", s.lo, "hi", Inf), "box.hi");
  end
  s.start = point(field(p, "start"), s, "start");
  s.pilot = field(p, "pilot", {});
  if (isstruct(s.pilot))
    s.pilot = {s.pilot}; # a list of one
  end
  for i = 1:numel(s.pilot)
    s.pilot{i} = struct("points", {points(s.pilot{i}.points, s, "pilot")}, "winner", s.pilot{i}.winner + 1);
  end
  session = struct("setup", s, "state", {{program.start(s)}}, "previous", {{}});
end

function session = told(program, session, p)
  shown = points(field(p, "points"), session.setup, "points");
  n = numel(shown);
  if (n < 2)
    refuse(-32602, "points: a query has two or more");
  end
  fresh = field(p, "new", -1);
  if (! isscalar(fresh) || ! any(fresh == 0:n))
    refuse(-32602, "new is not a number of points");
  end
  if (field(field(program, "capabilities", struct()), "values", false))
    if (fresh == 0 || numel(field(p, "values")) != fresh)
      refuse(-32602, "values: one for each new point is needed");
    end
    state = program.tell(session.state{1}, shown(end-fresh+1:end), point(p.values, struct(), "values"));
  else
    winner = field(p, "winner", -1);
    tie = isempty(winner) && field(field(program, "capabilities", struct()), "ties", false);
    if (! tie && (! isscalar(winner) || ! any(winner == 0:n-1)))
      refuse(-32602, "winner is not an index of points");
    end
    state = program.tell(session.state{1}, shown, winner + 1);
  end
  session = struct("setup", session.setup, "state", {{state}}, "previous", {shown});
end

## A point as a row vector, which must lie between domain.lo and domain.hi or be one of domain.arms.
function x = point(x, domain, name)
  if (! isnumeric(x) || isempty(x))
    refuse(-32602, "%s is not a list of numbers", name);
  end
  arms = field(domain, "arms", {});
  dim = numel([field(domain, "lo") arms{1:min(1, end)}]);
  if (dim > 0 && numel(x) != dim)
    refuse(-32602, "%s has %d numbers, not %d", name, numel(x), dim);
  end
  if (any(x < field(domain, "lo", -Inf)) || any(x > field(domain, "hi", Inf)))
    refuse(-32602, "%s is outside the box", name);
  end
  if (! isempty(arms) && ! any(cellfun(@(a) isequal(a, x), arms)))
    refuse(-32602, "%s is none of the arms", name);
  end
end

function list = points(list, domain, name)
  if (! iscell(list) || isempty(list))
    refuse(-32602, "%s is not a list of points", name);
  end
  list = cellfun(@(x) point(x, domain, name), list, "UniformOutput", false);
end

## The result of ask. Points of the query before, and the start, come first; those that follow are new. A
## query that consists of such points is new as a whole.
function result = query(asked, session)
  known = [session.previous {session.setup.start}];
  old = cellfun(@(x) any(cellfun(@(k) isequal(k, x), known)), asked);
  result = struct("points", {cellfun(@num2cell, asked, "UniformOutput", false)}, "new", numel(asked) - choose(all(old), 0, sum(cumprod(old))));
end

function result = recommendation(program, state)
  result = struct("recommendations", {{struct("rule", "own", "x", {num2cell(program.recommend(state))})}});
  if (isfield(program, "metrics"))
    m = program.metrics(state);
    result.metrics = cellfun(@(name) struct("name", name, "value", m.(name), "kind", "state"), fieldnames(m)', "UniformOutput", false);
  end
end

function d = description(d)
  if (isfield(d, "lo"))
    d.box = struct("lo", {num2cell(d.lo)}, "hi", {num2cell(d.hi)});
    d = rmfield(d, {"lo", "hi"});
  end
  if (isfield(d, "optimum_x"))
    d.optimum_x = cellfun(@num2cell, d.optimum_x, "UniformOutput", false);
  end
end

## The field of a struct; if there is none, default, or [] without a default.
function v = field(s, name, default)
  if (isfield(s, name))
    v = s.(name);
  elseif (nargin > 2)
    v = default;
  else
    v = [];
  end
end

function v = choose(condition, yes, no)
  v = no;
  if (condition)
    v = yes;
  end
end

## jsondecode reads a fifth of all numbers with a wrong last digit, and forgets which lists were lists of
## lists. So it gets numbers as strings that begin with a mark, and numbers() converts them.
function v = from_json(line)
  number = '"[^"\\]*(?:\\.[^"\\]*)*"(*SKIP)(*FAIL)|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)';
  v = numbers(jsondecode(regexprep(line, number, '"\\u0001$1"'), "makeValidName", false));
end

## Lists of numbers become row vectors, other lists cell arrays.
function v = numbers(v)
  marked = @(s) ischar(s) && ! isempty(s) && s(1) == 1;
  if (marked(v))
    v = sscanf(v(2:end), "%f");
  elseif (iscell(v) && ! isempty(v) && all(cellfun(marked, v)))
    v = sscanf(strjoin(cellfun(@(s) s(2:end), v(:)', "UniformOutput", false)), "%f")';
  elseif (iscell(v))
    v = cellfun(@numbers, v(:)', "UniformOutput", false);
  elseif (isstruct(v) && isscalar(v))
    v = structfun(@numbers, v, "UniformOutput", false);
  elseif (isstruct(v))
    v = arrayfun(@numbers, v(:)', "UniformOutput", false);
  end
end

## jsonencode writes too few digits. Cell arrays become lists, whatever their length.
function text = to_json(v)
  if (iscell(v))
    text = ["[" strjoin(cellfun(@to_json, v(:)', "UniformOutput", false), ",") "]"];
  elseif (isstruct(v))
    members = cellfun(@(name) [jsonencode(name) ":" to_json(v.(name))], fieldnames(v)', "UniformOutput", false);
    text = ["{" strjoin(members, ",") "}"];
  elseif (ischar(v))
    text = jsonencode(v);
  elseif (islogical(v) && isscalar(v))
    text = choose(v, "true", "false");
  elseif (isscalar(v))
    text = strrep(sprintf("%.17g", double(v)), "NA", "NaN");
  elseif (isempty(v))
    text = "null";
  else
    text = to_json(num2cell(v));
  end
end
