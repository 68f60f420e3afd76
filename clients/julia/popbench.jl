# Your optimiser or your objective, written in Julia, in popbench. Include this file before anything else,
# call serve, and name the program in a suite: command: [julia, --startup-file=no, my_optimizer.jl]. The
# protocol is described in docs/protocol.md. Needs Julia 1.6 or later and the package JSON.
#
#   include("popbench.jl")
#   serve(name = "mine", version = "1", start = start, ask = ask, tell = tell, recommend = recommend)
#
#   start(setup)                 # a new run; returns its state, of any type
#   ask(state)                   # a vector of two or more points; changes nothing
#   tell(state, points, winner)  # points[winner] was preferred; returns the new state
#   recommend(state)             # the best point so far
#
#   serve(name = "my objective", version = "1", describe = describe, evaluate = evaluate)
#
#   describe()                   # (lo = [180, 20], hi = [260, 80]), with optimum, optimum_x, title, source if known
#   evaluate(x)                  # a number, the same whenever x is the same
#
# setup has lo, hi, start, steps, seed, stream, settings, pilot and known, as docs/protocol.md describes
# them; Random.Xoshiro(setup.seed) makes a run repeatable. Points are vectors, and indices count from 1.
# undefined("reason") in start says that the program is not made for such a run.
#
# Further arguments: metrics, a function metrics(state) that returns named numbers for the record, such as
# (solves = 3,); and capabilities, such as (arms = true,) for programs that choose from setup.arms where
# there is no box, (ties = true,) for those that learn from ties, where winner is nothing, or (values = true,)
# for those that tell brings the values of the new points, not a winner.
#
# From here on standard output is standard error for all that prints, C libraries and other programs included.

using JSON

const protocol_output = stdout
redirect_stdout(stderr)

struct Refusal <: Exception
    code::Int
    message::String
end

refuse(code, message) = throw(Refusal(code, message))
undefined(reason) = refuse(-32001, reason)

function serve(; program...)
    session = Dict{Symbol,Any}()
    for line in eachline(stdin)
        all(isspace, line) && continue
        id, method = nothing, ""
        text = try
            request = read_request(line)
            haskey(request, "id") || continue # nothing may answer a notification
            id, method = request["id"], request["method"]
            result = respond(values(program), session, method, get(request, "params", Dict{String,Any}()))
            JSON.json(Dict("jsonrpc" => "2.0", "id" => id, "result" => result))
        catch err
            own = err isa Refusal
            own || showerror(stderr, err, catch_backtrace())
            failure = Dict("code" => own ? err.code : -32000, "message" => own ? err.message : sprint(showerror, err))
            JSON.json(Dict("jsonrpc" => "2.0", "id" => id, "error" => failure))
        end
        println(protocol_output, text)
        flush(protocol_output)
        method == "shutdown" && return
    end
end

function read_request(line)
    request = try
        # JSON reads -0 as 0 unless it has a decimal point. The pattern leaves out what stands in a string.
        JSON.parse(replace(line, r"\"[^\"\\]*(?:\\.[^\"\\]*)*\"(*SKIP)(*FAIL)|-0(?![0-9.eE])" => "-0.0"))
    catch
        refuse(-32700, "this is not JSON")
    end
    request isa AbstractDict && get(request, "jsonrpc", "") == "2.0" && get(request, "method", nothing) isa AbstractString ||
        refuse(-32600, "this is not a request of JSON-RPC 2.0")
    return request
end

# The result of a request. session holds the run: its setup and state, and what a repeated ask or recommend
# returns. A refused call leaves it as it was.
function respond(program, session, method, p)
    problem = haskey(program, :evaluate)
    p isa AbstractDict || refuse(-32602, "params are not an object")
    method == "shutdown" && return Dict()
    if method == "initialize"
        atleast(get(p, "protocol", 0), 1) || refuse(-32003, "this program speaks version 1 of the protocol")
        return Dict("protocol" => 1, "kind" => problem ? "problem" : "algorithm", "name" => program.name, "version" => program.version,
            "capabilities" => named(get(program, :capabilities, NamedTuple())), "provenance" => Dict("julia" => string(VERSION)))
    end
    known = problem ? ["describe", "evaluate"] : ["start", "ask", "tell", "recommend"]
    method in known && haskey(program, Symbol(method)) || refuse(-32601, "this program has no method $method")
    if problem
        domain = program.describe()
        method == "describe" && return description(domain)
        return Dict("value" => program.evaluate(point(get(p, "x", nothing), domain, "x")))
    end
    method == "start" || haskey(session, :state) || refuse(-32600, "$method before start")
    method == "start" && return start_run(program, session, p)
    method == "tell" && return told(program, session, p)
    method == "ask" && return get!(() -> query(program.ask(session[:state]), session), session, :asked)
    return get!(() -> recommendation(program, session[:state]), session, :recommended)
