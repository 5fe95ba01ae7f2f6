package diagnosis

import (
	"cmp"
	"slices"
	"strings"

	"laggard/analysis/known"
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
	"laggard/symbol/outside"
)

// maxLocations bounds the locations that are listed rank by rank; beyond it
// there is one for all ranks at the same place.
const maxLocations = 64

// Source is what a Result is made from.
type Source struct {
	Run report.Run
	*progress.Result
	Resolver *symbol.Resolver
	Known    known.Table // issues that a hang is compared with
}

// New makes the result, without its slices, its Analysis and the sources.
func New(s Source) *Result {
	f := s.Diagnosis
	r := &Result{
		SchemaVersion:   report.SchemaVersion,
		Run:             s.Run,
		Ranks:           f.Size,
		Hang:            f.Hang,
		Running:         s.Running,
		Deadlock:        Deadlock{Cycles: [][]int{}},
		LostRanks:       []int{},
		Losses:          []Loss{},
		DamagedRanks:    list(s.Damaged),
		UnfinishedRanks: list(f.Unfinished),
		RankOrder:       []string{},
		Groups:          []Group{},
		Edges:           []Edge{},
		ProgressOrder:   f.ProgressOrder,
		Notes:           words.AllPrintable(f.Notes),
		Problems:        words.AllPrintable(s.Problems),
	}
	if r.ProgressOrder == nil {
		r.ProgressOrder = [][]int{}
	}
	for _, level := range f.RankOrder {
		r.RankOrder = append(r.RankOrder, level.String())
	}
	if f.Deadlock != nil {
		r.Deadlock.Cycles = f.Deadlock.Cycles
	}
	var lost model.RankSet
	for _, l := range f.Lost {
		lost = lost.Union(l.Ranks)
		r.Losses = append(r.Losses, Loss{l.Ranks.String(), words.Printable(l.Reason)})
	}
	r.LostRanks = list(lost)
	r.Divergences = s.divergences()
	for _, t := range f.Taken {
		r.Taken = append(r.Taken, s.taken(t))
	}
	s.graph(r)
	r.Differences, r.Library = s.differences(r), s.library()
	r.Exceptions = s.exceptions()
	if f.LeastProgressed != nil {
		r.LeastProgressed = s.least(f.LeastProgressed)
		s.reason(r)
	}
	r.Extra.Comms = communicators(s.Comms)
	if s.Compared != nil {
		r.Extra.Compared = New(Source{s.Run, s.Compared, s.Resolver, s.Known})
		r.Extra.Compared.Analysis.Algorithm = s.Compared.Algorithm
	}
	return r
}

// reason fills in why the ranks are named, and why the job hangs if it does: with what they
// called in the words of the program, and the exceptions that tell them from others.
func (s Source) reason(r *Result) {
	text := s.LeastProgressed.Reason
	if s.LeastProgressed.Cause.Parting() {
		text += r.called()
	}
	text += r.raised()
	r.LeastProgressed.Reason, r.LeastProgressed.Confidence = words.Printable(text), s.LeastProgressed.Confidence
	r.Cause = causeOf(s.Diagnosis, text)
}

// causeOf is why the job hangs; nil: it does not.
func causeOf(f progress.Diagnosis, text string) *Cause {
	l := f.LeastProgressed
	if !f.Hang {
		return nil
	}
	if who := l.Ranks.Phrase(); !strings.Contains(text, who) {
		text = who + ": " + text
	}
	text = words.Printable(text)
	return &Cause{string(cmp.Or(l.Cause, progress.CauseUnknown)), l.Ranks.String(), text}
}

func (s Source) graph(r *Result) {
	for _, g := range s.Groups {
		r.Groups = append(r.Groups, Group{
			ID: g.ID, Ranks: g.Ranks.String(), Count: g.Ranks.Len(), Isolated: g.Isolated, Least: g.Least,
			State: State{
				Kind: string(g.Kind), MPI: words.Printable(g.Call),
				Stack: report.Frames(symbol.Trim(s.Resolver.Stack(g.Stack, false))),
			},
		})
	}
	for _, e := range s.Edges {
		r.Edges = append(r.Edges, Edge{
			From: e.From, To: e.To, Kind: string(e.Kind), Weak: e.Weak, Reason: words.Printable(e.Reason),
		})
	}
}

func (s Source) least(l *progress.LeastProgressed) *LeastProgressed {
	out := &LeastProgressed{
		Ranks: list(l.Ranks), Set: l.Ranks.String(), Method: l.Method, Confidence: l.Confidence,
		Locations: []Location{},
	}
	for _, place := range l.Locations {
		one := s.location(place)
		if l.Ranks.Len() > maxLocations {
			out.Locations = append(out.Locations, s.at(one, place.Ranks.Min()))
			continue
		}
		place.Ranks.Each(func(rank int) { out.Locations = append(out.Locations, s.at(one, rank)) })
	}
	return out
}

func (s Source) location(place progress.Location) Location {
	stack := slices.DeleteFunc(symbol.Trim(s.Resolver.Stack(place.Stack, place.Captured)), symbol.Recorder)
	out := Location{
		Ranks: place.Ranks.String(), Site: report.NewSite(stack), Stack: report.Frames(stack),
		After: words.Printable(place.After), Captured: place.Captured,
	}
	wait := outside.Of(stack)
	out.Within = wait.Within
	if place.Call != "" {
		call := words.Printable(place.Call)
		out.InMPI = &call
	} else if place.Captured {
		out.WaitsFor = wait.For
	}
	return out
}

func (s Source) at(l Location, rank int) Location {
	l.Rank = rank
	if p, ok := s.Processes[rank]; ok {
		l.Host, l.PID, l.Contained = words.Printable(p.Host), p.PID, p.Contained
		if !p.Since.IsZero() {
			since := p.Since.UTC()
			l.Since = &since
		}
	}
	return l
}

func list(s model.RankSet) []int {
	if out := s.Slice(); out != nil {
		return out
	}
	return []int{}
}
