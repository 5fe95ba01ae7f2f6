package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// noting are the packages that make notes for users.
var noting = []string{
	"analysis/share", "analysis/slice", "analysis/usage", "analysis/usage/recorded", "analysis/movement",
	"analysis/scaling", "analysis/compare", "slicing/cached", "slicing/native", "slicing/python", "slicing/dyninst", "symbol",
	"report/diagnosis", "report/diagnosis/wording", "report/slice", "mpiapp",
}

// TestNotesPage: docs/reference/notes.md lists the notes that the code makes, in its words.
func TestNotesPage(t *testing.T) {
	data := musttest.Get(os.ReadFile("../docs/reference/notes.md"))(t)
	page := string(data)
	var literals strings.Builder
	made := 0
	for _, dir := range append(slices.Clone(noting), "model") {
		for _, f := range parseAll(t, filepath.Join("..", dir)) {
			ast.Inspect(f, func(n ast.Node) bool {
				if x, ok := n.(ast.Expr); ok {
					literals.WriteString(text(x) + "\n")
				}
				if dir == "model" {
					return true
				}
				for _, note := range notesIn(n) {
					made++
					for _, piece := range constantParts(note) {
						if !strings.Contains(page, piece) {
							t.Errorf("notes.md does not list a note of %s: %q", dir, piece)
						}
					}
				}
				return true
			})
		}
	}
	if made < 30 {
		t.Errorf("only %d notes were found in the code", made)
	}
	literals.WriteString(ofRecorder(t))
	sentences := musttest.Get(os.ReadFile("../internal/sentences/testdata/sentences.golden"))(t) // for the reasons of losses
	literals.Write(sentences)
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(page, -1) {
		for _, piece := range regexp.MustCompile("[…`]").Split(row[1], -1) {
			if piece = strings.Trim(piece, " ,:;()"); len(piece) > 5 && !strings.Contains(literals.String(), piece) {
				t.Errorf("notes.md lists a note that the code does not make: %q", piece)
			}
		}
	}
}

// parseAll parses the Go files of a package, without its tests.
func parseAll(t *testing.T, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", dir, err)
	}
	var out []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f := musttest.Get(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t)
		out = append(out, f)
	}
	return out
}

// ofRecorder is the text of the recorder's sources that may be in notes.
func ofRecorder(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir("../recorder", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".c" && !strings.Contains(path, "testdata") {
			data, _ := os.ReadFile(path)
			b.Write(data)
		}
		return err
	})
	musttest.Succeed(t, err)
	return b.String()
}

// notesIn are the texts of notes that a statement adds, or a literal has.
func notesIn(n ast.Node) []string {
	var from []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		if slices.Contains([]string{"addNote", "addNotes", "markIncomplete", "markTruncated"}, nameOf(n.Fun)) {
			from = n.Args
		}
	case *ast.AssignStmt:
		name := strings.ToLower(nameOf(n.Lhs[0]))
		call, ok := n.Rhs[0].(*ast.CallExpr)
		if ok && nameOf(call.Fun) == "append" && name == "notes" {
			from = call.Args[1:]
		}
	case *ast.KeyValueExpr:
		if nameOf(n.Key) == "Note" {
			from = []ast.Expr{n.Value}
		}
	}
	var out []string
	for _, x := range from {
		ast.Inspect(x, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok || text(x) == "" {
				return true
			}
			out = append(out, text(x))
			return false
		})
	}
	return out
}

// nameOf is the last part of a name.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// text is a string literal, or several that are added up, with … for what is no literal.
func text(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(x.Value)
		return s
	case *ast.BinaryExpr:
		left, right := text(x.X), text(x.Y)
		if x.Op != token.ADD || left+right == "" {
			return ""
		}
		if left == "" {
			left = "…"
		}
		if right == "" {
			right = "…"
		}
		return left + right
	}
	return ""
}

// constantParts are the parts of a note that do not vary, as far as they say something.
func constantParts(note string) []string {
	var out []string
	for _, piece := range regexp.MustCompile(`%[-+#0-9.\[\]]*[a-zA-Z]|…`).Split(note, -1) {
		if piece = strings.Trim(piece, " ,:;()"); len(piece) > 11 {
			out = append(out, piece)
		}
	}
	return out
}