end

capable(program, name) = get(get(program, :capabilities, NamedTuple()), name, false) == true
atleast(v, least) = v isa Real && v >= least
named(pairs) = Dict{String,Any}(string(k) => v for (k, v) in Base.pairs(pairs))

function start_run(program, session, p)
    if haskey(p, "arms")
        capable(program, :arms) || undefined("this program searches boxes, not lists of points")
        domain = (arms = points(p["arms"], NamedTuple(), "arms"),)
    else
        box = get(p, "box", Dict())
        lo = point(get(box, "lo", nothing), NamedTuple(), "box.lo")
        domain = (lo = lo, hi = point(get(box, "hi", nothing), (lo = lo,), "box.hi"))
    end
    pilot = [(points = points(q["points"], domain, "pilot"), winner = q["winner"] + 1) for q in get(p, "pilot", [])]
    rest = (; (Symbol(k) => get(p, k, nothing) for k in ["cell", "steps", "seed", "stream", "settings", "known"])...)
    setup = merge(rest, domain, (start = point(get(p, "start", nothing), domain, "start"), pilot = pilot))
    remember(session, setup, program.start(setup), [])
    return Dict()
end

function told(program, session, p)
    shown = points(get(p, "points", nothing), session[:setup], "points")
    n = length(shown)
    n >= 2 || refuse(-32602, "points: a query has two or more")
    new = get(p, "new", -1)
    new isa Real && new in 0:n || refuse(-32602, "new is not a number of points")
    if capable(program, :values)
        values = point(get(p, "values", nothing), NamedTuple(), "values")
        length(values) == new || refuse(-32602, "values: one for each new point is needed")
        state = program.tell(session[:state], shown[end-new+1:end], values)
    else
        winner = get(p, "winner", -1)
        tie = winner === nothing && capable(program, :ties)
        tie || winner isa Real && winner in 0:n-1 || refuse(-32602, "winner is not an index of points")
        state = program.tell(session[:state], shown, tie ? nothing : winner + 1)
    end
    remember(session, session[:setup], state, shown)
    return Dict()
end

# previous are the points of the last query.
function remember(session, setup, state, previous)
    empty!(session)
    merge!(session, Dict(:setup => setup, :state => state, :previous => previous))
end

# A point from a list of numbers, which must lie between domain.lo and domain.hi or be one of domain.arms.
function point(v, domain, name)
    v isa AbstractVector && !isempty(v) && all(c -> c isa Real && !(c isa Bool), v) || refuse(-32602, "$name is not a list of numbers")
    x = Float64.(v)
    arms = get(domain, :arms, nothing)
    lo = get(domain, :lo, arms === nothing ? nothing : first(arms))
    lo === nothing && return x
    length(x) == length(lo) || refuse(-32602, "$name has $(length(x)) numbers, not $(length(lo))")
    arms === nothing || x in arms || refuse(-32602, "$name is none of the arms")
    arms === nothing || return x
    all(lo .<= x .<= get(domain, :hi, Inf)) || refuse(-32602, "$name is outside the box")
    return x
end

function points(v, domain, name)
    v isa AbstractVector && !isempty(v) || refuse(-32602, "$name is not a list of points")
    return [point(x, domain, name) for x in v]
end

# The result of ask. Points of the query before, and the start, come first; those that follow are new. A
# query that consists of such points is new as a whole.
function query(asked, session)
    known = [session[:previous]; [session[:setup].start]]
    first_new = something(findfirst(x -> !(x in known), asked), 1)
    return Dict("points" => asked, "new" => length(asked) + 1 - first_new)
end

function recommendation(program, state)
    result = Dict{String,Any}("recommendations" => [Dict("rule" => "own", "x" => program.recommend(state))])
    if haskey(program, :metrics)
        result["metrics"] = [Dict("name" => string(k), "value" => v, "kind" => "state") for (k, v) in pairs(program.metrics(state))]
    end
    return result
end

function description(d)
    result = named(d)
    if haskey(result, "lo")
        result["box"] = Dict("lo" => pop!(result, "lo"), "hi" => pop!(result, "hi"))
    end
    return result
end
