package diagnosis

import (
	"cmp"
	"slices"
	"strings"

	"laggard/report"
	"laggard/report/slice"
	"laggard/report/words"
)

func (b *pageBuilder) runSummary(r report.Run) pageRun {
	out := pageRun{Dir: words.Printable(r.Dir), Command: words.Printable(strings.Join(r.Command, " ")),
		Job: words.Printable(r.Job)}
	if !r.Created.IsZero() {
		created := r.Created.UTC()
		out.Created = &created
	}
	return out
}

// nextStep is nil if there is nothing to advise.
func (b *pageBuilder) nextStep(r *Result) *step {
	n := nextStep(r)
	if n.Command == "" {
		return nil
	}
	n.Host = words.Printable(n.Host)
	return &n
}

// newView lays out what one algorithm concluded, and returns the positions of the
// groups by their ID.
func (b *pageBuilder) newView(r *Result, maxGroups, maxEdges int, left *pageOmitted) (pageView, map[int]int) {
	v := pageView{Algorithm: words.Printable(r.Analysis.Algorithm), Groups: []pageGroup{}, Edges: []pageEdge{}}
	if r.LeastProgressed != nil {
		v.Least = b.leastProgressed(r.LeastProgressed)
	}
	position, far := map[int]int{}, distances(r)
	for _, g := range nearestGroups(r, maxGroups) {
		position[g.ID] = len(v.Groups)
		v.Groups = append(v.Groups, pageGroup{ID: g.ID, Ranks: g.Ranks, Count: g.Count, State: b.tables.stateIndex(g.State),
			Least: g.Least, Far: far[g.ID]})
	}
	for _, e := range r.Edges {
		from, okFrom := position[e.From]
		to, okTo := position[e.To]
		if okFrom && okTo && len(v.Edges) < maxEdges {
			v.Edges = append(v.Edges, pageEdge{From: from, To: to, Kind: shortKind(e.Kind), Weak: e.Weak,
				Reason: words.Printable(words.Cut(e.Reason))})
		}
	}
	v.Order = progressLevels(r.RankOrder, v.Groups)
	left.Groups += len(r.Groups) - len(v.Groups)
	left.Edges += len(r.Edges) - len(v.Edges)
	left.Order += len(r.RankOrder) - len(v.Order)
	return v, position
}

// comparedView is a view that is looked at beside the other, and smaller.
func (b *pageBuilder) comparedView(r *Result) *pageView {
	v, _ := b.newView(r, maxComparedParts, maxComparedParts, &pageOmitted{})
	v.Order = v.Order[:min(len(v.Order), maxComparedParts)]
	for i, level := range v.Order {
		if set, ok := level.(string); ok {
			v.Order[i] = words.SetIn(set, maxComparedSet)
		}
	}
	for i, g := range v.Groups {
		v.Groups[i].Ranks = words.SetIn(g.Ranks, maxComparedSet)
	}
	if v.Least != nil {
		v.Least.Set = words.SetIn(v.Least.Set, maxComparedSet)
		v.Least.Places = v.Least.Places[:min(len(v.Least.Places), maxPlaces)]
	}
	return &v
}

func leastSet(r *Result) string {
	if r.LeastProgressed == nil {
		return ""
	}
	return r.LeastProgressed.Set
}

// nearestGroups returns at most n groups, in order of ID: the least progressed ones,
// those that wait for them, those that wait for these, and then the largest.
func nearestGroups(r *Result, n int) []Group {
	if len(r.Groups) <= n {
		return r.Groups
	}
	far := distances(r)
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(x, y Group) int {
		return cmp.Or(cmp.Compare(far[x.ID], far[y.ID]), cmp.Compare(y.Count, x.Count))
	})
	groups = groups[:n]
	slices.SortFunc(groups, func(x, y Group) int { return cmp.Compare(x.ID, y.ID) })
	return groups
}

