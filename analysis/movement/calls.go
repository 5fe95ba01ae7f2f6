package movement

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/recorded"
	"laggard/model"
	"laggard/symbol"
)

// Call is a call that allocates, copies or transfers, with the names of its
// frames, innermost first.
type Call struct {
	Function string            // that was called, such as "memcpy" or "MPI_Send"
	Frame    *symbol.Location  // the innermost frame of the name; nil if there is none
	Stack    []symbol.Location // one with which it was called
}

// Calls puts names to the call sites in the chains that were found. A site that
// the book does not have is left out.
func Calls(f Found, book recorded.Book, resolver *symbol.Resolver) map[string]Call {
	out := map[string]Call{}
	name := func(site string) {
		if _, known := out[site]; known {
			return
		}
		if c, err := book.Call(site); err == nil {
			out[site] = newCall(c, resolver)
		}
	}
	add := func(g chain.Group) {
		for _, o := range g.Ops {
			for _, site := range []string{o.Site, o.Partner, o.Source, o.Dest} {
				name(site)
			}
		}
	}
	for _, g := range f.Groups {
		add(g)
	}
	for _, p := range f.Invariants {
		add(p.Group)
	}
	for _, u := range f.Unreceived {
		name(u.Site)
	}
	return out
}

func newCall(c recorded.Call, resolver *symbol.Resolver) Call {
	out := Call{Function: c.Function, Stack: resolver.ResolveStack(c.Stack, false)}
	if len(c.Frames) > 0 {
		at := resolver.Resolve(c.Frames[0], true)
		if call, ok := parseSource(c.Place); ok && !at.Exact { // the file of a good run may have been built anew since
			at.Call = call
		}
		out.Frame = &at
	}
	return out
}

// sourceOf names a return address by its place in the source, as the debug
// information has it. Directories are left out: they change from build to build.
func sourceOf(resolver *symbol.Resolver) func(model.Frame) string {
	return func(f model.Frame) string {
		l := resolver.Resolve(f, true)
		if !l.Exact || l.Line == 0 || l.Function == "" {
			return ""
		}
		return fmt.Sprintf("%s %s:%d:%d", l.Function, filepath.Base(l.File), l.Line, l.Column)
	}
}

var sourceForm = regexp.MustCompile(`^(.+) ([^ ]+):(\d+):\d+$`)

// parseSource reads what sourceOf writes.
func parseSource(place string) (symbol.Call, bool) {
	m := sourceForm.FindStringSubmatch(place)
	if m == nil {
		return symbol.Call{}, false
	}
	line, err := strconv.Atoi(m[3])
	return symbol.Call{Function: m[1], Signature: m[1], File: m[2], Line: line}, err == nil
}
