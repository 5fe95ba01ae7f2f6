package injector

import (
	"fmt"
	"slices"
)

// Truth is how ranks left the common sequence of collectives, found from the calls that
// all ranks were seen to make, and from what was done to them.
type Truth struct {
	Ranks []int `json:"ranks"`
	// Kinds are those that a diagnosis may say: one, unless both sides' calls ended too
	// early to tell.
	Kinds []string `json:"kinds"`
	// Calls are the first that differ, of either side; a diagnosis is to name one.
	Calls []Collective `json:"calls"`
	// Visible: the calls of the struck rank differ from those of the others. If not, it
	// waits for a message, say, while they wait for it in the next collective.
	Visible bool `json:"visible"`
	// Clear: the ranks that were not struck agree among themselves.
	Clear bool `json:"clear"`
}

// The kinds of divergence, as a diagnosis names them.
const (
	saidSkipped   = "skipped"
	saidExtra     = "extra"
	saidOrder     = "order"
	saidArguments = "arguments"
	saidDeparted  = "error_path"
	saidDifferent = "collective_mismatch"
	saidLoopCount = "loop_count"
	saidEarlier   = "earlier"
)

// sequences are the collectives of a rank, by object.
type sequences map[int][]Collective

func byObject(calls []Collective) sequences {
	out := sequences{}
	for _, c := range calls {
		out[c.Object] = append(out[c.Object], c)
	}
	return out
}

// TruthOf compares what a struck rank made with what the others made on the same
// objects, as far as these made the same in the healthy profile.
func TruthOf(s Strike, r Report, profiles []*Profile, made [][]Collective) *Truth {
	out := &Truth{Ranks: s.Ranks(), Clear: true}
	own, healthy := byObject(made[s.Rank]), byObject(profiles[s.Rank].Collectives)
	common := map[int][]Collective{}
	for object := range healthy {
		if object >= 0 {
			ref, clear := reference(object, out.Ranks, healthy[object], profiles, made)
			common[object], out.Clear = ref, out.Clear && clear
		}
	}
	object, n := firstDifference(made[s.Rank], own, common, alike)
	if out.Visible = n >= 0; out.Visible {
		out.Calls = []Collective{own[object][n], common[object][n]}
	}
	// Calls from two places may match, and MPI objects to a later one.
	if o, m := firstDifference(made[s.Rank], own, common, matching); m >= 0 && (o != object || m != n) {
		out.Calls = append(out.Calls, own[o][m], common[o][m])
	}
	switch s.Fault.Kind {
	case Skip:
		out.Kinds = []string{saidSkipped}
		out.repeated(own[object], n)
	case Extra:
		out.Kinds = []string{saidExtra}
		out.repeated(own[object], n)
	case Root, Count, Type:
		out.Kinds, out.Calls, out.Visible = []string{saidArguments}, []Collective{*r.Call}, true
	case Exchange:
		out.Kinds, out.Visible = []string{saidOrder}, true
		if n < 0 {
			out.Calls = []Collective{*r.Call, profiles[s.Rank].Collectives[s.Invocation]}
		} else if !slices.ContainsFunc(own[object][n:], func(c Collective) bool { return c.sameSite(r.Call) }) {
			out.Kinds = append(out.Kinds, saidSkipped) // what it would have made later was never seen
		}
	case Loop, Branch:
		if out.turned(r, own[object], healthy[object], n); s.Fault.Kind == Loop {
			out.Kinds = append(out.Kinds, saidLoopCount)
		}
	}
	if left := made[s.Rank]; s.Fault.Kind == Leave || !out.Visible && len(left) > 0 && left[len(left)-1].leaves() {
		out.departed(own, common)
	}
	return out
}

// repeated: of calls that repeat the one before, one less or more is an iteration.
func (t *Truth) repeated(own []Collective, n int) {
	if n > 0 && slices.ContainsFunc(t.Calls, func(c Collective) bool { return c.sameSite(&own[n-1]) }) {
		t.Kinds = append(t.Kinds, saidLoopCount)
	}
}

// reference is the longest sequence on an object of a rank that was not struck; of
// those that made the same as the struck one when all was well. Without such a rank
// it is what the struck one made then. clear: these ranks agree.
func reference(object int, struck []int, healthy []Collective, profiles []*Profile,
	made [][]Collective) (longest []Collective, clear bool) {
	var twins [][]Collective
	for rank, p := range profiles {
		usual := byObject(p.Collectives)[object]
		if !slices.Contains(struck, rank) && slices.EqualFunc(usual, healthy, alike) {
			twins = append(twins, byObject(made[rank])[object])
		}
	}
	if len(twins) == 0 {
		return healthy, true
	}
	for _, t := range twins {
		if len(t) > len(longest) {
			longest = t
		}
	}
	return longest, !slices.ContainsFunc(twins, func(t []Collective) bool { return differAt(t, longest, alike) >= 0 })
}

func alike(a, b Collective) bool { return a.same(&b) }

func matching(a, b Collective) bool { return a.Function == b.Function && a.Root == b.Root }

// differAt is the first index at which two sequences differ; -1: one is the beginning of
// the other.
func differAt(a, b []Collective, same func(a, b Collective) bool) int {
	for i := range min(len(a), len(b)) {
		if !same(a[i], b[i]) {
			return i
		}
	}
	return -1
}

