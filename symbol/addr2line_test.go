package symbol

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// TestAgreesWithAddr2line compares function, file and line of every third byte
// of every function with what binutils says, all inlined levels included; for
// clang with what LLVM says, as binutils does not read the indexed ranges of its
// inlined functions.
func TestAgreesWithAddr2line(t *testing.T) {
	binutils, llvm := []string{"addr2line"}, []string{"llvm-symbolizer", "--output-style=GNU"}
	sources := []struct {
		compiler, source string
		oracle           []string
	}{
		{"gcc", "plain.c", binutils}, {"g++", "tool.cc", binutils}, {"gfortran", "solver.f90", binutils},
		{"clang", "plain.c", llvm}, {"clang++", "tool.cc", llvm},
	}
	variants := [][]string{
		{"-O0", "-g"},
		{"-O2", "-g"},
		{"-O2", "-g", "-gdwarf-4"},
		{"-O2", "-g", "-gdwarf-5", "-no-pie"},
		{"-O0", "-g", "-gdwarf-4", "-no-pie"},
		{"-O2", "-g", "-fPIC", "-shared"},
		{"-O2", "-g", "-gz=zlib"},
		{"-O2", "-g", "-ffunction-sections", "-Wl,--gc-sections"},
	}
	for _, s := range sources {
		for _, flags := range variants {
			t.Run(s.compiler+" "+strings.Join(flags, " "), func(t *testing.T) {
				t.Parallel()
				requirePrograms(t, s.oracle[0])
				compareAll(t, buildSource(t, s.compiler, s.source, flags...), s.oracle)
			})
		}
	}
}

func compareAll(t *testing.T, prog string, oracle []string) {
	var addrs []uint64
	for _, f := range functionSymbols(t, prog) {
		for a := f.addr; a < f.addr+f.size; a += 3 {
			addrs = append(addrs, a)
		}
	}
	slices.Sort(addrs)
	r, mod := newTestResolver(t, Config{}), recordedModule(t, prog)
	known := 0
	for i, want := range addr2line(t, oracle, prog, addrs) {
		loc := r.Resolve(model.Frame{Module: mod, Offset: addrs[i]}, false)
		got := describeLocation(loc)
		if want == unknown {
			continue // the C start-up files have no debug information
		}
		known++
		if source := filepath.Dir(prog); hasMissingLine(t, source, want) {
			continue
		}
		if oracle[0] != "addr2line" {
			got, want = withoutParameters(got), withoutParameters(want)
		}
		if want := withoutUnderscores(want); got != want && plainOuter(loc) != want {
			t.Fatalf("%#x:\n got %s\nwant %s", addrs[i], got, want)
		}
		if !loc.Exact || loc.Note != "" {
			t.Fatalf("%#x: not exact: %s", addrs[i], loc.Note)
		}
	}
	if known < 20 {
		t.Errorf("only %d addresses to compare", known)
	}
}

// withoutUnderscores gives Fortran's external procedures the names they have in
// the source; the C and C++ of these programs has no name that ends so.
func withoutUnderscores(answer string) string {
	return strings.ReplaceAll(answer, "_ /", " /")
}

