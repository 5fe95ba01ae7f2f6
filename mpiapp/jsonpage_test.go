package main

import (
	"encoding"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/injector"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/report/compare"
	"laggard/report/diagnosis"
	"laggard/report/inspect"
	"laggard/report/movement"
	"laggard/report/provoke"
	"laggard/report/scaling"
	"laggard/report/slice"
	"laggard/report/timeline"
	"laggard/report/top"
	"laggard/report/usage"
)

// documents are the commands with --json, and what each prints.
var documents = []struct {
	command, about string
	root           any
}{
	{"laggard diagnose", "[Diagnosis](../manual/diagnosis.md) explains the terms.", diagnosis.Result{}},
	{"laggard slice", "[Slices](../manual/slicing.md) explains the terms.", slice.Document{}},
	{"laggard usage", "[Wrong use of MPI](../manual/usage.md) lists the classes.", usage.Result{}},
	{"laggard timeline", "[Ranks over time](../manual/timeline.md) explains the terms.", timeline.Result{}},
	{"laggard top", "[Slow jobs](../manual/slow.md#laggard-top) explains the terms.", top.Snapshot{}},
	{"laggard movement", "[Data movement](../manual/movement.md) explains the terms.", movement.Result{}},
	{"laggard scaling test", "[Scaling](../manual/scaling.md) explains the terms.", scaling.Result{}},
	{"laggard compare", "[Two runs of one program](../manual/compare.md) explains the terms.", compare.Result{}},
	{"laggard provoke", "[Failures that come once in a hundred runs](../manual/provoke.md) explains the terms.", provoke.Report{}},
	{"laggard inspect", "", inspect.Inspection{}},
	{"laggard inject", "", injector.Document{}},
}

const jsonIntro = `<!-- Generated from the comments of Go fields: go test ./mpiapp -run TestJSONPage -update -->

# JSON

Eleven commands print JSON with ` + "`--json`" + `. This page lists every field, in the order in which it is printed.

- **Compatibility**: a field keeps its name and meaning while ` + "`schema_version`" + ` stays the same. New fields may appear:
  ignore those that you do not know.
- **Absent and null**: a field marked *optional* is left out where it has nothing to say. A field marked *or null* is always
  there.
- **Rank sets** are strings such as ` + "`\"0-3,7\"`" + `; "" is the empty set. Ranks are those of ` + "`MPI_COMM_WORLD`" + `.
- **Times** are strings in RFC 3339 format; ` + "`\"0001-01-01T00:00:00Z\"`" + ` means unknown.
- **Same input, same output**: apart from ` + "`analysis`" + ` of ` + "`laggard diagnose`" + `, the output depends on the run directory and
  the options alone, not on the number of analysis ranks. ` + "`laggard top`" + ` also asks for the time, to tell whether the job runs.

` + "`laggard run`" + `, ` + "`exec`" + `, ` + "`attach`" + `, ` + "`import`" + `, ` + "`doctor`" + ` and ` + "`test`" + ` have no ` + "`--json`" + `. ` +
	"`laggard test`" + ` writes JUnit XML, SARIF 2.1.0 and
GitLab's code quality report instead: see [tests.md](../manual/tests.md). The manifest of a run directory is described
in [format.md](format.md).
`

// TestJSONPage: docs/reference/json.md lists every field of the JSON forms, with the comment that it has in the code.
func TestJSONPage(t *testing.T) {
	p := &jsonPage{t: t, names: map[reflect.Type]string{}, sources: map[string]map[string]*ast.TypeSpec{}}
	p.b.WriteString(jsonIntro)
	for _, d := range documents {
		fmt.Fprintf(&p.b, "\n## %s --json\n", d.command)
		root := reflect.TypeOf(d.root)
		p.names[root] = ""
		p.structure(root, d.about)
		for len(p.queue) > 0 {
			next := p.queue[0]
			p.queue = p.queue[1:]
			fmt.Fprintf(&p.b, "\n### %s\n", p.names[next])
			p.structure(next, "")
		}
	}
	checkGeneratedFile(t, "../docs/reference/json.md", p.b.String())
}

// TestJSONCommands: the page has every command with --json.
func TestJSONCommands(t *testing.T) {
	listed := map[string]bool{}
	for _, d := range documents {
		listed[d.command] = true
	}
	checktest.Equal(t, commandsWith("json"), listed)
}

// jsonPage is the page while it is made.
type jsonPage struct {
	t       *testing.T
	b       strings.Builder
	names   map[reflect.Type]string // the heading of each type that has one
	queue   []reflect.Type          // those without a section yet
	sources map[string]map[string]*ast.TypeSpec
}

// structure writes what a type is and the table of its fields.
func (p *jsonPage) structure(typ reflect.Type, about string) {
	text := sentence(p.spec(typ).Doc.Text())
	_, text, _ = strings.Cut(text, " ") // its name
	text = strings.TrimPrefix(strings.TrimPrefix(text, "is "), "are ")
	fmt.Fprintf(&p.b, "\n%s\n", wrap(strings.TrimSpace(sentence(text)+" "+about)))
	p.b.WriteString("\n| field | type | meaning |\n|---|---|---|\n")
	p.fields("", typ, p.spec(typ).Type.(*ast.StructType))
}

