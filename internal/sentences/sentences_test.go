package sentences

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/golden"
	"laggard/internal/musttest"
)

// root is the module's folder.
const root = "../.."

// left are the folders without words for users: documents, tools for developers such as the reader of the format's table, and what tests
// need.
var left = regexp.MustCompile(`^(\..*|build|docs|scripts|testdata|bench|gen|schema|golden|\w+test|node_modules)$`)

// prose is a text with two words, or a word beside a value, with a space between them.
var prose = regexp.MustCompile(`(^|[ ("'…])[A-Za-z][a-z,;:.'-]+ ["'(]?(%|…|[A-Za-z]{2}|\d)|(%[a-z]|…)[,;:)'"]? [a-z]{2}`)

// code is what looks like prose and is none: a line for a machine.
var code = regexp.MustCompile(`^\s*(<|\{\{|[.#][a-z-]+ ?\{)|stroke|font-|px |prefers-|Metadata-|=>|const |^digraph|^"use strict|^default-src|\), el\(|[|][|]|scanf|rchar|__asm__|%l[dux] %l`)

// TestSentences: each sentence stands in the golden file under its package, in alphabetical order.
func TestSentences(t *testing.T) {
	found := map[string][]string{} // by package
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && left.MatchString(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		texts, err := readTexts(path)
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), root+"/")
		for _, text := range texts {
			if text = strings.Join(strings.Fields(text), " "); prose.MatchString(text) && !code.MatchString(text) {
				found[dir] = append(found[dir], text)
			}
		}
		return err
	})
	musttest.Succeed(t, err)
	golden.Check(t, "sentences.golden", []byte(format(found)))
}

// format writes the sentences of each package below its path.
func format(found map[string][]string) string {
	var out strings.Builder
	dirs := slices.Sorted(maps.Keys(found))
	for _, dir := range dirs {
		fmt.Fprintf(&out, "\n== %s\n", dir)
		texts := found[dir]
		slices.Sort(texts)
		for _, text := range slices.Compact(texts) {
			out.WriteString(text + "\n")
		}
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// readTexts returns the texts in a file of a kind that has some.
func readTexts(path string) ([]string, error) {
	read := map[string]func(string) []string{".html": inHTML, ".c": inQuotes, ".js": inScript, ".py": inQuotes}[filepath.Ext(path)]
	switch {
	case strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".min.js"):
		return nil, nil
	case filepath.Ext(path) == ".go":
		return inGo(path)
	case read == nil:
		return nil, nil
	}
	text, err := os.ReadFile(path)
	return read(string(text)), err
}

// inGo returns the string literals of a Go file. Those joined by + are one, with … for what is not a literal.
func inGo(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // a field's tag
			field, is := n.(*ast.Field)
			return is && field.Tag == nil
		case *ast.CallExpr:
			return !forMachines(n)
		case *ast.BinaryExpr:
			if text, is := joined(n); is {
				out = append(out, text)
				return false
			}
		case *ast.BasicLit:
			text, _ := joined(n)
			out = append(out, text)
		}
		return true
	})
	return out, nil
}

// forMachines reports whether a call takes a regular expression or ends the program for a fault of its own.
func forMachines(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		from, named := f.X.(*ast.Ident)
		return f.Sel.Name == "MustCompile" || f.Sel.Name == "Sscanf" || named && from.Name == "lateregexp"
	case *ast.Ident:
		return f.Name == "panic"
	}
	return false
}

// joined is the text of a sum of strings; false if no part of it is a literal.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			a, is := joined(e.X)
			b, too := joined(e.Y)
			return a + b, is || too
		}
	}
	return "…", false
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^\s*(//|#)[^\n]*)`)
	quoted   = regexp.MustCompile("\"((?:[^\"\\\\\n]|\\\\.)*)\"|`([^`\n]*)`")
	between  = regexp.MustCompile(`"\s*\n\s*f?"|(?s)""".*?"""`)
	actions  = regexp.MustCompile(`\{\{.*?\}\}|\$\{[^}]*\}`)
	tags     = regexp.MustCompile(`</?(section|h\d|p|div|li|td|th|summary|button|label|option)\b[^>]*>`)
	inline   = regexp.MustCompile(`<[^>]*>`)
	spoken   = regexp.MustCompile(`(?:title|aria-label|placeholder|alt)="([^"]*)"`)
)

// inQuotes returns the string literals of C or Python, neighbours as one.
func inQuotes(text string) []string {
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(between.ReplaceAllString(comments.ReplaceAllString(text, ""), ""), -1) {
		out = append(out, strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`).Replace(m[1]+m[2]))
	}
	return out
}

// inScript is inQuotes with … for what a template puts in.
func inScript(text string) []string { return inQuotes(actions.ReplaceAllString(text, "…")) }

// inHTML returns what a reader of a page sees or hears, with … for what a template puts in.
func inHTML(text string) []string {
	text = actions.ReplaceAllString(text, "…")
	var out []string
	for _, m := range spoken.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	for _, block := range tags.Split(text, -1) {
		out = append(out, inline.ReplaceAllString(block, ""))
	}
	return out
}
