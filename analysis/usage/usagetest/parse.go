package usagetest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// Parse reads a transcript; the traces are in order of rank. An error names the line.
func Parse(text string) ([]*recorded.Trace, error) {
	p := &parser{ranks: map[int]*rank{}, handles: map[string]int64{}, comms: map[string]*model.Comm{},
		nextBuffer: 0x100000}
	p.addWorld()
	lines := strings.Split(text, "\n")
	if err := p.countRanks(lines); err != nil {
		return nil, err
	}
	for i, line := range lines {
		p.line = i + 1
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.parseLine(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	return p.allTraces(), nil
}

// parser holds what is known so far.
type parser struct {
	line       int
	ranks      map[int]*rank
	count      int
	handles    map[string]int64 // numbers of the named handles, the same at all ranks
	comms      map[string]*model.Comm
	nextBuffer int64
}

// rank is one of the traces.
type rank struct {
	*recorded.Trace
	calls  []*recorded.Call
	place  uint64
	comms  map[string]int
	types  map[string]int
	later  map[int]int // by thread: the call that returns later
	byLine map[int]int // calls by line
	sites  map[string]int
}

var (
	callForm    = regexp.MustCompile(`^([\d,-]+)(?:\.(\d+))?: (MPIX?_\w+)\((.*?)\)(?: -> (.*?))?(?: @ (\S+))?$`)
	returnsForm = regexp.MustCompile(`^(\d+)\.(\d+): returns$`)
	rankForm    = regexp.MustCompile(`^rank ([\d,-]+): (.*)$`)
	noteForm    = regexp.MustCompile(
		`^note (\d+): (send|receive) buffer of (line|call) (\d+) (changed|read|written)(?:, seen at (?:line|call) (\d+))?$`)
	placeForm = regexp.MustCompile(`^note (\d+): no place for (\w+) of (line|call) (\d+)$`)
	groupForm = regexp.MustCompile(`^(comm|win|file) (\w+) ([\d,-]+)(.*)$`)
)

// countRanks finds the ranks that the transcript is about.
func (p *parser) countRanks(lines []string) error {
	for i, line := range lines {
		for _, form := range []*regexp.Regexp{callForm, rankForm, groupForm} {
			m := form.FindStringSubmatch(strings.TrimSpace(strings.Split(line, "#")[0]))
			if m == nil {
				continue
			}
			text := m[1]
			if form == groupForm {
				text = m[3]
			}
			set, err := model.ParseRankSet(text)
			if err != nil {
				return fmt.Errorf("line %d: %w", i+1, err)
			}
			for _, r := range set.Slice() {
				p.count = max(p.count, r+1)
			}
		}
	}
	w := p.comms["world"]
	for r := range p.count {
		w.Members = append(w.Members, r)
	}
	w.Size = p.count
	return nil
}

func (p *parser) addWorld() {
	p.comms["world"] = &model.Comm{ID: 1, Kind: model.World}
	p.comms["self"] = &model.Comm{ID: 2, Kind: model.Self, Size: 1}
}

func (p *parser) parseLine(line string) error {
	if m := returnsForm.FindStringSubmatch(line); m != nil {
		return p.parseReturns(parseInt(m[1]), parseInt(m[2]))
	}
	if m := callForm.FindStringSubmatch(line); m != nil {
		return p.parseCall(m)
	}
	if m := rankForm.FindStringSubmatch(line); m != nil {
		return p.parseRankLine(m[1], m[2])
	}
	if m := noteForm.FindStringSubmatch(line); m != nil {
		return p.parseNote(parseInt(m[1]), m[2:], parseInt(m[4]))
	}
	if m := placeForm.FindStringSubmatch(line); m != nil {
		return p.parseNullNote(parseInt(m[1]), m[2], m[3] == "call", parseInt(m[4]))
	}
	if m := groupForm.FindStringSubmatch(line); m != nil {
		return p.parseComm(m)
	}
	return fmt.Errorf("not understood: %q", line)
}

func parseInt(text string) int {
	n, _ := strconv.Atoi(text) // the forms let only digits through
	return n
}

// rankAt returns a rank, made when it is first named.
func (p *parser) rankAt(r int) *rank {
	if p.ranks[r] == nil {
		p.ranks[r] = newRank(r, p.count)
	}
	return p.ranks[r]
}

func newRank(r, size int) *rank {
	return &rank{
		Trace: &recorded.Trace{
			Rank: r, Size: size, Host: "node0", Family: "openmpi",
			Phase: model.Finalized, End: model.Exited, ThreadLevel: 0,
			Complete: true, Names: predefinedNames(),
		},
		comms: map[string]int{}, types: map[string]int{}, later: map[int]int{}, byLine: map[int]int{},
		sites: map[string]int{},
	}
}

// parseRankLine reads what is said of ranks: key=value.
func (p *parser) parseRankLine(ranks, text string) error {
	set, err := model.ParseRankSet(ranks)
	if err != nil {
		return err
	}
	fields, err := splitFields(text, ' ')
	if err != nil {
		return err
	}
	for _, r := range set.Slice() {
		for _, f := range fields {
			key, value, _ := strings.Cut(f, "=")
			if err := p.rankAt(r).setProperty(key, strings.Trim(value, `"`)); err != nil {
				return err
			}
		}
	}
	return nil
}

var ends = map[string]model.End{"none": model.NoEnd, "exited": model.Exited, "signalled": model.Signalled,
	"aborted": model.Aborted}

var phases = map[string]model.Phase{"starting": model.Starting, "running": model.Running,
	"finalizing": model.Finalizing, "finalized": model.Finalized}

func (r *rank) setProperty(key, value string) error {
	var ok bool
	switch key {
	case "end":
		r.End, ok = ends[value]
	case "phase":
		r.Phase, ok = phases[value]
	case "incomplete":
		r.Complete, r.Why, ok = false, value, true
	case "signal":
		n, err := strconv.Atoi(value)
		r.End, r.Signal, ok = model.Signalled, n, err == nil
	case "family":
		r.Family, ok = mpi.Family(value), true
	case "host":
		r.Host, ok = value, true
	case "thread_level":
		n, err := strconv.Atoi(value)
		r.ThreadLevel, ok = n, err == nil
	}
	if !ok {
		return fmt.Errorf("%s=%s is not known of a rank", key, value)
	}
	return nil
}

// callAt returns the call of a line, or the n-th if they are counted.
func (k *rank) callAt(n int, counted bool) (*recorded.Call, error) {
	i, ok := k.byLine[n]
	if counted {
		i, ok = n-1, n >= 1 && n <= len(k.calls)
	}
	if !ok {
		return nil, fmt.Errorf("rank %d has no call %d", k.Rank, n)
	}
	return k.calls[i], nil
}

// parseNote reads what the recorder saw, from the side on; calls are named by their line in the transcript,
// or by their number at the rank as in a dump.
func (p *parser) parseNote(r int, words []string, begun int) error {
	side, counted, did, seen := words[0], words[1] == "call", words[3], words[4]
	k := p.rankAt(r)
	n := recorded.Note{Kind: recorded.SendBufferChanged}
	switch {
	case did != "changed":
		n.Kind, n.Received, n.Write = recorded.BufferTouched, side == "receive", did == "written"
	case side == "receive":
		n.Kind = recorded.ReceiveBufferChanged
	}
	call, err := k.callAt(begun, counted)
	if err != nil {
		return err
	}
	n.Call = call.Begin
	if seen != "" {
		if call, err = k.callAt(parseInt(seen), counted); err != nil {
			return err
		}
		n.Seen = call.Begin
	}
	k.Notes = append(k.Notes, n)
	return nil
}

// parseNullNote reads that a call was given a null pointer for a result.
func (p *parser) parseNullNote(r int, name string, counted bool, at int) error {
	k := p.rankAt(r)
	call, err := k.callAt(at, counted)
	if err != nil {
		return err
	}
	place := slices.IndexFunc(call.Func.Params, func(x mpi.Param) bool { return x.Name == name })
	if place < 0 {
		return fmt.Errorf("%s has no parameter %s", call.Func.Name, name)
	}
	k.Notes = append(k.Notes, recorded.Note{Kind: recorded.NoPlace, Call: call.Begin, Seen: call.Begin, Value: int64(place)})
	return nil
}

// commKinds says what a communicator is by the word that begins its line, or by
// the type of its handle.
var commKinds = map[string]model.CommKind{
	"win": model.Window, "MPI_Win": model.Window, "file": model.File, "MPI_File": model.File,
}

// parseComm reads the members of a communicator, window or file.
func (p *parser) parseComm(m []string) error {
	members, err := model.ParseRankSet(m[3])
	if err != nil {
		return err
	}
	c := &model.Comm{ID: uint64(len(p.comms) + 1), Kind: commKinds[m[1]], Members: members.Slice(), Size: members.Len()}
	fields := strings.Fields(m[4])
	for i := 0; i+1 < len(fields); i += 2 {
		set, err := model.ParseRankSet(fields[i+1])
		if err != nil {
			return err
		}
		if c.Neighbours == nil && fields[i] != "remote" {
			c.Neighbours = &model.Neighbours{}
		}
		switch fields[i] {
		case "remote":
			c.Kind, c.Remote, c.RemoteSize = model.Inter, set.Slice(), set.Len()
		case "dests":
			c.Neighbours.Dests = set.Slice()
		case "sources":
			c.Neighbours.Sources = set.Slice()
		default:
			return fmt.Errorf("%s is not known of a communicator", fields[i])
		}
	}
	p.comms[m[2]] = c
	return nil
}

// parseReturns lets the call of a thread return that was left open.
func (p *parser) parseReturns(r, thread int) error {
	k := p.rankAt(r)
	i, ok := k.later[thread]
	if !ok {
		return fmt.Errorf("thread %d of rank %d is in no call", thread, r)
	}
	delete(k.later, thread)
	k.place++
	k.calls[i].Return = k.place
	return nil
}

// parseCall reads a call of one rank or several.
func (p *parser) parseCall(m []string) error {
	set, err := model.ParseRankSet(m[1])
	if err != nil {
		return err
	}
	f := mpi.FindFunction(m[3])
	if f == nil {
		return fmt.Errorf("%s is not a function of MPI", m[3])
	}
	given, err := parseAssignments(m[4])
	if err != nil {
		return err
	}
	for _, r := range set.Slice() {
		k := p.rankAt(r)
		c := &call{p: p, r: k, f: f, given: given, results: map[string]string{}}
		if err := c.parseReturn(m[5]); err != nil {
			return err
		}
		made, err := c.toRecorded()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		made.Site, made.Thread = k.siteIndex(m[6], p.line), parseInt(m[2])
		k.byLine[p.line] = len(k.calls)
		if c.later {
			k.later[made.Thread] = len(k.calls)
		}
		k.calls = append(k.calls, &made)
		k.Initialises = k.Initialises || f.InClass(mpi.ClassInit, mpi.ClassSessionInit)
	}
	return nil
}

// siteIndex returns the place in the source: a frame whose offset is the line.
func (r *rank) siteIndex(text string, line int) int {
	if text == "" {
		text = fmt.Sprint("t.c:", line)
	}
	if i, ok := r.sites[text]; ok {
		return i
	}
	file, at, _ := strings.Cut(text, ":")
	offset, _ := strconv.ParseUint(at, 0, 64)
	m := &model.Module{BuildID: fmt.Sprintf("%x", file), Path: file}
	r.Sites = append(r.Sites, recorded.Site{Stack: []model.Frame{{Module: m, Offset: offset}}})
	r.sites[text] = len(r.Sites) - 1
	return r.sites[text]
}

func (p *parser) allTraces() []*recorded.Trace {
	out := make([]*recorded.Trace, 0, p.count)
	for r := range p.count {
		k := p.rankAt(r)
		k.Calls, k.CallNumber = slices.Values(k.calls), len(k.calls)
		out = append(out, k.Trace)
	}
	return out
}

// parseAssignments reads «a=1, b=[1,2], c=(1,2,3)».
func parseAssignments(text string) (map[string]string, error) {
	out := map[string]string{}
	fields, err := splitFields(text, ',')
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		key, value, ok := strings.Cut(f, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not name=value", f)
		}
		out[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return out, nil
}

// splitFields cuts at a separator outside brackets and quotes, and leaves out what is empty.
func splitFields(text string, by rune) ([]string, error) {
	var out []string
	depth, start, quoted := 0, 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case c == by && depth == 0:
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	if depth != 0 || quoted {
		return nil, fmt.Errorf("brackets or quotes of %q do not match", text)
	}
	out = append(out, text[start:])
	kept := out[:0]
	for _, s := range out {
		if s = strings.TrimSpace(s); s != "" {
			kept = append(kept, s)
		}
	}
	return kept, nil
}
