package timeline

import (
	"bytes"
	"slices"
	"time"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline"
	"laggard/model"
	"laggard/report"
	slownessreport "laggard/report/slowness"
	"laggard/report/words"
)

// Timeline is what the ranks of a job did over time.
type Timeline struct {
	SchemaVersion int           `json:"schema_version"` // see Compatibility
	Run           report.Run    `json:"run"`            // the run
	Sampled       string        `json:"sampled"`        // ranks with samples
	Begin         time.Time     `json:"begin"`          // of the first column
	Seconds       int64         `json:"seconds"`        // length of a column
	Rate          []float64     `json:"rate"`           // by column: iterations per second of a rank, on average; 0 unknown
	Rows          []Row         `json:"rows"`           // ranks, or ranks that are alike, by the lowest rank
	Places        []report.Site `json:"places"`         // that rows name by index
	Events        []Event       `json:"events"`         // slowdowns and recoveries, in order of time
	Notes         []string      `json:"notes"`          // what else is to be known of the run
	Problems      []string      `json:"problems"`       // what was missing or damaged
}

// Row is what one rank did, or several that are alike. The lists have an entry for each column.
type Row struct {
	Ranks     string    `json:"ranks"`     // the ranks
	Hosts     []string  `json:"hosts"`     // their nodes
	Computing []float64 `json:"computing"` // parts of the time, 0 to 1, outside MPI
	Waiting   []float64 `json:"waiting"`   // inside MPI
	IO        []float64 `json:"io"`        // in MPI-IO, or asleep on a disk
	Absent    []float64 `json:"absent"`    // without samples: stopped, or without a processor throughout
	Starved   []float64 `json:"starved"`   // ready to run but without a processor; a part of the others
	Ran       []bool    `json:"ran"`       // a process of the row existed
	Place     []int     `json:"place"`     // index into places: where they were sampled most; -1 none
	WaitsFor  []int     `json:"waits_for"` // rank that they waited for most; -1 none or unknown, -2 several
}

// Event is a moment from which the job or some ranks were slower, or as fast as before again.
type Event struct {
	Kind  string    `json:"kind"`  // slowdown or recovery
	Text  string    `json:"text"`  // one sentence about it
	Begin time.Time `json:"begin"` // when the speed changed
	Ranks string    `json:"ranks"` // at which the cause lies; "" none can be named
}

// Source is what a Timeline is made of.
type Source struct {
	Result *timeline.Result
	Events []slowness.Event
	Site   func(*model.State) report.Site // names the place of a state
}

// New makes a Timeline.
func New(s Source) *Timeline {
	r := s.Result
	out := &Timeline{
		SchemaVersion: report.SchemaVersion, Run: report.NewRun(r.Index), Sampled: r.Sampled.String(), Begin: r.Scale.Time(0),
		Seconds: r.Scale.Width, Rate: rates(r), Rows: []Row{}, Places: []report.Site{}, Events: []Event{},
		Notes: words.AllPrintable(r.Notes), Problems: words.AllPrintable(r.Problems),
	}
	for _, state := range r.States {
		out.Places = append(out.Places, s.Site(state))
	}
	for i := range r.Rows {
		out.Rows = append(out.Rows, newRow(&r.Rows[i], r.States))
	}
	for i := range s.Events {
		e := &s.Events[i]
		out.Events = append(out.Events, Event{string(e.Kind), slownessreport.Describe(e), e.Begin, e.Ranks.String()})
	}
	return out
}

// rates are those of the loop that most ranks were in, by column.
func rates(r *timeline.Result) []float64 {
	out := make([]float64, r.Scale.Columns)
	for i := range out {
		var most timeline.Turns
		for _, loop := range r.Loops {
			if loop.Turns[i].Seconds > most.Seconds {
				most = loop.Turns[i]
			}
		}
		out[i] = most.Rate()
	}
	return out
}

func newRow(row *timeline.Row, states []*model.State) Row {
	out := Row{Ranks: row.Ranks.String(), Hosts: words.AllPrintable(row.Hosts)}
	for i := range row.Columns {
		c := &row.Columns[i]
		part := func(n uint64) float64 { return float64(int(100*float64(n)/float64(max(c.Expected, 1))+0.5)) / 100 }
		out.Computing = append(out.Computing, part(c.Computing))
		out.Waiting = append(out.Waiting, part(c.Waiting))
		out.IO = append(out.IO, part(c.IO))
		out.Absent = append(out.Absent, part(c.Absent))
		out.Starved = append(out.Starved, part(c.Starved))
		out.Ran = append(out.Ran, c.Expected > 0)
		out.Place = append(out.Place, placeOf(c, states))
		out.WaitsFor = append(out.WaitsFor, c.Peer)
	}
	return out
}

func placeOf(c *timeline.Column, states []*model.State) int {
	most := c.Place()
	if most.Samples == 0 {
		return -1
	}
	byID := func(s *model.State, id model.StateID) int { return bytes.Compare(s.ID[:], id[:]) }
	at, ok := slices.BinarySearchFunc(states, most.State, byID)
	if !ok {
		return -1
	}
	return at
}

// Doing is what the ranks of a row did most in a column.
type Doing byte

// What they can do, by the letters of the text form.
const (
	Computing Doing = 'c'
	Waiting   Doing = 'w'
	IO        Doing = 'i'
	Starved   Doing = 's'
	Absent    Doing = '-'
	Nothing   Doing = ' ' // no process ran
)

// doings in the order of the legend, with their names.
var doings = []struct {
	doing Doing
	name  string
}{{Computing, "computes"}, {Waiting, "waits in MPI"}, {IO, "waits for files"}, {Starved, "no CPU"}, {Absent, "stopped"}}

// Doing is what the ranks did most in a column. Those that lack a processor half of the time do so whatever else they do.
func (r *Row) Doing(column int) Doing {
	if !r.Ran[column] {
		return Nothing
	}
	if r.Starved[column] >= 0.5 {
		return Starved
	}
	best, part := Computing, r.Computing[column]
	for _, other := range []struct {
		doing Doing
		part  float64
	}{{Waiting, r.Waiting[column]}, {IO, r.IO[column]}, {Absent, r.Absent[column]}} {
		if other.part > part {
			best, part = other.doing, other.part
		}
	}
	return best
}

// spell is columns in a row in which ranks did the same.
type spell struct {
	Doing       Doing
	First, Next int // columns
}

// spells are those of a row, without times in which no process ran. same reports what else must not change.
func (r *Row) spells(same func(a, b int) bool) (out []spell) {
	for i := range r.Ran {
		d := r.Doing(i)
		if n := len(out); n > 0 && out[n-1].Doing == d && out[n-1].Next == i && same(i-1, i) {
			out[n-1].Next++
		} else if d != Nothing {
			out = append(out, spell{d, i, i + 1})
		}
	}
	return out
}

// mean of a list over the columns in which a process ran.
func (r *Row) mean(list []float64) float64 {
	sum, n := 0.0, 0
	for i, v := range list {
		if r.Ran[i] {
			sum += v
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// Time is when a column begins.
func (t *Timeline) Time(column int) time.Time {
	return t.Begin.Add(time.Duration(int64(column)*t.Seconds) * time.Second)
}
