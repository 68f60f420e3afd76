## Your optimiser or your objective, written in Octave, in popbench. Load this file before anything else
## (only clear and clc come earlier), define your functions, then call serve, and name the program in a
## suite: command: [octave-cli, -qfH, my_optimizer.m]; files: [popbench.m], so that bench notices changes.
## docs/protocol.md describes the protocol. Needs Octave 7 or later and no package.
##
##   source(fullfile(fileparts(mfilename("fullpath")), "popbench.m"));   # beside your program
##   serve(struct("name", "mine", "version", "1", "start", @start, "ask", @ask, "tell", @tell, "recommend", @recommend));
##
##   state  = start(setup)                 # a new run
##   points = ask(state)                   # a cell array of two or more points; changes nothing
##   state  = tell(state, points, winner)  # points{winner} was preferred
##   x      = recommend(state)             # the best point so far
##
##   serve(struct("name", "my objective", "version", "1", "describe", @describe, "evaluate", @evaluate));
##
##   d     = describe()                    # d.lo and d.hi; d.optimum, d.optimum_x, d.title, d.source if known;
##                                         # each row of optimum_x, or cell, is a point
##   value = evaluate(x)                   # a number, the same whenever x is the same
##
## setup has lo, hi, start, steps, seed, stream, settings, pilot and known, as docs/protocol.md describes
## them. rand("twister", mod(setup.seed, 2^32)) makes a run repeatable, for rand, randi and randperm; randn
## and the like have states of their own: randn("twister", mod(setup.seed, 2^32)). Points are row vectors,
## and indices count from 1. undefined("reason") in start says that the program is not made for such a run.
## Names that begin with pb_ are taken.
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
  pb_refuse(-32001, "%s", reason);
end

function pb_refuse(code, varargin)
  error(sprintf("popbench:%d", -code), varargin{:});
end

function serve(program)
  global protocol_output
  session = struct("state", {{}}, "previous", {{}}); # state is empty before start, and a cell of one after
  while (ischar(line = pb_next_line()))
    if (isempty(strtrim(line)))
      continue;
    end
    id = "null";
    method = "";
    try
      request = pb_read_request(line);
      if (! isfield(request, "id"))
        continue; # nothing may answer a notification
      end
      id = pb_to_json(request.id);
      method = request.method;
      [result, session] = pb_respond(program, session, method, request);
      answer = ["\"result\":" pb_to_json(result)];
    catch err
      code = sscanf(err.identifier, "popbench:%d");
      if (isempty(code))
        code = 32000;
        err.message = sprintf("%s (%s, line %d)", err.message, err.stack(1).name, err.stack(1).line);
      end
      answer = ["\"error\":" pb_to_json(struct("code", -code, "message", err.message))];
    end
    fputs(protocol_output, ["{\"jsonrpc\":\"2.0\",\"id\":" id "," answer "}\n"]);
    fflush(protocol_output);
    if (strcmp(method, "shutdown"))
      return;
    end
  end
end

## The next line of standard input, or -1 at its end. fgetl would wait for the line after it as well.
function line = pb_next_line()
  line = fscanf(stdin, "%[^\n]", 1);
  if (isempty(fread(stdin, 1)) && isempty(line))
    line = -1;
  end
end

function request = pb_read_request(line)
  try
    request = pb_from_json(line);
  catch
    pb_refuse(-32700, "this is not JSON");
  end
  if (! isstruct(request) || ! strcmp(pb_field(request, "jsonrpc"), "2.0") || ! ischar(pb_field(request, "method")))
    pb_refuse(-32600, "this is not a request of JSON-RPC 2.0");
  end
end

## The result of a request. session holds the run: setup, state, the points of the last query, and what a
## repeated ask or recommend returns. It is returned changed, or not at all if anything goes wrong.
function [result, session] = pb_respond(program, session, method, request)
  result = struct();
  problem = isfield(program, "evaluate");
  p = pb_field(request, "params", struct());
  if (! isstruct(p))
    pb_refuse(-32602, "params are not an object");
  end
  if (strcmp(method, "shutdown"))
    return;
  end
  if (strcmp(method, "initialize"))
    if (! (pb_field(p, "protocol", 0) >= 1))
      pb_refuse(-32003, "this program speaks version 1 of the protocol");
    end
    result = struct("protocol", 1, "kind", pb_choose(problem, "problem", "algorithm"), "name", program.name, "version", program.version,
                    "capabilities", pb_field(program, "capabilities", struct()), "provenance", struct("octave", version()));
    return;
  end
  known = pb_choose(problem, {"describe", "evaluate"}, {"start", "ask", "tell", "recommend"});
  if (! any(strcmp(method, known)) || ! isfield(program, method))
    pb_refuse(-32601, "this program has no method %s", method);
  end
  if (problem)
    domain = program.describe();
    result = pb_description(domain);
    if (strcmp(method, "evaluate"))
      result = struct("value", program.evaluate(pb_point(pb_field(p, "x"), domain, "x")));
    end
    return;
  end
  if (! strcmp(method, "start") && isempty(session.state))
    pb_refuse(-32600, "%s before start", method);
  end
  switch (method)
    case "start"
      session = pb_start_run(program, p);
    case "tell"
      session = pb_told(program, session, p);
    case "ask"
      if (! isfield(session, "asked"))
        session.asked = pb_query(program.ask(session.state{1}), session);
      end
      result = session.asked;
    case "recommend"
      if (! isfield(session, "recommended"))
        session.recommended = pb_recommendation(program, session.state{1});
      end
      result = session.recommended;
  end
