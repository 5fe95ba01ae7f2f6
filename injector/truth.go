package injector

import (
	"fmt"
	"slices"
)

// Truth is how ranks left the common sequence of collectives, found from the calls that
// all ranks were seen to make, and from what was done to them.
type Truth struct {
	Ranks []int    `json:"ranks"` // ranks that left the common sequence
	Kinds []string `json:"kinds"` // kinds that a diagnosis may name
	// the first calls that differ, of either side; a diagnosis has to name one
	Calls   []Collective `json:"calls"`
	Visible bool         `json:"visible"` // the calls of the struck rank differ from those of the others
	Clear   bool         `json:"clear"`   // the other ranks agree among themselves
}

// The kinds of divergence, as a diagnosis names them.
const (
	kindSkipped   = "skipped"
	kindExtra     = "extra"
	kindOrder     = "order"
	kindArguments = "arguments"
	kindDeparted  = "error_path"
	kindDifferent = "collective_mismatch"
	kindLoopCount = "loop_count"
	kindEarlier   = "earlier"
)

// sequences are the collectives of a rank, by object.
type sequences map[int][]Collective

func groupByObject(calls []Collective) sequences {
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
	own, healthy := groupByObject(made[s.Rank]), groupByObject(profiles[s.Rank].Collectives)
	common := map[int][]Collective{}
	for object := range healthy {
		if object >= 0 {
			ref, clear := referenceCalls(object, out.Ranks, healthy[object], profiles, made)
			common[object], out.Clear = ref, out.Clear && clear
		}
	}
	object, n := firstDifference(made[s.Rank], own, common, sameCall)
	if out.Visible = n >= 0; out.Visible {
		out.Calls = []Collective{own[object][n], common[object][n]}
	}
	// Calls from two places may match, and MPI objects to a later one.
	if o, m := firstDifference(made[s.Rank], own, common, sameFunctionAndRoot); m >= 0 && (o != object || m != n) {
		out.Calls = append(out.Calls, own[o][m], common[o][m])
	}
	switch s.Fault.Kind {
	case Skip:
		out.Kinds = []string{kindSkipped}
		out.addLoopCountKind(own[object], n)
	case Extra:
		out.Kinds = []string{kindExtra}
		out.addLoopCountKind(own[object], n)
	case Root, Count, Type:
		out.Kinds, out.Calls, out.Visible = []string{kindArguments}, []Collective{*r.Call}, true
	case Exchange:
		out.Kinds, out.Visible = []string{kindOrder}, true
		if n < 0 {
			out.Calls = []Collective{*r.Call, profiles[s.Rank].Collectives[s.Invocation]}
		} else if !slices.ContainsFunc(own[object][n:], func(c Collective) bool { return c.sameSite(r.Call) }) {
			out.Kinds = append(out.Kinds, kindSkipped) // what it would have made later was never seen
		}
	case Loop, Branch:
		if out.setJumpKind(r, own[object], healthy[object], n); s.Fault.Kind == Loop {
			out.Kinds = append(out.Kinds, kindLoopCount)
		}
	}
	if left := made[s.Rank]; s.Fault.Kind == Leave || !out.Visible && len(left) > 0 && left[len(left)-1].leavesMPI() {
		out.setDeparture(own, common)
	}
	return out
}

// addLoopCountKind: of calls that repeat the one before, one less or more is an iteration.
func (t *Truth) addLoopCountKind(own []Collective, n int) {
	if n > 0 && slices.ContainsFunc(t.Calls, func(c Collective) bool { return c.sameSite(&own[n-1]) }) {
		t.Kinds = append(t.Kinds, kindLoopCount)
	}
}

