package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A fault is a change of one place. It names the place by what an edit elsewhere does not move.
type fault struct {
	pkg, file string // folder from the root, and the file in it
	function  string // or type.method; "" for a declaration of the package, and for plants
	kind      string
	line      string // text of the line on which the change begins
	nth       int    // of the places that agree in all else, from 1
	from, to  string
}

// kinds are drawn in turn. The kind plant is not drawn: these are the mistakes of scripts/gate.
var kinds = []string{"compare", "arithmetic", "off by one", "dropped", "swapped", "constant", "negated"}

const plant = "plant"

// id is short enough for a table and the same for the same place.
func (f fault) id() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(f.write())))[:10]
}

// A site is where a fault can be planted in the present source.
type site struct {
	fault
	path       string           // of the file
	row        int              // line number
	start, end int              // bytes of the file that the change replaces
	at         []token.Position // a test executes the fault if it executes one of these; none if unknown
}

// source is a type-checked package.
type source struct {
	name    string // folder from the root
	tests   []string
	fset    *token.FileSet
	from    types.Importer
	paths   []string
	text    [][]byte
	files   []*ast.File
	info    *types.Info
	lines   int
	isSpawn bool // its tests may start the test program again, and kill it, which leaves no coverage
}

// load parses and type-checks a package.
func load(p listed, from types.Importer, fset *token.FileSet) (*source, error) {
	s := &source{name: p.name, tests: slices.Concat(p.TestGoFiles, p.XTestGoFiles), fset: fset, from: from}
	for _, file := range p.GoFiles {
		file = filepath.Join(p.Dir, file)
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(s.fset, file, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.paths, s.text, s.files = append(s.paths, file), append(s.text, text), append(s.files, parsed)
		if !ast.IsGenerated(parsed) {
			s.lines += s.fset.File(parsed.Pos()).LineCount()
		}
	}
	for _, file := range s.tests {
		text, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			return nil, err
		}
		s.isSpawn = s.isSpawn || strings.Contains(string(text), "\nfunc TestMain(")
	}
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	return s, s.check(s.files, s.info)
}

func (s *source) check(files []*ast.File, info *types.Info) error {
	config := types.Config{Importer: s.from}
	_, err := config.Check(s.name, s.fset, files, info)
	return err
}

// compiles reports whether the package does with the fault.
func (s *source) compiles(x site) bool {
	files := slices.Clone(s.files)
	i := slices.Index(s.paths, x.path)
	changed, err := parser.ParseFile(s.fset, x.path, x.apply(s.text[i]), parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	files[i] = changed
	return s.check(files, nil) == nil
}

func (x site) apply(text []byte) []byte {
	return slices.Concat(text[:x.start], []byte(x.to), text[x.end:])
}

// importFrom imports packages from what go list -export compiled.
func importFrom(fset *token.FileSet, all []listed) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		for _, p := range all {
			if p.ImportPath == path {
				return os.Open(p.Export)
			}
		}
		return nil, fmt.Errorf("go list names no package %s", path)
	})
}

// sites are all places of the package's own files where a fault of a kind can be.
func (s *source) sites() []site {
	var all []site
	seen := map[fault]int{}
	for i, file := range s.files {
		if ast.IsGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			w := walker{source: s, path: s.paths[i], text: s.text[i]}
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Body == nil {
					continue
				}
				w.function = d.Name.Name
				if d.Recv != nil {
					w.function = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + w.function
				}
				w.walk(d.Body)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.ValueSpec); ok {
						w.uses = s.uses(spec)
						for _, value := range spec.Values {
							w.walk(value)
						}
					}
				}
			}
			all = append(all, w.found...)
		}
	}
	for i := range all {
		seen[all[i].fault]++
		all[i].nth = seen[all[i].fault]
	}
	return all
}

// uses are the places in functions of the package that use what the specification declares.
func (s *source) uses(spec *ast.ValueSpec) []token.Position {
	var at []token.Position
	for id, object := range s.info.Uses {
		if slices.ContainsFunc(spec.Names, func(name *ast.Ident) bool { return s.info.Defs[name] == object }) {
			at = append(at, s.fset.Position(id.Pos()))
		}
	}
	slices.SortFunc(at, func(a, b token.Position) int {
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
	})
	return at
}

// walker collects the sites of a declaration.
type walker struct {
	*source
	path, function string
	text           []byte
	uses           []token.Position
	stack          []ast.Node
	found          []site
}

func (w *walker) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && speaks(call) {
			return false
		}
		w.visit(n)
		w.stack = append(w.stack, n)
		return true
	})
}

// speaks reports whether a call writes text for people: what it says is not of interest here.
func speaks(call *ast.CallExpr) bool {
	name := types.ExprString(call.Fun)
	return name == "panic" || strings.HasPrefix(name, "fmt.") || strings.HasPrefix(name, "errors.")
}

var (
	comparisons = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "=="}
	operators   = map[token.Token]string{
		token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.AND: "|", token.OR: "&",
		token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=",
	}
	// symmetric functions give the same with swapped arguments.
	symmetric = []string{"min", "max", "Min", "Max", "Dot", "Equal", "Hypot", "EqualFold", "Compare", "SqDist"}
)