end

function session = pb_start_run(program, p)
  s = p;
  if (isfield(p, "arms"))
    if (! pb_field(pb_field(program, "capabilities", struct()), "arms", false))
      undefined("this program searches boxes, not lists of points");
    end
    s.arms = pb_points(p.arms, struct(), "arms");
  else
    box = pb_field(p, "box", struct());
    s.lo = pb_point(pb_field(box, "lo"), struct(), "box.lo");
    s.hi = pb_point(pb_field(box, "hi"), struct("lo", s.lo, "hi", Inf), "box.hi");
  end
  s.start = pb_point(pb_field(p, "start"), s, "start");
  s.pilot = pb_field(p, "pilot", {});
  if (isstruct(s.pilot))
    s.pilot = {s.pilot}; # a list of one
  end
  for i = 1:numel(s.pilot)
    s.pilot{i} = struct("points", {pb_points(s.pilot{i}.points, s, "pilot")}, "winner", s.pilot{i}.winner + 1);
  end
  s.settings = pb_field(p, "settings", struct());
  s.known = pb_field(p, "known", struct());
  session = struct("setup", s, "state", {{program.start(s)}}, "previous", {{}});
end

function session = pb_told(program, session, p)
  shown = pb_points(pb_field(p, "points"), session.setup, "points");
  n = numel(shown);
  if (n < 2)
    pb_refuse(-32602, "points: a query has two or more");
  end
  fresh = pb_field(p, "new", -1);
  if (! isscalar(fresh) || ! any(fresh == 0:n))
    pb_refuse(-32602, "new is not a number of points");
  end
  if (pb_field(pb_field(program, "capabilities", struct()), "values", false))
    if (fresh == 0 || numel(pb_field(p, "values")) != fresh)
      pb_refuse(-32602, "values: one for each new point is needed");
    end
    state = program.tell(session.state{1}, shown(end-fresh+1:end), pb_point(p.values, struct(), "values"));
  else
    winner = pb_field(p, "winner", -1);
    tie = isempty(winner) && pb_field(pb_field(program, "capabilities", struct()), "ties", false);
    if (! tie && (! isscalar(winner) || ! any(winner == 0:n-1)))
      pb_refuse(-32602, "winner is not an index of points");
    end
    state = program.tell(session.state{1}, shown, winner + 1);
  end
  session = struct("setup", session.setup, "state", {{state}}, "previous", {shown});
end

## A point as a row vector, which must lie between domain.lo and domain.hi or be one of domain.arms.
function x = pb_point(x, domain, name)
  if (! isnumeric(x) || isempty(x))
    pb_refuse(-32602, "%s is not a list of numbers", name);
  end
  arms = pb_field(domain, "arms", {});
  dim = numel([pb_field(domain, "lo") arms{1:min(1, end)}]);
  if (dim > 0 && numel(x) != dim)
    pb_refuse(-32602, "%s has %d numbers, not %d", name, numel(x), dim);
  end
  if (any(x < pb_field(domain, "lo", -Inf)) || any(x > pb_field(domain, "hi", Inf)))
    pb_refuse(-32602, "%s is outside the box", name);
  end
  if (! isempty(arms) && ! any(cellfun(@(a) isequal(a, x), arms)))
    pb_refuse(-32602, "%s is none of the arms", name);
  end
end

function list = pb_points(list, domain, name)
  if (! iscell(list) || isempty(list))
    pb_refuse(-32602, "%s is not a list of points", name);
  end
  list = cellfun(@(x) pb_point(x, domain, name), list, "UniformOutput", false);
end

