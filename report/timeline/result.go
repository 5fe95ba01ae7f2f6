package timeline

import (
	"cmp"
	"slices"
	"time"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline"
	"laggard/model"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"

	slownessreport "laggard/report/slowness"
)

// Result is what the ranks of a run did over time. The lists of a Row and of a Loop have an entry for each column.
type Result struct {
	SchemaVersion int        `json:"schema_version"` // version of this JSON form
	Run           report.Run `json:"run"`            // the run that was analysed
	Ranks         int        `json:"ranks"`          // size of MPI_COMM_WORLD; 0: unknown
	Sampled       string     `json:"sampled"`        // ranks with samples
	Begin         time.Time  `json:"begin"`          // of the first column
	Seconds       int64      `json:"seconds"`        // length of a column
	Columns       int        `json:"columns"`        // number of columns
	Places        []Place    `json:"places"`         // calls, and the computation behind them, that rows and loops refer to
	Rows          []Row      `json:"rows"`           // by their lowest rank
	Loops         []Loop     `json:"loops"`          // how fast the ranks iterate: the loops that they were in for the longest time
	Events        []Event    `json:"events"`         // slowdowns and recoveries, in order of time
	Notes         []string   `json:"notes"`          // remarks on the run, see docs/reference/notes.md#any-analysis
	Problems      []string   `json:"problems"`       // what was missing or damaged in the data
}

// Row is what one rank did, or several ranks that are alike. Shares are in percent of the time of these ranks.
type Row struct {
	Ranks     string   `json:"ranks"`     // the ranks
	Count     int      `json:"count"`     // number of ranks
	Hosts     []string `json:"hosts"`     // their nodes
	Computing []int    `json:"computing"` // outside MPI
	Waiting   []int    `json:"waiting"`   // inside an MPI call, or between polls that found nothing
	IO        []int    `json:"io"`        // in MPI-IO, or asleep on a disk
	Absent    []int    `json:"absent"`    // without samples: stopped, or without a processor throughout
	Starved   []int    `json:"starved"`   // ready to run but without a processor; a part of the others
	Alive     []int    `json:"alive"`     // 100: all of these ranks ran
	Place     []int    `json:"place"`     // position in places of where they were found most; -1 unknown
	WaitsFor  []int    `json:"waits_for"` // rank that they waited for most; -1 none or unknown, -2 several
}

// Place is an MPI call, or the computation behind it.
type Place struct {
	MPI  string      `json:"mpi"`  // the MPI function
	Site report.Site `json:"site"` // the program's line that makes the call
}

// Loop is how fast the ranks went through a loop.
type Loop struct {
	Place int       `json:"place"` // position in places of a call that comes once in each turn
	Rate  []float64 `json:"rate"`  // turns per second of a rank; 0 unknown
}

// Event is a moment from which the job was slower, or as fast as before again.
type Event struct {
	Kind  string    `json:"kind"`  // slowdown, recovery, settled or other_loop
	Begin time.Time `json:"begin"` // estimate of when the speed changed
	Ranks string    `json:"ranks"` // at which the cause lies; "" none can be named
	Text  string    `json:"text"`  // what happened, in words
}

// Source is what a Result is made from.
type Source struct {
	Run      report.Run
	Found    *timeline.Result
	Slow     *slowness.Result // nil: it was not found out
	Resolver *symbol.Resolver
}

// New makes the result.
func New(s Source) *Result {
	f := s.Found
	r := &Result{
		SchemaVersion: report.SchemaVersion, Run: s.Run, Ranks: f.Index.Size, Sampled: f.Sampled.String(), Begin: f.Scale.Time(0),
		Seconds: f.Scale.Width, Columns: f.Scale.Columns, Places: []Place{}, Rows: []Row{}, Loops: []Loop{}, Events: []Event{},
		Notes: words.AllPrintable(f.Notes), Problems: words.AllPrintable(f.Problems),
	}
	at := map[model.StateID]int{}
	for i, state := range f.States {
		at[state.ID] = i
		stack := s.Resolver.ResolveProgramStack(state.Stack, false)
		r.Places = append(r.Places, Place{words.Printable(state.Call), report.NewSite(stack)})
	}
	for i := range f.Rows {
		r.Rows = append(r.Rows, newRow(&f.Rows[i], at))
	}
	for _, loop := range mostLooped(f.Loops) {
		one := Loop{Place: at[loop.State]}
		for _, turns := range loop.Turns {
			one.Rate = append(one.Rate, turns.Rate())
		}
		r.Loops = append(r.Loops, one)
	}
	if s.Slow != nil {
		for i := range s.Slow.Events {
			e := &s.Slow.Events[i]
			r.Events = append(r.Events, Event{
				string(e.Kind), e.Begin.UTC(), e.Ranks.String(), words.Printable(slownessreport.Sentence(e)),
			})
		}
	}
	return r
}

// maxLoops is how many loops are shown: ranks that do different things have different ones.
const maxLoops = 3

// mostLooped are the loops that ranks were in for the longest time, longest first.
func mostLooped(loops []timeline.Loop) []timeline.Loop {
	seconds := func(l timeline.Loop) (sum uint64) {
		for _, turns := range l.Turns {
			sum += turns.Seconds
		}
		return sum
	}
	out := slices.Clone(loops)
	slices.SortStableFunc(out, func(a, b timeline.Loop) int { return cmp.Compare(seconds(b), seconds(a)) })
	return out[:min(len(out), maxLoops)]
}

func newRow(row *timeline.Row, at map[model.StateID]int) Row {
	out := Row{Ranks: row.Ranks.String(), Count: row.Ranks.Len(), Hosts: words.AllPrintable(row.Hosts)}
	var most uint64 // samples that a column could have
	for i := range row.Columns {
		most = max(most, row.Columns[i].Expected)
	}
	for i := range row.Columns {
		c := &row.Columns[i]
		percent := func(samples uint64) int { return int((200*samples + c.Expected) / max(1, 2*c.Expected)) }
		out.Computing = append(out.Computing, percent(c.Computing))
		out.Waiting = append(out.Waiting, percent(c.Waiting))
		out.IO = append(out.IO, percent(c.IO))
		out.Absent = append(out.Absent, percent(c.Absent))
		out.Starved = append(out.Starved, min(100, percent(c.Starved)))
		out.Alive = append(out.Alive, int(100*c.Expected/max(1, most)))
		out.WaitsFor = append(out.WaitsFor, c.Peer)
		place := -1
		if p := c.Place(); p.Samples > 0 {
			place = at[p.State]
		}
		out.Place = append(out.Place, place)
	}
	return out
}

// String names a place: the program's line, with the call that it makes.
func (p Place) String() string {
	if p.Site == (report.Site{}) {
		return p.MPI
	}
	return p.MPI + " at " + p.Site.String()
}

// time is when a column begins.
func (r *Result) time(column int) time.Time {
	return r.Begin.Add(time.Duration(int64(column)*r.Seconds) * time.Second)
}