func (w *walker) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if to, ok := comparisons[n.Op]; ok && !w.isNil(n.X) && !w.isNil(n.Y) {
			w.addAt("compare", n.OpPos, n.Op.String(), to)
		}
		if to, ok := operators[n.Op]; ok && w.isNumber(n.X) {
			w.addAt("arithmetic", n.OpPos, n.Op.String(), to)
		}
	case *ast.AssignStmt:
		if to, ok := operators[n.Tok]; ok && w.isNumber(n.Lhs[0]) {
			w.addAt("arithmetic", n.TokPos, n.Tok.String(), to)
		}
		if n.Tok != token.DEFINE {
			w.drop(n)
		}
	case *ast.IncDecStmt, *ast.ExprStmt:
		w.drop(n)
	case *ast.IfStmt:
		if !w.hasNil(n.Cond) {
			w.add("negated", n.Cond, "!("+w.of(n.Cond)+")")
		}
		if len(n.Body.List) == 1 && n.Else == nil {
			switch n.Body.List[0].(type) {
			case *ast.ReturnStmt, *ast.BranchStmt:
				w.drop(n)
			}
		}
	case *ast.BasicLit:
		w.literal(n)
	case *ast.IndexExpr:
		of := w.info.TypeOf(n.X)
		if index := w.info.Types[n.Index]; of == nil || !index.IsValue() || index.Value != nil {
			return
		}
		if pointer, ok := of.Underlying().(*types.Pointer); ok {
			of = pointer.Elem()
		}
		switch of.Underlying().(type) {
		case *types.Slice, *types.Array:
			w.add("off by one", n.Index, "("+w.of(n.Index)+") + 1")
		}
	case *ast.CallExpr:
		name := types.ExprString(n.Fun)
		if slices.Contains(symmetric, name[strings.LastIndex(name, ".")+1:]) {
			return
		}
		for i := 1; i < len(n.Args); i++ {
			a, b := n.Args[i-1], n.Args[i]
			if x, y := w.info.TypeOf(a), w.info.TypeOf(b); x != nil && y != nil && types.Identical(x, y) && w.of(a) != w.of(b) {
				w.put("swapped", a.Pos(), b.End(), w.of(b)+", "+w.of(a))
			}
		}
	}
}

// literal adds a number: the next one, or if it counts nothing a tenth more.
func (w *walker) literal(n *ast.BasicLit) {
	value := w.info.Types[n]
	if value.Value == nil || n.Kind != token.INT && n.Kind != token.FLOAT || constant.Sign(value.Value) == 0 && n.Kind == token.FLOAT {
		return
	}
	number, ok := value.Type.Underlying().(*types.Basic)
	switch {
	case !ok || strings.HasPrefix(n.Value, "0o"): // modes of files
	case number.Info()&types.IsFloat != 0 && constant.Sign(value.Value) != 0:
		w.add("constant", n, "("+n.Value+" * 1.1)")
	case number.Info()&types.IsInteger != 0 && n.Kind == token.INT:
		w.add("off by one", n, "("+n.Value+" + 1)")
	}
}

// drop leaves out a statement of a list.
func (w *walker) drop(n ast.Node) {
	if len(w.stack) == 0 {
		return
	}
	switch w.stack[len(w.stack)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		w.add("dropped", n, "")
	}
}

func (w *walker) isNil(e ast.Expr) bool { return w.info.Types[e].IsNil() }

// hasNil reports whether an expression compares with nil: negated, it fails at once.
func (w *walker) hasNil(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && w.isNil(e) {
			found = true
		}
		return !found
	})
	return found
}

