package known

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"laggard/internal/lateregexp"
	"laggard/model/mpi"
)

// Hang is a hang in which all calls match, nothing is missing, and nothing moves.
type Hang struct {
	Family   mpi.Family
	Versions []string // of it, mostly one; none: unknown
	Calls    []string // the MPI functions that ranks are in
	Frames   []string // functions that ranks are in inside the library
	Modules  []string // paths of the files that these are in
}

// Match is an issue that a hang looks like.
type Match struct {
	Issue
	Why []string // the conditions that it meets, in words; of a version that is not known, which ones count
}

// Matches returns the issues that the hang looks like: those first of which most
// conditions are met, at most three.
func (t Table) Matches(h Hang) []Match {
	var out []Match
	for _, i := range t {
		if why, ok := i.meets(h); ok {
			out = append(out, Match{i, why})
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int { return cmp.Compare(len(b.Why), len(a.Why)) })
	out = out[:min(len(out), maxMatches)]
	for k := range out {
		if m := &out[k]; len(h.Versions) == 0 && len(m.Versions) > 0 {
			m.Why = append(m.Why, "if it is "+strings.Join(m.Versions, " or ")+", which is unknown")
		}
	}
	return out
}

const maxMatches = 3

// meets reports whether a hang meets all conditions, and which. A version that is not
// known excludes nothing, and is no reason either.
func (i *Issue) meets(h Hang) (why []string, ok bool) {
	if i.MPI != "" && i.MPI != h.Family {
		return nil, false
	}
	if len(i.Versions) > 0 && len(h.Versions) > 0 {
		if slices.ContainsFunc(h.Versions, i.excludesVersion) {
			return nil, false
		}
		why = append(why, "version "+strings.Join(h.Versions, " and "))
	}
	if len(i.Calls) > 0 {
		other := func(call string) bool { return !slices.Contains(i.Calls, call) }
		if len(h.Calls) == 0 || slices.ContainsFunc(h.Calls, other) {
			return nil, false
		}
		why = append(why, "all ranks are in "+strings.Join(h.Calls, " or "))
	}
	var modules []string
	for _, m := range h.Modules {
		modules = append(modules, path.Base(m))
	}
	for _, c := range []struct {
		parts, among []string
		word         string
	}{{i.Frames, slices.Concat(h.Frames, modules), "inside "}, {i.Modules, modules, "in the module "}} {
		if len(c.parts) == 0 {
			continue
		}
		at := slices.IndexFunc(c.among, func(name string) bool {
			return slices.ContainsFunc(c.parts, func(part string) bool { return strings.Contains(name, part) })
		})
		if at < 0 {
			return nil, false
		}
		why = append(why, c.word+c.among[at])
	}
	return why, true
}

// excludesVersion reports whether a version does not have the issue.
func (i *Issue) excludesVersion(version string) bool {
	return !slices.ContainsFunc(i.Versions, func(v string) bool { return versionWithin(version, v) })
}

// versionWithin reports whether a version is one, or in a range, of which each end counts
// with all that is below it: 4.1.6 is 4.1, and in 4.0-4.1.
func versionWithin(version, want string) bool {
	lo, hi, ranged := strings.Cut(want, "-")
	if !ranged {
		hi = lo
	}
	v, from, to := versionNumbers(version), versionNumbers(lo), versionNumbers(hi)
	return v != nil && slices.Compare(v, from) >= 0 && slices.Compare(v[:min(len(v), len(to))], to) <= 0
}

// versionNumbers are those of a version, nil if it is none.
func versionNumbers(version string) []int {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil
		}
		out = append(out, int(n))
	}
	return out
}

var versionForm = lateregexp.New(`\d+(\.\d+)+`)

// VersionIn finds the version in what MPI_Get_library_version says, "" if there is
// none.
func VersionIn(library string) string { return versionForm.FindString(library) }