// firstDifference finds the first call of a rank that differs from the common ones.
func firstDifference(calls []Collective, own sequences, common map[int][]Collective,
	same func(a, b Collective) bool) (object, n int) {
	at := map[int]int{}
	for o, c := range common {
		at[o] = differAt(own[o], c, same)
	}
	next := map[int]int{}
	for _, c := range calls {
		if n, known := at[c.Object]; known && n >= 0 && next[c.Object] == n {
			return c.Object, n
		}
		next[c.Object]++
	}
	return -1, -1
}

// turned tells the kind where a jump went the other way: how the calls go on tells it,
// or, where they end too early, which way the jump went.
func (t *Truth) turned(r Report, own, healthy []Collective, n int) {
	kind := saidSkipped
	if r.Toward {
		kind = saidExtra
	}
	t.Kinds = []string{kind}
	if n < 0 || n > len(healthy) {
		return
	}
	skipped, extra := shifts(own[n:], healthy[n:])
	switch {
	case skipped && !extra:
		t.Kinds = []string{saidSkipped}
	case extra && !skipped:
		t.Kinds = []string{saidExtra}
	case !slices.ContainsFunc(healthy, func(c Collective) bool { return c.sameSite(&own[n]) }):
		t.Kinds = append(t.Kinds, saidDifferent) // a call that it never makes otherwise
	}
}

// shifts tells whether calls go on as the usual ones do behind some of these, and
// whether some of the calls come before the usual ones.
func shifts(calls, usual []Collective) (skipped, extra bool) {
	for d := 1; d < len(usual) && !skipped; d++ {
		skipped = len(usual)-d >= len(calls) && differAt(calls, usual[d:], alike) < 0
	}
	for d := 1; d < len(calls) && !extra; d++ {
		extra = differAt(calls[d:], usual, alike) < 0
	}
	return skipped, extra
}

// departed: the others wait in the next call on some object.
func (t *Truth) departed(own sequences, common map[int][]Collective) {
	t.Kinds, t.Calls = []string{saidDeparted}, nil
	for object, c := range common {
		if n := len(own[object]); n < len(c) {
			t.Calls = append(t.Calls, c[n])
			for _, gone := range own[-1] {
				gone.Number = c[n].Number
				t.Calls = append(t.Calls, gone)
			}
		}
	}
	t.Visible = len(t.Calls) > 0
}

// place names where a call returns to.
func (c *Collective) place() string { return fmt.Sprintf("%s+%#x", c.Module, c.Offset) }

// PartingVerdict is a diagnosis compared with the truth of ranks that parted.
type PartingVerdict struct {
	Ranks bool // these and no others are named
	Among bool // they are named, with others, and a confidence of at most 0.5
	Kind  bool
	Call  bool // the first that differs
	// Bracket: the calls of that time were not kept, and the first that differs is in
	// the range that is named.
	Bracket   bool
	HasBranch bool // the line of the jump that decided is known
	Branch    bool // and named, as the nearest that decides
	Nested    bool // and named, among those further back that would decide the same
	Silent    bool // neither a divergence nor the right kind is named
	// Wrong: the ranks are wrong, with a confidence above 0.5. Misleading: something is,
	// ranks, call, or the kind; that the calls are different is never wrong.
	Wrong, Misleading bool
}

// sure is the confidence above which nothing may be wrong.
const sure = 0.5

// JudgeParting compares a diagnosis with the truth.
func JudgeParting(s Strike, t *Truth, d Diagnosis) PartingVerdict {
	v := PartingVerdict{Ranks: slices.Equal(slices.Sorted(slices.Values(d.LP)), t.Ranks)}
	all := !slices.ContainsFunc(t.Ranks, func(r int) bool { return !slices.Contains(d.LP, r) })
	v.Among = !v.Ranks && all && d.Confidence <= sure
	v.Kind = slices.Contains(t.Kinds, d.Cause)
	v.Silent = d.Parted == nil && !v.Kind
	if p := d.Parted; p != nil {
		v.Kind = slices.Contains(t.Kinds, p.Kind)
		v.Call = slices.ContainsFunc(t.Calls, func(c Collective) bool { return p.names(&c) })
		v.Bracket = p.Kind == saidEarlier && slices.ContainsFunc(t.Calls,
			func(c Collective) bool { return c.Number > p.AlikeTo && c.Number <= p.Number })
	}
	if s.Parting != nil && s.Parting.Jump != nil && s.Parting.Jump.Line > 0 {
		jump := s.Parting.Jump
		v.HasBranch = true
		is := func(s Source) bool { return s.File == jump.File && s.Line == jump.Line }
		if d.Parted != nil && d.Parted.Branch != nil {
			v.Branch = is(d.Parted.Branch.Source)
			v.Nested = !v.Branch && slices.ContainsFunc(d.Parted.Branch.Or, is)
		}
	}
	v.Wrong = !v.Ranks && !v.Among && len(d.LP) > 0 && d.Confidence > sure
	plain := v.Kind || d.Parted != nil && d.Parted.Kind == saidDifferent
	v.Misleading = v.Wrong || !v.Silent && t.Visible && d.Confidence > sure && !v.Bracket && !(plain && v.Call)
	return v
}

// names tells whether a divergence begins with the call.
func (p *Parted) names(c *Collective) bool {
	if p.Number != c.Number || len(p.Calls) == 0 {
		return false
	}
	return p.Calls[0].MPI == c.Function && slices.Contains(p.Calls[0].Places, c.place())
}