// withoutParameters leaves out what is in parentheses: the demangler of this
// package counts clang's substitutions within enable_if as gcc's.
func withoutParameters(answer string) string {
	var out strings.Builder
	depth := 0
	for _, r := range answer {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// hasMissingLine reports whether an answer names a line that the source in dir does
// not have: binutils 2.40 gives some functions of DWARF 5 headers the name of
// the main source file (elfutils agrees with this package there).
func hasMissingLine(t *testing.T, dir, answer string) bool {
	for _, part := range strings.Split(answer, " < ") {
		place := part[strings.LastIndex(part, " ")+1:]
		file, number, _ := strings.Cut(place, ":")
		if filepath.Dir(file) != dir {
			continue
		}
		text := musttest.Get(os.ReadFile(file))(t)
		if n, err := strconv.Atoi(number); err != nil || n > strings.Count(string(text), "\n") {
			return true
		}
	}
	return false
}

func describeLocation(l Location) string {
	var parts []string
	for _, c := range l.Calls() {
		parts = append(parts, fmt.Sprintf("%s %s:%d", c.Signature, c.File, c.Line))
	}
	return strings.Join(parts, " < ")
}

// plainOuter describes a location as addr2line does in some places: an inlined
// C++ function without a linker name gets the name of the function around it.
func plainOuter(l Location) string {
	if len(l.Inlined) > 0 && !strings.Contains(strings.TrimSuffix(l.Signature, "operator()"), "(") {
		l.Signature = l.outermost().Signature
	}
	return describeLocation(l)
}

const unknown = "unknown"

// cloned matches what compilers append to the names of parts and inner functions.
var cloned = regexp.MustCompile(`(\.(part|cold|constprop|isra|\d+))+$`)

// addr2line returns its answers in the form of describe. An inlined chain has
// several lines for one address, so -a marks where the next answer begins.
func addr2line(t *testing.T, oracle []string, prog string, addrs []uint64) []string {
	cmd := exec.Command(oracle[0], append(oracle[1:], "-a", "-f", "-i", "-C", "-e", prog)...)
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "%#x\n", a)
	}
	cmd.Stdin = strings.NewReader(in.String())
	out := musttest.Get(cmd.Output())(t)
	var answers []string
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := 0; i < len(lines); {
		i++ // the address
		var parts []string
		for ; i < len(lines) && !strings.HasPrefix(lines[i], "0x"); i += 2 {
			parts = append(parts, formatAnswer(lines[i], lines[i+1]))
		}
		if parts[0] == unknown {
			parts = []string{unknown}
		}
		answers = append(answers, strings.Join(parts, " < "))
	}
	musttest.Equal(t, len(addrs), len(answers), "answers")
	return answers
}

func formatAnswer(function, place string) string {
	place, _, _ = strings.Cut(place, " (")
	colon := strings.LastIndex(place, ":")
	if place[:colon] == "??" {
		return unknown
	}
	line, err := strconv.Atoi(place[colon+1:])
	if err != nil {
		line = 0 // "?": made by the compiler
	}
	// addr2line takes the linker's name where the source has only a plain one.
	function, _, _ = strings.Cut(function, " [clone")
	function = cloned.ReplaceAllString(function, "")
	if f := fortranName(function); f != "" {
		function = f
	}
	if function == "hello" { // the name in the source of what users call main
		function = "main"
	}
	return fmt.Sprintf("%s %s:%d", function, path.Clean(place[:colon]), line)
}

// TestSpans checks the search against a plain scan over random intervals.
func TestSpans(t *testing.T) {
	seed := uint64(1)
	random := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return (seed >> 33) % n
	}
	for range 200 {
		var list []span[int]
		for i := range int(random(20)) {
			lo := random(60)
			list = append(list, span[int]{lo, lo + random(30), i})
		}
		s := newSpans(slices.Clone(list))
		for pc := range uint64(100) {
			got, ok := s.find(pc)
			if want := scanSpans(list, pc); !slices.Contains(want, got) && (ok || len(want) > 0) {
				t.Fatalf("%v: find(%d) = %d, %v, want one of %v", list, pc, got, ok, want)
			}
		}
	}
}

// scanSpans returns the items of the smallest spans that start last around pc.
func scanSpans(list []span[int], pc uint64) []int {
	var in []span[int]
	for _, s := range list {
		if s.lo <= pc && pc < s.hi {
			in = append(in, s)
		}
	}
	sort.Slice(in, func(i, j int) bool {
		return in[i].lo > in[j].lo || in[i].lo == in[j].lo && in[i].hi < in[j].hi
	})
	var best []int
	for _, s := range in {
		if s.lo == in[0].lo && s.hi == in[0].hi {
			best = append(best, s.item)
		}
	}
	return best
}