// distances counts, for each group, the waits between it and a least-progressed
// one; those not joined to one are farthest.
func distances(r *Result) []int {
	waiters := make([][]int, len(r.Groups))
	for _, e := range r.Edges {
		waiters[e.To] = append(waiters[e.To], e.From)
	}
	far := make([]int, len(r.Groups))
	var level []int
	for id, g := range r.Groups {
		far[id] = len(r.Groups)
		if g.Least {
			far[id] = 0
			level = append(level, id)
		}
	}
	for d := 1; level != nil; d++ {
		var next []int
		for _, to := range level {
			for _, from := range waiters[to] {
				if far[from] > d {
					far[from] = d
					next = append(next, from)
				}
			}
		}
		level = next
	}
	return far
}

// shortKind keeps a kind of edge to what labels have room for.
func shortKind(kind string) string {
	runes := []rune(words.Printable(kind))
	return string(runes[:min(len(runes), 16)])
}

// progressLevels lists levels of progress, as many as have room; the first is always
// among them.
func progressLevels(sets []string, groups []pageGroup) []any {
	whole := map[string]int{}
	for i, g := range groups {
		whole[g.Ranks] = i
	}
	out, room := []any{}, maxPageSets
	for _, set := range sets {
		var level any = set
		bytes := len(set)
		if i, known := whole[set]; known {
			level, bytes = i, 4
		}
		if room -= bytes + 3; room < 0 && len(out) > 0 {
			break
		}
		out = append(out, level)
	}
	return out
}

func (b *pageBuilder) leastProgressed(l *LeastProgressed) *pageLeast {
	out := &pageLeast{
		Set: l.Set, Count: len(l.Ranks), Method: words.Printable(l.Method), Confidence: l.Confidence,
		Reason: cutPage(words.Printable(l.Reason)), Places: []pagePlace{},
	}
	list := distinctLocations(l)
	for _, at := range list[:min(len(list), maxLocations)] {
		out.Places = append(out.Places, pagePlace{
			Ranks: at.Ranks, Doing: words.Printable(activityText(at)), Process: words.Printable(processText(at)),
			Place: words.Printable(at.Site.String()), Stack: b.tables.stackIndex(at.Stack),
		})
	}
	return out
}

// pageComms keeps as many communicators as there is room for, those that all ranks
// are in first.
func (b *pageBuilder) pageComms(list []Communicator, left *pageOmitted) []Communicator {
	out, room := []Communicator{}, maxPageComms
	for _, c := range list {
		if room -= len(c.Ranks) + len(c.ID) + 40; room < 0 {
			break
		}
		c.ID = words.Printable(c.ID)
		out = append(out, c)
	}
	left.Comms = len(list) - len(out)
	return out
}

func (b *pageBuilder) pageSlices(list []slice.Slice, position map[int]int, left *pageOmitted) []pageSlice {
	out, room := []pageSlice{}, maxPageLines
	for _, s := range list {
		c := s.Criterion
		group, known := position[c.Group]
		if !known {
			group = -1
		}
		one := pageSlice{
			Group: group, Ranks: c.Ranks, Text: words.Printable(c.Text), Backend: words.Printable(s.Backend),
			Truncated: s.Truncated, Notes: b.pageTexts(s.Notes), Lines: [][]any{},
		}
		kept := s.Lines[:min(len(s.Lines), room)]
		for _, l := range kept {
			one.Lines = append(one.Lines, b.sliceLine(l))
		}
		room -= len(kept)
		left.Lines += len(s.Lines) - len(kept)
		out = append(out, one)
	}
	return out
}

func (b *pageBuilder) sliceLine(l slice.Line) []any {
	added := 0
	if l.New {
		added = 1
	}
	out := []any{b.tables.fileIndex(l.File), l.Line.Line, b.tables.nameIndex(l.Function), l.Distance,
		words.Printable(string(l.Kind)), added}
	if now := l.Now(); now != "" {
		out = append(out, now)
	}
	return out
}
