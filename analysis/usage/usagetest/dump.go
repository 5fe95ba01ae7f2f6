package usagetest

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// Dump writes the calls of a rank, one a line, as transcripts have them: rank and
// thread, the call with what it was given, what it returned, and its site as where
// gives it.
//
//	0: MPI_Send(buf=0x1000, count=1, datatype=MPI_INT, dest=1, tag=0, comm=world) -> () @ ring.c:12
func Dump(w io.Writer, t *recorded.Trace, where func(recorded.Site) string) error {
	d := &dumper{t: t, threads: threadCount(t) > 1, names: map[[2]int64]string{}}
	for c := range t.Calls {
		d.made = append(d.made, c)
		if _, err := fmt.Fprintf(w, "%s: %s @ %s\n", d.rankText(c), d.callText(c), where(t.Sites[c.Site])); err != nil {
			return fmt.Errorf("usage: %w", err)
		}
		for _, n := range t.Notes {
			if call := d.callBegunAt(n.Call); n.Seen == c.Begin && call >= 0 {
				fmt.Fprintf(w, "note %d: %s\n", t.Rank, d.noteText(n, call))
			}
		}
	}
	if !t.Complete {
		fmt.Fprintf(w, "rank %d: incomplete=%q\n", t.Rank, t.Why)
	}
	return nil
}

// callBegunAt returns the index of a call by its Begin, -1 if there was none.
func (d *dumper) callBegunAt(begin uint64) int {
	return slices.IndexFunc(d.made, func(c *recorded.Call) bool { return c.Begin == begin })
}

// noteText says what a note about a call is about, as transcripts have it.
func (d *dumper) noteText(n recorded.Note, call int) string {
	side, did := "send", "changed"
	switch n.Kind {
	case recorded.NoPlace:
		return fmt.Sprintf("no place for %s of call %d", n.NullParam(d.made[call]), call+1)
	case recorded.BufferTouched:
		did = "read"
		if n.Write {
			did = "written"
		}
		if n.Received {
			side = "receive"
		}
	case recorded.ReceiveBufferChanged:
		side = "receive"
	}
	return fmt.Sprintf("%s buffer of call %d %s, seen at call %d", side, call+1, did, len(d.made))
}

func threadCount(t *recorded.Trace) int {
	n := 0
	for c := range t.Calls {
		n = max(n, c.Thread+1)
	}
	return n
}

type dumper struct {
	t       *recorded.Trace
	threads bool
	made    []*recorded.Call
	names   map[[2]int64]string // of handles, by kind and value
	counts  [256]int
}

func (d *dumper) rankText(c *recorded.Call) string {
	if d.threads {
		return fmt.Sprintf("%d.%d", d.t.Rank, c.Thread)
	}
	return strconv.Itoa(d.t.Rank)
}

func (d *dumper) callText(c *recorded.Call) string {
	s := fmt.Sprintf("%s(%s) -> ", c.Func.Name, d.valuesText(c, c.In))
	switch {
	case c.Refused:
		return s + "refused"
	case c.Return == 0:
		return s + "…"
	case c.Code != 0:
		return s + "error " + strconv.Itoa(c.Code)
	}
	if out := d.valuesText(c, c.Out); out != "" {
		s += out
	} else {
		s += "()"
	}
	if c.Again > 0 {
		s += fmt.Sprintf(" # and %d times more", c.Again)
	}
	return s
}

func (d *dumper) valuesText(c *recorded.Call, values []recorded.Value) string {
	var parts []string
	for i := range values {
		p := &c.Func.Params[i]
		if values[i] != nil {
			parts = append(parts, p.Name+"="+d.valueText(p, values[i]))
		}
	}
	return strings.Join(parts, ", ")
}

func (d *dumper) valueText(p *mpi.Param, v recorded.Value) string {
	if p.Kind == mpi.Status {
		return d.statusText(p, v)
	}
	if !p.IsArray() && len(v) == 1 {
		return d.scalarText(p, v[0])
	}
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = d.scalarText(p, x)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (d *dumper) statusText(p *mpi.Param, v recorded.Value) string {
	var parts []string
	for ; len(v) >= 4; v = v[4:] {
		s := fmt.Sprintf("(%s,%s,%d", numberText(v[0]), numberText(v[1]), v[2])
		if v[3] != 0 {
			s += ",1"
		}
		parts = append(parts, s+")")
	}
	if p.IsArray() {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return strings.Join(parts, "")
}

func numberText(v int64) string {
	switch v {
	case model.Any:
		return "any"
	case model.ProcNull:
		return "procnull"
	case recorded.Root:
		return "root"
	}
	return strconv.FormatInt(v, 10)
}

func (d *dumper) scalarText(p *mpi.Param, v int64) string {
	switch {
	case p.Kind == mpi.Rank || p.Kind == mpi.Tag:
		return numberText(v)
	case p.Kind < mpi.Comm || p.Kind > mpi.Pointer:
		return strconv.FormatInt(v, 10)
	case v == recorded.Null:
		return "null"
	case v == recorded.Invalid:
		return "invalid"
	case p.Kind == mpi.Buffer && v == recorded.Bottom:
		return "bottom"
	case p.Kind == mpi.Buffer && v == recorded.InPlace:
		return "inplace"
	case p.Kind >= mpi.Buffer && p.Kind <= mpi.Other:
		return fmt.Sprintf("%#x", uint64(v))
	}
	return d.handleName(p, v)
}

// handleName names an object: by MPI's name, or by its kind and a number in the order
// in which they come.
func (d *dumper) handleName(p *mpi.Param, v int64) string {
	switch {
	case p.Kind == mpi.Comm && v < int64(len(d.t.Comms)) && d.t.Comms[v].Kind == model.World:
		return "world"
	case p.Kind == mpi.Comm && v < int64(len(d.t.Comms)) && d.t.Comms[v].Kind == model.Self:
		return "self"
	case p.Kind <= mpi.File:
		return fmt.Sprintf("%v%d", p.Kind, v)
	case p.Kind == mpi.Datatype && v < int64(len(d.t.Types)) && d.t.Types[v].Name != "":
		return d.t.Types[v].Name
	case p.Kind == mpi.Datatype:
		return fmt.Sprintf("type%d", v)
	}
	if name, ok := d.t.Names[kindOf(*p)][v]; ok {
		return name
	}
	key := [2]int64{int64(p.Kind), v}
	if d.names[key] == "" {
		d.counts[p.Kind]++
		d.names[key] = fmt.Sprintf("%v%d", p.Kind, d.counts[p.Kind])
	}
	return d.names[key]
}
