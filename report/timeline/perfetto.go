package timeline

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"laggard/model"
)

// traceEvent is one of the trace event format, which Perfetto and chrome://tracing read. Times are in microseconds.
type traceEvent struct {
	Phase    string         `json:"ph"` // X a slice, C a counter, i an instant, M a name
	Name     string         `json:"name"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid,omitempty"`
	Time     int64          `json:"ts"`
	Duration int64          `json:"dur,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// jobProcess is the process of the trace that has what is true of the whole job. Hosts are those behind it.
const jobProcess = 1

// Perfetto writes the result as a trace: a process for each host, a thread for each rank, a slice for the time in which a rank
// did the same at the same place, and counters and events of the job. Each row is to be one rank.
func Perfetto(w io.Writer, r *Result) error {
	out := traceWriter{w: w}
	out.add(traceEvent{Phase: "M", Name: "process_name", Process: jobProcess, Args: map[string]any{"name": "job"}})
	hosts := map[string]int{}
	for i := range r.Rows {
		out.addRank(r, &r.Rows[i], hosts)
	}
	out.addCounters(r)
	for _, e := range r.Events {
		out.add(traceEvent{Phase: "i", Name: e.Text, Process: jobProcess, Time: e.Begin.UnixMicro(), Scope: "g"})
	}
	out.write("\n]}\n")
	return out.err
}

// traceWriter writes events, each on a line. The first error stays.
type traceWriter struct {
	w     io.Writer
	begun bool
	err   error
}

func (t *traceWriter) write(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, text)
	}
}

func (t *traceWriter) add(e traceEvent) {
	line, err := json.Marshal(e)
	if t.err == nil {
		t.err = err
	}
	if t.begun {
		t.write(",\n")
	} else {
		t.write("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n")
	}
	t.begun = true
	t.write(string(line))
}

// addRank adds the track of a row.
func (t *traceWriter) addRank(r *Result, row *Row, hosts map[string]int) {
	ranks, _ := model.ParseRankSet(row.Ranks)
	host, thread := strings.Join(row.Hosts, ", "), ranks.Min()+1
	if hosts[host] == 0 {
		hosts[host] = jobProcess + 1 + len(hosts)
		t.add(traceEvent{Phase: "M", Name: "process_name", Process: hosts[host], Args: map[string]any{"name": host}})
	}
	name := map[string]any{"name": "rank " + row.Ranks}
	t.add(traceEvent{Phase: "M", Name: "thread_name", Process: hosts[host], Thread: thread, Args: name})
	for from := 0; from < len(row.Alive); {
		to := from + 1
		for to < len(row.Alive) && row.describe(r, to) == row.describe(r, from) {
			to++
		}
		if name := row.describe(r, from); name != "" {
			args := map[string]any{"computing %": mean(row.Computing[from:to]), "waiting %": mean(row.Waiting[from:to]),
				"io %": mean(row.IO[from:to]), "no samples %": mean(row.Absent[from:to]), "no CPU %": mean(row.Starved[from:to])}
			t.add(traceEvent{Phase: "X", Name: name, Process: hosts[host], Thread: thread, Time: r.time(from).UnixMicro(),
				Duration: r.time(to).Sub(r.time(from)).Microseconds(), Args: args})
		}
		from = to
	}
}

func mean(list []int) int { return sum(list) / max(1, len(list)) }

// describe says what a row did most in a column, where, and for whom it waited; "" it did not run.
func (r *Row) describe(all *Result, column int) string {
	if r.Alive[column] == 0 {
		return ""
	}
	at := ""
	if p := r.Place[column]; p >= 0 {
		at = all.Places[p].String()
	}
	shares := []int{r.Computing[column], r.Waiting[column], r.IO[column], r.Absent[column]}
	switch most := slices.Max(shares); slices.Index(shares, most) {
	case 0:
		return strings.TrimSuffix("computing after "+at, " after ")
	case 1:
		text := strings.TrimSuffix("waiting in "+at, " in ")
		if peer := r.WaitsFor[column]; peer >= 0 {
			text += fmt.Sprintf(" for rank %d", peer)
		}
		return text
	case 2:
		return "I/O"
	}
	return "no samples (stopped)"
}

// addCounters adds the rates of the loops, and the shares of all ranks.
func (t *traceWriter) addCounters(r *Result) {
	for column := range r.Columns {
		at := r.time(column).UnixMicro()
		for _, loop := range r.Loops {
			if rate := loop.Rate[column]; rate > 0 {
				name := "iterations/s, " + r.Places[loop.Place].String()
				t.add(traceEvent{Phase: "C", Name: name, Process: jobProcess, Time: at, Args: map[string]any{"rate": rate}})
			}
		}
		for _, s := range []struct {
			name string
			of   func(*Row) []int
		}{
			{"computing %", func(row *Row) []int { return row.Computing }}, {"waiting %", func(row *Row) []int { return row.Waiting }},
			{"io %", func(row *Row) []int { return row.IO }}, {"no samples %", func(row *Row) []int { return row.Absent }},
			{"no CPU %", func(row *Row) []int { return row.Starved }},
		} {
			total, ranks := 0, 0
			for i := range r.Rows {
				if row := &r.Rows[i]; row.Alive[column] > 0 {
					total, ranks = total+row.Count*s.of(row)[column], ranks+row.Count
				}
			}
			args := map[string]any{"share": total / max(1, ranks)}
			t.add(traceEvent{Phase: "C", Name: s.name, Process: jobProcess, Time: at, Args: args})
		}
	}
}