// referenceCalls is the longest sequence on an object of a rank that was not struck; of
// those that made the same as the struck one when all was well. Without such a rank
// it is what the struck one made then. clear: these ranks agree.
func referenceCalls(object int, struck []int, healthy []Collective, profiles []*Profile,
	made [][]Collective) (longest []Collective, clear bool) {
	var twins [][]Collective
	for rank, p := range profiles {
		usual := groupByObject(p.Collectives)[object]
		if !slices.Contains(struck, rank) && slices.EqualFunc(usual, healthy, sameCall) {
			twins = append(twins, groupByObject(made[rank])[object])
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
	return longest, !slices.ContainsFunc(twins, func(t []Collective) bool { return firstDifferenceAt(t, longest, sameCall) >= 0 })
}

func sameCall(a, b Collective) bool { return a.sameSiteAndRoot(&b) }

func sameFunctionAndRoot(a, b Collective) bool { return a.Function == b.Function && a.Root == b.Root }

// firstDifferenceAt is the first index at which two sequences differ; -1: one is the beginning of
// the other.
func firstDifferenceAt(a, b []Collective, same func(a, b Collective) bool) int {
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
		at[o] = firstDifferenceAt(own[o], c, same)
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

// setJumpKind tells the kind where a jump went the other way: how the calls go on tells it,
// or, where they end too early, which way the jump went.
func (t *Truth) setJumpKind(r Report, own, healthy []Collective, n int) {
	kind := kindSkipped
	if r.Toward {
		kind = kindExtra
	}
	t.Kinds = []string{kind}
	if n < 0 || n > len(healthy) {
		return
	}
	skipped, extra := detectShift(own[n:], healthy[n:])
	switch {
	case skipped && !extra:
		t.Kinds = []string{kindSkipped}
	case extra && !skipped:
		t.Kinds = []string{kindExtra}
	case !slices.ContainsFunc(healthy, func(c Collective) bool { return c.sameSite(&own[n]) }):
		t.Kinds = append(t.Kinds, kindDifferent) // a call that it never makes otherwise
	}
}

// detectShift reports whether calls go on as the usual ones do behind some of these, and
// whether some of the calls come before the usual ones.
func detectShift(calls, usual []Collective) (skipped, extra bool) {
	for d := 1; d < len(usual) && !skipped; d++ {
		skipped = len(usual)-d >= len(calls) && firstDifferenceAt(calls, usual[d:], sameCall) < 0
	}
	for d := 1; d < len(calls) && !extra; d++ {
		extra = firstDifferenceAt(calls[d:], usual, sameCall) < 0
	}
	return skipped, extra
}

// setDeparture: the others wait in the next call on some object.
func (t *Truth) setDeparture(own sequences, common map[int][]Collective) {
	t.Kinds, t.Calls = []string{kindDeparted}, nil
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

// returnPlace names where a call returns to.
func (c *Collective) returnPlace() string { return fmt.Sprintf("%s+%#x", c.Module, c.Offset) }

// DivergenceVerdict is a diagnosis compared with the truth of ranks that parted.
type DivergenceVerdict struct {
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

// JudgeDivergence compares a diagnosis with the truth.
func JudgeDivergence(s Strike, t *Truth, d Diagnosis) DivergenceVerdict {
	v := DivergenceVerdict{Ranks: slices.Equal(slices.Sorted(slices.Values(d.LP)), t.Ranks)}
	all := !slices.ContainsFunc(t.Ranks, func(r int) bool { return !slices.Contains(d.LP, r) })
	v.Among = !v.Ranks && all && d.Confidence <= sure
	v.Kind = slices.Contains(t.Kinds, d.Cause)
	v.Silent = d.Divergence == nil && !v.Kind
	if p := d.Divergence; p != nil {
		v.Kind = slices.Contains(t.Kinds, p.Kind)
		v.Call = slices.ContainsFunc(t.Calls, func(c Collective) bool { return p.beginsWith(&c) })
		v.Bracket = p.Kind == kindEarlier && slices.ContainsFunc(t.Calls,
			func(c Collective) bool { return c.Number > p.AlikeTo && c.Number <= p.Number })
	}
	if s.Divergence != nil && s.Divergence.Jump != nil && s.Divergence.Jump.Line > 0 {
		jump := s.Divergence.Jump
		v.HasBranch = true
		is := func(s Source) bool { return s.File == jump.File && s.Line == jump.Line }
		if d.Divergence != nil && d.Divergence.Branch != nil {
			v.Branch = is(d.Divergence.Branch.Source)
			v.Nested = !v.Branch && slices.ContainsFunc(d.Divergence.Branch.Or, is)
		}
	}
	v.Wrong = !v.Ranks && !v.Among && len(d.LP) > 0 && d.Confidence > sure
	plain := v.Kind || d.Divergence != nil && d.Divergence.Kind == kindDifferent
	v.Misleading = v.Wrong || !v.Silent && t.Visible && d.Confidence > sure && !v.Bracket && !(plain && v.Call)
	return v
}

// beginsWith reports whether a divergence begins with the call.
func (p *ReportedDivergence) beginsWith(c *Collective) bool {
	if p.Number != c.Number || len(p.Calls) == 0 {
		return false
	}
	return p.Calls[0].MPI == c.Function && slices.Contains(p.Calls[0].Places, c.returnPlace())
}
