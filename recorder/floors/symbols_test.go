package floors

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// symbolNames are the symbols of a C file that are neither static nor exported from the
// library.
type symbolNames struct{ declared, defined []string }

var (
	noise = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`)
	// directives, with the lines that continue them
	directive = regexp.MustCompile(`(?m)^[ \t]*#(?:.*\\\n)*.*$`)
	attribute = regexp.MustCompile(`__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)`)
	pointer   = regexp.MustCompile(`^[^(]*\(\s*\*\s*(\w+)\s*\)\s*\(`)
	function  = regexp.MustCompile(`(\w+)\s*\(`)
	variable  = regexp.MustCompile(`(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$`)
	private   = regexp.MustCompile(`\b(?:static|typedef|LG_EXPORT|LG_OFFERED|LG_WRAP\w*|LG_ALIAS)\b`)
	typeOnly  = regexp.MustCompile(`^(?:struct|enum|union)\s*\w*$`)
)

// parseSymbols reads the declarations at the top level of a C file.
func parseSymbols(text string) symbolNames {
	text = directive.ReplaceAllString(noise.ReplaceAllString(text, ""), "")
	text = attribute.ReplaceAllString(text, "")
	var out symbolNames
	for _, s := range statements(text) {
		out.addStatement(s)
	}
	return out
}

// statement is a declaration without what stands in its braces.
type statement struct {
	text string
	body bool // it is the definition of a function
}

// statements splits a file at the ends of its declarations.
func statements(text string) []statement {
	var out []statement
	var at strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
			if depth == 0 && strings.HasSuffix(strings.TrimSpace(at.String()), ")") {
				out = append(out, statement{strings.TrimSpace(at.String()), true})
				at.Reset()
			}
		case depth > 0:
		case r == ';':
			out = append(out, statement{strings.TrimSpace(at.String()), false})
			at.Reset()
		default:
			at.WriteRune(r)
		}
	}
	return out
}

func (n *symbolNames) addStatement(s statement) {
	if private.MatchString(s.text) || typeOnly.MatchString(s.text) || s.text == "" {
		return
	}
	outside := strings.HasPrefix(s.text, "extern ")
	if m := pointer.FindStringSubmatch(s.text); m != nil && !s.body {
		n.addSymbol(m[1], outside)
		return
	}
	if m := function.FindStringSubmatch(s.text); m != nil && !strings.Contains(s.text, "=") {
		n.addSymbol(m[1], !s.body)
		return
	}
	for part := range strings.SplitSeq(s.text, ",") {
		if m := variable.FindStringSubmatch(strings.TrimSpace(part)); m != nil {
			n.addSymbol(m[1], outside)
		}
	}
}

func (n *symbolNames) addSymbol(name string, declared bool) {
	if declared {
		n.declared = append(n.declared, name)
	} else if !slices.Contains(n.defined, name) {
		n.defined = append(n.defined, name)
	}
}

func TestSymbols(t *testing.T) {
	got := parseSymbols(`
#define MACRO(x) \
  int x;
struct lg_a { int n; };
enum { ONE, TWO };
extern int lg_b, lg_c[]; /* int lg_no; */
void *lg_d(const char *name) __attribute__((format(printf, 1, 2)));
static int hidden(void) { return ONE; }
static struct { int n; } table[4] = {{1}};
void lg_g(void (*f)(int));
LG_EXPORT int close(int fd) { return fd; }
int lg_b, lg_c[2] = {1, 2};
void (*lg_e)(int);
bool __attribute__((noinline)) lg_f(int (*g)(int)) { if (g) { return true; } return false; }
`)
	want := symbolNames{[]string{"lg_b", "lg_c", "lg_d", "lg_g"}, []string{"lg_b", "lg_c", "lg_e", "lg_f"}}
	checktest.Equal(t, want, got)
}