// fields writes the rows of a structure; of one that is embedded in it, one row.
func (p *jsonPage) fields(prefix string, typ reflect.Type, source *ast.StructType) {
	comments := map[string]string{}
	for _, f := range source.Fields.List {
		for _, n := range f.Names {
			comments[n.Name] = strings.TrimSpace(f.Doc.Text() + " " + f.Comment.Text())
		}
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fmt.Fprintf(&p.b, "| %s | | the fields of %s |\n", embedded(prefix, f.Type), p.link(f.Type))
			continue
		case !f.IsExported() || name == "-":
			continue
		}
		if name == "" {
			p.t.Errorf("%s.%s has no name for JSON", typ, f.Name)
		}
		comment := meaning(f.Name, comments[f.Name])
		if f.Type.Kind() == reflect.Struct && f.Type.Name() == "" {
			p.fields(prefix+name+".", f.Type, inner(source, f.Name))
			continue
		}
		if comment == "" {
			p.t.Errorf("%s.%s has no comment: json.md would not say what %q means", typ, f.Name, name)
		}
		kind := p.kind(f.Type)
		if strings.HasPrefix(options, "omit") {
			kind = strings.TrimSuffix(kind, " or null") + ", optional"
		}
		fmt.Fprintf(&p.b, "| `%s%s` | %s | %s |\n", prefix, name, kind, comment)
	}
}

// embedded lists the names of the fields that a structure gets from another one.
func embedded(prefix string, typ reflect.Type) string {
	var names []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous && name == "":
			names = append(names, embedded(prefix, f.Type))
		case f.IsExported() && name != "-":
			names = append(names, "`"+prefix+name+"`")
		}
	}
	return strings.Join(names, ", ")
}

// inner is the structure without a name that a field has.
func inner(source *ast.StructType, field string) *ast.StructType {
	i := slices.IndexFunc(source.Fields.List, func(f *ast.Field) bool { return len(f.Names) > 0 && f.Names[0].Name == field })
	return source.Fields.List[i].Type.(*ast.StructType)
}

// kind is how JSON has a type.
func (p *jsonPage) kind(typ reflect.Type) string {
	marshaler := reflect.TypeFor[encoding.TextMarshaler]()
	switch {
	case typ == reflect.TypeFor[time.Time]():
		return "time"
	case typ.Kind() == reflect.Pointer:
		return p.kind(typ.Elem()) + " or null"
	case typ.Implements(marshaler):
		return "string"
	}
	switch typ.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "list of " + plural(p.kind(typ.Elem()))
	case reflect.Map:
		return "object of " + plural(p.kind(typ.Elem()))
	case reflect.Struct:
		return p.link(typ)
	}
	return "integer"
}

// plural is a kind in a list.
func plural(kind string) string {
	if kind == "string" || kind == "integer" || kind == "number" {
		return kind + "s"
	}
	return strings.Replace(kind, "list of", "lists of", 1)
}

// link names a structure, and sees to it that it gets a section.
func (p *jsonPage) link(typ reflect.Type) string {
	if _, known := p.names[typ]; !known {
		p.names[typ] = typ.String()
		p.queue = append(p.queue, typ)
	}
	anchor := strings.ToLower(strings.ReplaceAll(p.names[typ], ".", ""))
	return fmt.Sprintf("[%s](#%s)", typ.Name(), anchor)
}

// spec is the declaration of a type, with its comment.
func (p *jsonPage) spec(typ reflect.Type) *ast.TypeSpec {
	dir := filepath.Join("..", strings.TrimPrefix(typ.PkgPath(), "laggard/"))
	if p.sources[dir] == nil {
		p.sources[dir] = declaredTypes(p.t, dir)
	}
	found := p.sources[dir][typ.Name()]
	if found == nil || found.Doc == nil {
		p.t.Fatalf("%s has no declaration with a comment", typ)
	}
	return found
}

// declaredTypes are the types that a package declares.
func declaredTypes(t *testing.T, dir string) map[string]*ast.TypeSpec {
	t.Helper()
	paths := musttest.Get(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	out := map[string]*ast.TypeSpec{}
	for _, path := range paths {
		f := musttest.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments))(t)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.TypeSpec)
				if spec.Doc == nil {
					spec.Doc = g.Doc
				}
				out[spec.Name.Name] = spec
			}
		}
	}
	return out
}

// meaning turns the comment of a field into what stands in the table.
func meaning(field, comment string) string {
	for _, verb := range []string{" is ", " are ", ": ", " says "} {
		if rest, ok := strings.CutPrefix(comment, field+verb); ok {
			comment = rest
			break
		}
	}
	return strings.TrimSuffix(oneLine(strings.ReplaceAll(comment, "|", `\|`)), ".")
}

var pageOf = regexp.MustCompile(`\bdocs/(\w+)/([\w-]+\.md)(#[\w-]+)?`)

// oneLine puts a comment on one line, with links to the pages that it mentions.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.ReplaceAll(pageOf.ReplaceAllString(text, "[$2](../$1/$2$3)"), "../reference/", "")
}

// sentence is a comment on one line that begins with a capital.
func sentence(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// wrap breaks a paragraph into lines.
func wrap(text string) string {
	var b strings.Builder
	columns := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case columns+1+len(word) > 120:
			b.WriteByte('\n')
			columns = 0
		default:
			b.WriteByte(' ')
			columns++
		}
		b.WriteString(word)
		columns += len(word)
	}
	return b.String()
}