## The result of ask. Points of the query before, and the start, come first; those that follow are new. A
## query that consists of such points is new as a whole.
function result = pb_query(asked, session)
  if (! iscell(asked))
    pb_refuse(-32000, "ask returned %s; it must return a cell array of points, such as {x, y}", pb_kind(asked));
  end
  asked = arrayfun(@(i) pb_returned(asked{i}, sprintf("point %d of ask", i)), 1:numel(asked), "UniformOutput", false);
  known = [session.previous {session.setup.start}];
  old = cellfun(@(x) any(cellfun(@(k) isequal(k, x), known)), asked);
  result = struct("points", {cellfun(@num2cell, asked, "UniformOutput", false)}, "new", numel(asked) - pb_choose(all(old), 0, sum(cumprod(old))));
end

## A point of the program, as a row vector.
function x = pb_returned(x, what)
  if (! isnumeric(x) || ! isreal(x) || ! isvector(x))
    pb_refuse(-32000, "%s is %s, not a vector of real numbers", what, pb_kind(x));
  end
  x = double(x(:)');
end

function text = pb_kind(v)
  text = sprintf("a %dx%d %s%s", rows(v), columns(v), pb_choose(iscomplex(v), "complex ", ""), class(v));
end

function result = pb_recommendation(program, state)
  x = pb_returned(program.recommend(state), "what recommend returned");
  result = struct("recommendations", {{struct("rule", "own", "x", {num2cell(x)})}});
  if (isfield(program, "metrics"))
    m = program.metrics(state);
    result.metrics = cellfun(@(name) struct("name", name, "value", m.(name), "kind", "state"), fieldnames(m)', "UniformOutput", false);
  end
end

function d = pb_description(d)
  if (isfield(d, "lo"))
    d.box = struct("lo", {num2cell(d.lo)}, "hi", {num2cell(d.hi)});
    d = rmfield(d, {"lo", "hi"});
  end
  if (isfield(d, "optimum_x"))
    if (! iscell(d.optimum_x))
      d.optimum_x = num2cell(d.optimum_x, 2); # rows
    end
    d.optimum_x = cellfun(@num2cell, d.optimum_x, "UniformOutput", false);
  end
end

## The field of a struct; if there is none, default, or [] without a default.
function v = pb_field(s, name, default)
  if (isfield(s, name))
    v = s.(name);
  elseif (nargin > 2)
    v = default;
  else
    v = [];
  end
end

function v = pb_choose(condition, yes, no)
  v = no;
  if (condition)
    v = yes;
  end
end

## jsondecode reads a fifth of all numbers with a wrong last digit, and forgets which lists were lists of
## lists. So it gets numbers as strings that begin with a mark, and pb_numbers() converts them.
function v = pb_from_json(line)
  number = '"[^"\\]*(?:\\.[^"\\]*)*"(*SKIP)(*FAIL)|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)';
  v = pb_numbers(jsondecode(regexprep(line, number, '"\\u0001$1"'), "makeValidName", false));
end

## Lists of numbers become row vectors, other lists cell arrays.
function v = pb_numbers(v)
  marked = @(s) ischar(s) && ! isempty(s) && s(1) == 1;
  if (marked(v))
    v = sscanf(v(2:end), "%f");
  elseif (iscell(v) && ! isempty(v) && all(cellfun(marked, v)))
    v = sscanf(strjoin(cellfun(@(s) s(2:end), v(:)', "UniformOutput", false)), "%f")';
  elseif (iscell(v))
    v = cellfun(@pb_numbers, v(:)', "UniformOutput", false);
  elseif (isstruct(v) && isscalar(v))
    v = structfun(@pb_numbers, v, "UniformOutput", false);
  elseif (isstruct(v))
    v = arrayfun(@pb_numbers, v(:)', "UniformOutput", false);
  end
end

## jsonencode writes too few digits. Cell arrays become lists, whatever their length.
function text = pb_to_json(v)
  if (iscell(v))
    text = ["[" strjoin(cellfun(@pb_to_json, v(:)', "UniformOutput", false), ",") "]"];
  elseif (isstruct(v))
    members = cellfun(@(name) [jsonencode(name) ":" pb_to_json(v.(name))], fieldnames(v)', "UniformOutput", false);
    text = ["{" strjoin(members, ",") "}"];
  elseif (ischar(v))
    text = jsonencode(v);
  elseif (islogical(v) && isscalar(v))
    text = pb_choose(v, "true", "false");
  elseif (iscomplex(v))
    pb_refuse(-32000, "%s is complex, not a real number", mat2str(v));
  elseif (isscalar(v))
    text = strrep(sprintf("%.17g", double(v)), "NA", "NaN");
  elseif (isempty(v))
    text = "null";
  else
    text = pb_to_json(num2cell(v));
  end
end