func (w *walker) isNumber(e ast.Expr) bool {
	t := w.info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func (w *walker) offset(pos token.Pos) int { return w.fset.Position(pos).Offset }
func (w *walker) of(n ast.Node) string     { return string(w.text[w.offset(n.Pos()):w.offset(n.End())]) }

func (w *walker) add(kind string, n ast.Node, to string) { w.put(kind, n.Pos(), n.End(), to) }
func (w *walker) addAt(kind string, pos token.Pos, from, to string) {
	w.put(kind, pos, pos+token.Pos(len(from)), to)
}

func (w *walker) put(kind string, from, to token.Pos, text string) {
	for _, n := range w.stack {
		if call, ok := n.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "make" && len(call.Args) == 3 && from >= call.Args[2].Pos() {
			return // capacities change nothing
		}
	}
	at := w.uses
	if w.function != "" {
		place := from
		for i, n := range w.stack {
			switch n := n.(type) {
			case *ast.CaseClause:
				if place = from; from < n.Colon { // what follows "case" is not in the blocks that are counted
					place = w.stack[i-2].Pos()
				}
			case *ast.BlockStmt, *ast.CommClause, *ast.FuncLit:
				place = from
			case ast.Stmt: // nor is what follows a function within a statement
				place = n.Pos()
			}
		}
		at = []token.Position{w.fset.Position(place)}
	}
	start, end := w.offset(from), w.offset(to)
	w.found = append(w.found, site{
		fault: fault{
			pkg: w.name, file: filepath.Base(w.path), function: w.function, kind: kind, line: lineOf(w.text, start),
			from: string(w.text[start:end]), to: text,
		},
		path: w.path, row: w.fset.Position(from).Line, start: start, end: end, at: at,
	})
}

func lineOf(text []byte, at int) string {
	line := string(text[strings.LastIndexByte(string(text[:at]), '\n')+1:])
	line, _, _ = strings.Cut(line, "\n")
	return strings.TrimSpace(line)
}

// find returns the site of a fault in the package, if its place is still there.
func (s *source) find(f fault, all []site) (site, bool) {
	if f.kind != plant {
		i := slices.IndexFunc(all, func(x site) bool { return x.fault == f })
		if i < 0 {
			return site{}, false
		}
		return all[i], true
	}
	for i, file := range s.paths {
		text := string(s.text[i])
		start := strings.Index(text, f.from)
		if filepath.Base(file) != f.file || start < 0 {
			continue
		}
		pos := s.fset.File(s.files[i].Pos()).Pos(start + leading(f.from, f.to))
		x := site{fault: f, path: file, row: s.fset.Position(pos).Line, start: start, end: start + len(f.from)}
		for _, decl := range s.files[i].Decls {
			if pos < decl.Pos() || decl.End() <= pos {
				continue
			}
			general, ok := decl.(*ast.GenDecl)
			if !ok {
				x.at = []token.Position{s.fset.Position(pos)}
				continue
			}
			for _, spec := range general.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok && spec.Pos() <= pos && pos < spec.End() {
					x.at = s.uses(spec)
				}
			}
		}
		return x, true
	}
	return site{}, false
}

// leading is the length of what two texts have in common at the beginning.
func leading(a, b string) int {
	n := 0
	for n < min(len(a), len(b))-1 && a[n] == b[n] {
		n++
	}
	return n
}

// draw chooses n sites of the package, kind by kind and no two on one line, so that it compiles with each. Another package
// has another stream: what is added there changes nothing here.
func (s *source) draw(seed uint64, n int) []site {
	sum := sha256.Sum256([]byte(s.name))
	rnd := rand.New(rand.NewPCG(seed, uint64(sum[0])<<8|uint64(sum[1])))
	left := map[string][]site{}
	for _, x := range s.sites() {
		left[x.kind] = append(left[x.kind], x)
	}
	var chosen []site
	for turn := rnd.IntN(len(kinds)); len(chosen) < n && len(left) > 0; turn++ {
		kind := kinds[turn%len(kinds)]
		for len(left[kind]) > 0 {
			i := rnd.IntN(len(left[kind]))
			x := left[kind][i]
			left[kind] = slices.Delete(left[kind], i, i+1)
			if slices.ContainsFunc(chosen, func(c site) bool { return c.path == x.path && c.row == x.row }) || !s.compiles(x) {
				continue
			}
			chosen = append(chosen, x)
			break
		}
		if len(left[kind]) == 0 {
			delete(left, kind)
		}
	}
	slices.SortFunc(chosen, func(a, b site) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.start, b.start)) })
	return chosen
}

// share is how many faults each package gets: at least 3, and otherwise by its lines.
func share(all []*source, total int) map[string]int {
	counts := map[string]int{}
	for per := 2000; per > 0; per-- { // lines a fault
		sum := 0
		for _, s := range all {
			counts[s.name] = max(3, s.lines/per)
			sum += counts[s.name]
		}
		if sum >= total {
			break
		}
	}
	return counts
}

// isProgram reports whether faults are drawn in a package: not in what only helps tests, and not in programs without tests.
func isProgram(name string) bool {
	last := path.Base(name)
	return !strings.HasPrefix(name, "cmd/") && !strings.HasPrefix(name, "scripts/") && !strings.HasSuffix(last, "test") &&
		!slices.Contains([]string{"golden", "check", "gen"}, last)
}

const heading = "package\tfile\tfunction\tkind\tnumber\tline\tfrom\tto\n"

func (f fault) write() string {
	q := strconv.Quote
	return strings.Join([]string{f.pkg, f.file, f.function, f.kind, strconv.Itoa(f.nth), q(f.line), q(f.from), q(f.to)}, "\t") + "\n"
}

// readFaults reads the list of faults.
func readFaults(name string) ([]fault, error) {
	var list []fault
	err := readTable(name, heading, func(c []string) error {
		f := fault{pkg: c[0], file: c[1], function: c[2], kind: c[3]}
		var errs [4]error
		f.nth, errs[0] = strconv.Atoi(c[4])
		f.line, errs[1] = strconv.Unquote(c[5])
		f.from, errs[2] = strconv.Unquote(c[6])
		f.to, errs[3] = strconv.Unquote(c[7])
		list = append(list, f)
		return cmp.Or(errs[:]...)
	})
	return list, err
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct {
		Path string
		Main bool
	}
	name string // folder from the root
}
