package timeline

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
)

// traceEvent is an event of the Trace Event Format (Google, 2016), which Perfetto and chrome://tracing read. Times are in
// microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"` // X a slice, C a counter, i an instant, M about a process or thread
	Time  int64          `json:"ts"`
	Long  int64          `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Scope string         `json:"s,omitempty"` // of an instant: g all
	Args  map[string]any `json:"args,omitempty"`
}

// Perfetto writes a trace: nodes are its processes, rows its threads, with a slice for each time in which a row does the same.
func Perfetto(w io.Writer, t *Timeline) error {
	out := bufio.NewWriter(w)
	first := true
	var failed error
	event := func(e traceEvent) {
		text, err := json.Marshal(e)
		if err != nil && failed == nil {
			failed = err
		}
		if !first {
			out.WriteString(",\n")
		}
		first = false
		out.Write(text)
	}
	out.WriteString("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
	at := func(column int) int64 { return t.Time(column).UnixMicro() }
	event(traceEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": "job"}})
	for i, rate := range t.Rate {
		event(traceEvent{Name: "iterations/s", Phase: "C", Time: at(i), Args: map[string]any{"value": rate}})
	}
	for _, e := range t.Events {
		event(traceEvent{Name: e.Text, Phase: "i", Time: e.Begin.UnixMicro(), Scope: "g", Args: map[string]any{"ranks": e.Ranks}})
	}
	nodes := map[string]int{}
	for i := range t.Rows {
		t.traceRow(&t.Rows[i], i+1, nodes, event)
	}
	out.WriteString("\n]}\n")
	if failed != nil {
		return failed
	}
	return out.Flush()
}

// traceRow writes what one row did, as thread number.
func (t *Timeline) traceRow(r *Row, number int, nodes map[string]int, event func(traceEvent)) {
	host := "several nodes"
	if len(r.Hosts) == 1 {
		host = r.Hosts[0]
	}
	if nodes[host] == 0 {
		nodes[host] = len(nodes) + 1
		event(traceEvent{Name: "process_name", Phase: "M", PID: nodes[host], Args: map[string]any{"name": host}})
	}
	event(traceEvent{Name: "thread_name", Phase: "M", PID: nodes[host], TID: number, Args: map[string]any{"name": "ranks " + r.Ranks}})
	names := map[Doing]string{}
	for _, d := range doings {
		names[d.doing] = d.name
	}
	same := func(a, b int) bool { return r.Place[a] == r.Place[b] && r.WaitsFor[a] == r.WaitsFor[b] }
	for _, s := range r.spells(same) {
		args := map[string]any{}
		if p := r.Place[s.First]; p >= 0 {
			site := t.Places[p]
			args["place"] = fmt.Sprintf("%s %s:%d", site.Function, path.Base(site.File), site.Line)
		}
		if rank := r.WaitsFor[s.First]; rank >= 0 {
			args["waits_for"] = rank
		}
		begin := t.Time(s.First).UnixMicro()
		event(traceEvent{Name: names[s.Doing], Phase: "X", Time: begin, Long: t.Time(s.Next).UnixMicro() - begin, PID: nodes[host],
			TID: number, Args: args})
	}
}
