package lateregexp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestPatterns compiles every pattern in this repository, as their packages do not when they start.
func TestPatterns(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "build" || len(e.Name()) > 2 && strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if pattern, ok := patternOf(n); ok {
				found++
				musttest.Get(regexp.Compile(pattern))(t, path)
			}
			return true
		})
		return nil
	})
	if err != nil || found < 50 {
		t.Errorf("%d patterns, %v", found, err)
	}
}

// patternOf returns the literal that New is called with.
func patternOf(n ast.Node) (string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || function.Sel.Name != "New" {
		return "", false
	}
	if from, ok := function.X.(*ast.Ident); !ok || from.Name != "lateregexp" {
		return "", false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// TestRegexp: the methods are those of package regexp.
func TestRegexp(t *testing.T) {
	r := New(`(a)(\d)`)
	if !r.MatchString("xa1") || r.FindString("xa1a2") != "a1" || r.ReplaceAllString("xa1", "$2$1") != "x1a" ||
		r.FindStringSubmatch("xa1")[2] != "1" || len(r.FindAllStringSubmatch("a1a2", -1)) != 2 {
		t.Error("not those of package regexp")
	}
}
