package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	goimporter "go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestRecursions: every cycle of functions that mention each other passes through a function of the table in
// docs/development/recursion.md, which says what limits it. A call through an interface counts as a call of each method that
// implements it.
func TestRecursions(t *testing.T) {
	listed, graph := listedRecursions(t), functionReferences(t)
	recursive := map[string]bool{}
	for _, name := range slices.Concat(components(graph)...) {
		recursive[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if !recursive[name] {
			t.Errorf("docs/development/recursion.md lists %s, which is not a recursive function", name)
		}
		delete(graph, name)
	}
	for _, c := range components(graph) {
		t.Errorf("recursion that docs/development/recursion.md does not list: %s", strings.Join(c, ", "))
	}
}

// listedRecursions are the functions in the first column of the table of recursions.
func listedRecursions(t *testing.T) map[string]bool {
	t.Helper()
	text := musttest.Get(os.ReadFile("../docs/development/recursion.md"))(t)
	_, section, ok := strings.Cut(string(text), "\n## Recursion\n")
	if !ok {
		t.Fatal("docs/development/recursion.md has no section Recursion")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	out := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*) \|`).FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			out[name[1]] = true
		}
	}
	return out
}

// listedPackage is what `go list` says of a package.
type listedPackage struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
}

// functionReferences returns for each function of laggard which others its body mentions. A function literal counts as a part
// of the function that it is in, but one that is bound to a variable is a function of its own.
func functionReferences(t *testing.T) map[string]map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles", "laggard/...")
	cmd.Stderr = os.Stderr
	out := musttest.Get(cmd.Output())(t)
	exports, ours := map[string]string{}, []listedPackage{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "laggard/") {
			ours = append(ours, p)
		}
	}
	r := &references{fset: token.NewFileSet(), graph: map[string]map[string]bool{}, methods: map[string][]*types.Func{}}
	imports := goimporter.ForCompiler(r.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		musttest.Succeed(t, r.typeCheck(p, imports))
	}
	for _, p := range r.packages {
		p.collectFunctions()
	}
	return r.graph
}

// references collects which functions mention which.
type references struct {
	fset     *token.FileSet
	packages []*checkedPackage
	methods  map[string][]*types.Func // of types of laggard, by name
	graph    map[string]map[string]bool
}

// checkedPackage is the source of one package.
type checkedPackage struct {
	*references
	files  []*ast.File
	info   *types.Info
	locals map[types.Object]string // variables that a function literal is bound to, and its name
}

func (r *references) typeCheck(p listedPackage, imports types.Importer) error {
	c := &checkedPackage{references: r, locals: map[types.Object]string{}, info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(r.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c.files = append(c.files, f)
	}
	pkg, err := (&types.Config{Importer: imports, FakeImportC: true}).Check(p.ImportPath, r.fset, c.files, c.info)
	if err != nil {
		return err
	}
	for _, name := range pkg.Scope().Names() {
		if named, ok := pkg.Scope().Lookup(name).Type().(*types.Named); ok {
			for m := range named.Methods() {
				r.methods[m.Name()] = append(r.methods[m.Name()], m)
			}
		}
	}
	r.packages = append(r.packages, c)
	return nil
}

func (c *checkedPackage) collectFunctions() {
	for _, f := range c.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				c.addBody(functionName(c.info.Defs[fn.Name].(*types.Func)), fn.Body)
			}
		}
	}
}

// addBody notes what the body of a function mentions.
func (c *checkedPackage) addBody(name string, body ast.Node) {
	to := map[string]bool{}
	c.graph[name] = to
	bound := map[*ast.FuncLit]string{}
	ast.Inspect(body, func(n ast.Node) bool { // first the literals, as they may mention each other
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i := range a.Lhs {
				lit, isLit := a.Rhs[i].(*ast.FuncLit)
				id, isID := a.Lhs[i].(*ast.Ident)
				if isLit && isID {
					bound[lit] = name + "." + id.Name
					c.locals[cmp.Or(c.info.Defs[id], c.info.Uses[id])] = bound[lit]
				}
			}
		}
		return true
	})
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if own, ok := bound[n]; ok {
				c.addBody(own, n.Body)
				return false
			}
		case *ast.Ident:
			c.addMention(to, c.info.Uses[n])
		}
		return true
	})
}

// addMention notes a function, the methods that implement one of an interface, or the literal of a variable.
func (c *checkedPackage) addMention(to map[string]bool, used types.Object) {
	if local, ok := c.locals[used]; ok {
		to[local] = true
	}
	fn, ok := used.(*types.Func)
	if !ok {
		return
	}
	to[functionName(fn)] = true
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return
	}
	for _, m := range c.methods[fn.Name()] {
		if implements(m.Signature().Recv().Type(), recv.Type().Underlying().(*types.Interface)) {
			to[functionName(m)] = true
		}
	}
}

// implements reports whether a type has the methods of an interface. A type is another object in each package that
// imports it, so that signatures are compared by their text.
func implements(t types.Type, i *types.Interface) bool {
	for want := range i.Methods() {
		m, _, _ := types.LookupFieldOrMethod(t, true, want.Pkg(), want.Name())
		if f, ok := m.(*types.Func); !ok || signature(f) != signature(want) {
			return false
		}
	}
	return true
}

// signature is the types of the parameters and results of a function.
func signature(f *types.Func) string {
	var out []string
	for _, list := range []*types.Tuple{f.Signature().Params(), f.Signature().Results()} {
		for v := range list.Variables() {
			out = append(out, types.TypeString(v.Type(), nil))
		}
		out = append(out, ";")
	}
	return strings.Join(out, " ")
}

// functionName is like (*slicing/native.function).summary.
func functionName(f *types.Func) string {
	return strings.Replace(f.Origin().FullName(), "laggard/", "", 1)
}

// components are the sets of functions that reach each other, without single ones that do not mention themselves:
// Tarjan's algorithm.
func components(graph map[string]map[string]bool) (out [][]string) {
	index, low, on, stack := map[string]int{}, map[string]int{}, map[string]bool{}, []string{}
	var visit func(n string)
	visit = func(n string) {
		index[n] = len(index) + 1
		low[n], on[n], stack = index[n], true, append(stack, n)
		for _, to := range slices.Sorted(maps.Keys(graph[n])) {
			if _, ok := graph[to]; !ok {
				continue
			}
			if index[to] == 0 {
				visit(to)
				low[n] = min(low[n], low[to])
			} else if on[to] {
				low[n] = min(low[n], index[to])
			}
		}
		if low[n] != index[n] {
			return
		}
		first := slices.Index(stack, n)
		c := slices.Clone(stack[first:])
		stack = stack[:first]
		for _, x := range c {
			on[x] = false
		}
		if len(c) > 1 || graph[n][n] {
			slices.Sort(c)
			out = append(out, c)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(graph)) {
		if index[n] == 0 {
			visit(n)
		}
	}
	return out
}
