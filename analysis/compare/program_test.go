package compare

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"laggard/analysis/compare/place"
	"laggard/model"
	"laggard/symbol"
)

// testRun is a run that a test describes; see TestTranscripts for the language.
type testRun struct {
	sites  map[string]place.Site
	states map[string]*model.State
	ranks  []*model.Rank
}

var repeated = regexp.MustCompile(`\(([^()]*)\)\*(\d+)`)

// unrollCalls writes repetitions out.
func unrollCalls(text string) []string {
	for repeated.MatchString(text) {
		text = repeated.ReplaceAllStringFunc(text, func(part string) string {
			m := repeated.FindStringSubmatch(part)
			n, _ := strconv.Atoi(m[2])
			return strings.Repeat(" "+m[1]+" ", n)
		})
	}
	return strings.Fields(text)
}

func parseTestRun(size int, text string) (*testRun, error) {
	r := &testRun{sites: map[string]place.Site{}, states: map[string]*model.State{}}
	for line := range strings.Lines(text) {
		what, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		words := strings.Fields(what)
		if !ok || len(words) == 0 {
			return nil, fmt.Errorf("%q has no colon", line)
		}
		var err error
		switch words[0] {
		case "ranks":
			err = r.addRanks(size, words[1], unrollCalls(rest))
		case "message":
			err = r.addMessage(words[1], strings.Fields(rest))
		case "collective":
			err = r.addCollectives(words[1], strings.Fields(rest))
		case "error":
			err = r.addError(words[1], strings.Fields(rest))
		case "open":
			err = r.addOpen(words[1], strings.Fields(rest))
		case "sent":
			err = r.addSent(words[1], strings.Fields(rest))
		default:
			r.addPlace(what, strings.Fields(rest))
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	return r, nil
}

// addPlace takes "name: MPI_Send main:10 exchange:31".
func (r *testRun) addPlace(name string, words []string) {
	s := place.Site{Call: words[0]}
	for _, word := range words[1:] {
		function, line, _ := strings.Cut(word, ":")
		n, _ := strconv.Atoi(line)
		s.Steps = append(s.Steps, place.Step{Function: function, Line: n})
	}
	hash := fnv.New128a()
	hash.Write([]byte(s.Key()))
	r.sites[name] = s
	r.states[name] = &model.State{ID: model.StateID(hash.Sum(nil)), Call: s.Call}
}

// addRanks takes the calls of ranks. Without MPI_Finalize as the last one they were cut off in the last.
func (r *testRun) addRanks(size int, set string, calls []string) error {
	ranks, err := model.ParseRankSet(set)
	if err != nil {
		return err
	}
	m, last, err := r.newModel(calls)
	if err != nil {
		return err
	}
	members := make([]int, size)
	for i := range members {
		members[i] = i
	}
	ranks.Each(func(rank int) {
		k := &model.Rank{Rank: rank, Size: size, Phase: model.Running}
		if m.States[last].Call == "MPI_Finalize" {
			k.Phase = model.Finalized
		}
		k.Threads = []*model.Thread{{Model: m, Op: model.Op{State: last, InMPI: true}}}
		k.Comms = []*model.Comm{{ID: 1, Kind: model.World, Rank: rank, Members: members, Size: size, State: -1}}
		r.ranks = append(r.ranks, k)
	})
	return nil
}

func (r *testRun) newModel(calls []string) (m model.Model, last int, err error) {
	at := map[string]int{}
	last = -1
	for _, name := range calls {
		s, known := r.states[name]
		if !known {
			return m, 0, fmt.Errorf("no place %q", name)
		}
		i, visited := at[name]
		if !visited {
			i = len(m.States)
			at[name] = i
			m.States, m.Visits = append(m.States, s), append(m.Visits, 0)
		}
		m.Visits[i]++
		if last >= 0 {
			e := slices.IndexFunc(m.Edges, func(e model.Edge) bool { return e.From == last && e.To == i })
			if e < 0 {
				e = len(m.Edges)
				m.Edges = append(m.Edges, model.Edge{From: last, To: i})
			}
			m.Edges[e].Count++
		}
		last = i
	}
	return m, last, nil
}

// each calls f for the ranks of a set, with the state of a place in each.
func (r *testRun) each(set, name string, f func(k *model.Rank, state int)) error {
	ranks, err := model.ParseRankSet(set)
	if err != nil {
		return err
	}
	for _, k := range r.ranks {
		if ranks.Contains(k.Rank) {
			f(k, slices.Index(k.Threads[0].Model.States, r.states[name]))
		}
	}
	return nil
}

// addMessage takes "0-2: to +1 tag 5 60 isend" or "from"; "made=split" at the end is another communicator than the world.
func (r *testRun) addMessage(set string, words []string) error {
	distance, _ := strconv.Atoi(words[1])
	tag, _ := strconv.Atoi(words[3])
	count, _ := strconv.ParseUint(words[4], 10, 64)
	made, other := strings.CutPrefix(words[len(words)-1], "made=")
	if other {
		words = words[:len(words)-1]
	}
	name := ""
	if len(words) > 5 {
		name = words[5]
	}
	return r.each(set, name, func(k *model.Rank, state int) {
		peer := (k.Rank + distance + k.Size) % k.Size
		c := model.Channel{Peer: peer, Tag: tag, Received: count}
		if other {
			c.Comm = len(k.Comms)
			k.Comms = append(k.Comms, &model.Comm{Kind: model.Intra, Rank: k.Rank, Size: k.Size,
				State: slices.Index(k.Threads[0].Model.States, r.states[made])})
		}
		if words[0] == "to" {
			c.Sent, c.Received = count, 0
			if state >= 0 {
				k.Origins = append(k.Origins, model.Origin{Comm: c.Comm, Peer: peer, Tag: tag, Number: 1, State: state})
			}
		}
		k.Channels = append(k.Channels, c)
	})
}

// addCollectives takes "0-3: sum 5 root=0 op=MPI_SUM bytes=8 made=split": the latest five.
func (r *testRun) addCollectives(set string, words []string) error {
	n, _ := strconv.ParseUint(words[1], 10, 64)
	b := model.Begun{Root: model.None, Bytes: -1}
	made := ""
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		number, _ := strconv.Atoi(value)
		switch key {
		case "root":
			b.Root = number
		case "bytes":
			b.Bytes = int64(number)
		case "op":
			b.Op = value
		case "made":
			made = value
		}
	}
	return r.each(set, words[0], func(k *model.Rank, state int) {
		c := k.Comms[0]
		if made != "" {
			c = &model.Comm{Kind: model.Intra, State: slices.Index(k.Threads[0].Model.States, r.states[made])}
			k.Comms = append(k.Comms, c)
		}
		if c.History == nil {
			c.History = &model.History{}
		}
		for i := range n {
			b.Number, b.State = i+1, state
			c.History.Latest = append(c.History.Latest, b)
		}
	})
}

// addError takes "2: open 5 no such file": five errors.
func (r *testRun) addError(set string, words []string) error {
	n, _ := strconv.ParseUint(words[1], 10, 64)
	return r.each(set, words[0], func(k *model.Rank, state int) {
		k.Threads[0].Failed = []model.Failed{{State: state, Class: 1, Text: strings.Join(words[2:], " "), Count: n}}
	})
}

// addOpen takes "0: recv": a receive with a wildcard.
func (r *testRun) addOpen(set string, words []string) error {
	return r.each(set, words[0], func(k *model.Rank, state int) {
		k.Taken = append(k.Taken, model.Taken{State: state, AnySource: true})
	})
}

// addSent takes "0-3: isend 60 480": calls and bytes.
func (r *testRun) addSent(set string, words []string) error {
	calls, _ := strconv.ParseUint(words[1], 10, 64)
	bytes, _ := strconv.ParseUint(words[2], 10, 64)
	return r.each(set, words[0], func(k *model.Rank, state int) {
		k.Threads[0].Sent = append(k.Threads[0].Sent, model.Sent{State: state, Traffic: model.Traffic{Calls: calls, Bytes: bytes}})
	})
}

// read is the run as the analysis ranks have read it.
func (r *testRun) read() *runRead {
	out := newRunRead()
	for _, k := range r.ranks {
		out.addRanks([]*model.Rank{k})
	}
	return out
}

// placesOf numbers the places of runs as newPlaces does, without files to find names in.
func placesOf(runs []*testRun, read []*runRead) *places {
	p := &places{last: len(runs) - 1}
	for i, r := range runs {
		var sites []place.Site
		var stacks [][]symbol.Location
		for _, s := range read[i].States {
			for _, name := range slices.Sorted(maps.Keys(r.states)) {
				if r.states[name].ID == s.ID {
					sites = append(sites, r.sites[name])
					stacks = append(stacks, []symbol.Location{{Call: symbol.Call{Function: name}}})
					break
				}
			}
		}
		numbers := make([]int, len(sites))
		for k := range numbers {
			numbers[k] = k
		}
		p.addSites(i, sites, stacks, numbers)
	}
	return p
}

// formatFindings writes findings by the names of places.
func formatFindings(list []Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s: ranks %s at %s", f.Kind, f.Ranks, nameOf(&f.At))
		for _, p := range f.More {
			b.WriteString(", " + nameOf(&p))
		}
		if f.After != nil {
			b.WriteString(" after " + nameOf(f.After))
		}
		if f.Next != nil {
			b.WriteString(" next " + nameOf(f.Next))
		}
		fmt.Fprintf(&b, ": %g, good %g", f.Bad, f.Good)
		if f.BadIs != "" {
			fmt.Fprintf(&b, " (%s; good %s)", f.BadIs, cmp.Or(f.GoodIs, "none"))
		}
		if f.StillIn {
			b.WriteString(" still in")
		}
		b.WriteByte('\n')
	}
	return cmp.Or(b.String(), "none\n")
}

func nameOf(p *Place) string {
	switch {
	case p.Bad != nil:
		return p.Bad[0].Function
	case p.Good != nil:
		return p.Good[0].Function
	}
	return "?"
}
