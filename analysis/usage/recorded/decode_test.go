package recorded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
)

// Dump is usagetest.Dump, which imports this package: dump_test.go sets it.
var Dump func(io.Writer, *Trace, func(Site) string) error

// events writes a block as the recorder does.
type events []byte

func (e *events) u(values ...uint64) *events {
	for _, v := range values {
		*e = binary.AppendUvarint(*e, v)
	}
	return e
}

func (e *events) s(values ...int64) *events {
	for _, v := range values {
		e.u(uint64(v)<<1 ^ uint64(v>>63))
	}
	return e
}

func (e *events) startEvent(kind, value uint64) *events { return e.u(kind | value<<3) }

func blockOf(numbered, clock, calling uint64) *events {
	return new(events).startEvent(format.UseBlock, useVersion<<1|numbered).u(clock, calling)
}

// The states of the rank that the blocks are about.
const (
	send = iota
	recv
	test
	waitall
	barrier
	unknown
)

func rankOfTest() *model.Rank {
	r := &model.Rank{Rank: 3, Size: 4,
		Comms: []*model.Comm{{ID: 1, Kind: model.World, Size: 4}, {ID: 9, Size: 2, Coll: 5}}}
	for t := range 2 {
		th := &model.Thread{Index: t}
		for _, name := range []string{"MPI_Send", "MPI_Recv", "MPI_Test", "MPI_Waitall", "MPI_Barrier",
			"MPI_Unheard_of"} {
			th.Model.States = append(th.Model.States, &model.State{Call: name})
		}
		r.Threads = append(r.Threads, th)
	}
	return r
}

// dumpOf decodes blocks of threads and returns the calls as text.
func dumpOf(t *testing.T, most int, threads ...[]*events) string {
	t.Helper()
	b := newBuilder(rankOfTest(), most)
	for i, blocks := range threads {
		b.sources = append(b.sources, sourceOf(i, blocks...))
	}
	var out bytes.Buffer
	musttest.Succeed(t, Dump(&out, b.buildTrace(), func(Site) string { return "" }))
	return strings.ReplaceAll(out.String(), " @ \n", "\n")
}

// sourceOf gives the blocks of a thread; nil is one that is lost.
func sourceOf(thread int, blocks ...*events) *source {
	return &source{thread: thread, blocks: func(yield func([]byte, error) bool) {
		for _, e := range blocks {
			if e == nil && !yield(nil, errors.New("lost")) || e != nil && !yield(*e, nil) {
				return
			}
		}
	}}
}

// defineWorld defines communicator 0 and datatype 0.
func (e *events) defineWorld() *events {
	e.startEvent(format.UseDefine, format.DefComm).u(0, 0, 1, 0, 0, 0)
	e.startEvent(format.UseDefine, format.DefType).u(0, 0, 7)
	*e = append(*e, "MPI_INT"...)
	return e.s(4, 0, 4, 0, 4).u(1, 1, 1)
}

func TestDecode(t *testing.T) {
	sent := func(e *events, buf int64) *events { // 5 integers to rank 1, tag 8
		return e.startEvent(format.UseBegin, send).u(0b11011).s(buf, 5, 1, 8)
	}
	tests := []struct {
		name    string
		most    int
		threads [][]*events
		want    string
	}{
		{"what did not change is as before", 10, [][]*events{{
			sent(blockOf(0, 0, 0).defineWorld(), 0x100).startEvent(format.UseEnd, 0).u(0).startEvent(format.UseBegin,
				send).u(0b1).s(0x10).
				startEvent(format.UseEnd, 0).u(0)}}, `
3: MPI_Send(buf=0x100, count=5, datatype=MPI_INT, dest=1, tag=8, comm=world) -> ()
3: MPI_Send(buf=0x110, count=5, datatype=MPI_INT, dest=1, tag=8, comm=world) -> ()
`},
		{"a block begins anew", 10, [][]*events{{
			sent(blockOf(0, 0, 0).defineWorld(), 0x100).startEvent(format.UseEnd, 0).u(0),
			sent(blockOf(0, 2, 0), 0x200).startEvent(format.UseEnd, 0).u(0)}}, `
3: MPI_Send(buf=0x100, count=5, datatype=MPI_INT, dest=1, tag=8, comm=world) -> ()
3: MPI_Send(buf=0x200, count=5, datatype=MPI_INT, dest=1, tag=8, comm=world) -> ()
`},
		{"status, error, and a call that never returned", 10, [][]*events{{
			blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin, recv).u(0b1011).s(0x100, 5,
				model.Any).startEvent(format.UseEnd, 0).u(0b0111).
				s(2, 8, 12).
				startEvent(format.UseBegin, recv).u(0).startEvent(format.UseFailed,
				30).u(0).startEvent(format.UseBegin, barrier).u(0)}}, `
3: MPI_Recv(buf=0x100, count=5, datatype=MPI_INT, source=any, tag=0, comm=world) -> status=(2,8,12)
3: MPI_Recv(buf=0x100, count=5, datatype=MPI_INT, source=any, tag=0, comm=world) -> error 15
3: MPI_Barrier(comm=world) -> …
`},
		{"empty polls", 10, [][]*events{{func() *events {
			e := blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin,
				test).u(1).s(77).startEvent(format.UseEmpty, 0).startEvent(format.UseAgain, 0)
			*e = binary.LittleEndian.AppendUint64(*e, 1000)
			return e.startEvent(format.UseBegin, test).u(0).startEvent(format.UseEnd, 0).u(0b111111).s(-1, 1, 2, 8, 4, 1)
		}()}}, `
3: MPI_Test(request=request1) -> flag=0 # and 1000 times more
3: MPI_Test(request=request1) -> request=null, flag=1, status=(2,8,4,1)
`},
		{"threads in the order of their numbers", 10, [][]*events{
			{blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseBlock,
				useVersion<<1|1).u(1, barrier+1).
				startEvent(format.UseEnd, 0).u(0, 4)},
			{blockOf(1, 0, 0).startEvent(format.UseBegin, barrier).u(0, 2).startEvent(format.UseEnd, 0).u(0, 1)}}, `
3.0: MPI_Barrier(comm=world) -> ()
3.1: MPI_Barrier(comm=world) -> ()
`},
		{"the end of a call whose begin is lost", 10, [][]*events{{
			blockOf(0, 0, 0).defineWorld(), nil, blockOf(0, 9, recv+1).startEvent(format.UseEnd, 0).u(0b0111).s(2, 8, 12).
				startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseEnd, 0).u(0)}}, `
3: MPI_Barrier(comm=world) -> ()
rank 3: incomplete="lost"
`},
		{"arrays, short, unknown and long", 10, [][]*events{{func() *events {
			e := blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin, waitall).u(1).s(2).u(2<<1+1).s(50,
				1).startEvent(format.UseEnd, 0).
				u(0, 2<<1+1).s(-1, 0).u(0)
			e.startEvent(format.UsePart, inline<<3|1).s(make([]int64, inline)...).startEvent(format.UsePart, 1<<3|1).s(4)
			return e.startEvent(format.UseBegin, waitall).u(1).s(inline - 1).u((inline+1)<<1 + 2)
		}()}}, `
3: MPI_Waitall(count=2, array_of_requests=[request1,request2]) -> array_of_requests=[null,null]
3: MPI_Waitall(count=513, array_of_requests=[` + strings.Repeat("request3,", inline) + `request4]) -> …
`},
		{"no more calls than may be", 1, [][]*events{{
			blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseEnd,
				0).u(0).startEvent(format.UseBegin, recv).u(0).
				startEvent(format.UseEnd, 0).u(0b1).s(2)}}, `
3: MPI_Barrier(comm=world) -> ()
rank 3: incomplete="there are more than 1 calls"
`},
		{"a call in a callback, and one behind a jump out of it", 10, [][]*events{{
			sent(blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseDefine,
				format.DefWithin), 0x100).
				startEvent(format.UseEnd, 0).u(0).startEvent(format.UseEnd, 0).u(0).
				startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseDefine,
				format.DefWithin).startEvent(format.UseBegin, barrier).u(0),
			blockOf(0, 6, barrier+1).startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseEnd, 0).u(0)}}, `
3: MPI_Barrier(comm=world) -> ()
3: MPI_Send(buf=0x100, count=5, datatype=MPI_INT, dest=1, tag=8, comm=world) -> ()
3: MPI_Barrier(comm=world) -> …
3: MPI_Barrier(comm=world) -> …
3: MPI_Barrier(comm=world) -> ()
`},
		{"another version", 10, [][]*events{{new(events).startEvent(format.UseBlock, 9<<1).u(0, 0)}}, `
rank 3: incomplete="thread 0: block 0: byte 0: events of version 9; this program reads version 1"
`},
		{"a function that is not known", 10, [][]*events{{blockOf(0, 0, 0).startEvent(format.UseBegin, unknown)}}, `
rank 3: incomplete="thread 0: block 0: byte 3: state 5 of 6 is missing"
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"),
				dumpOf(t, test.most, test.threads...)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// TestNotes: a note names calls by the numbers of their begins; the record of a
// communicator may serve another one by the end.
func TestNotes(t *testing.T) {
	b := newBuilder(rankOfTest(), 10)
	e := blockOf(0, 0, 0).defineWorld().startEvent(format.UseDefine, format.DefComm).u(1, 1, 5, 1, 0, 3)
	e.startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseEnd, 0).u(0).startEvent(format.UseBegin, barrier).u(1).s(1)
	e.startEvent(format.UseDefine, format.DefNote).u(uint64(SendBufferChanged), 1, 3).s(7).startEvent(format.UseEnd, 0).u(0)
	b.sources = append(b.sources, sourceOf(0, e))
	trace := b.buildTrace()
	if !trace.Complete {
		t.Fatal(trace.Why)
	}
	checktest.Equal(t, []Note{{Kind: SendBufferChanged, Call: 1, Seen: 3, Value: 7}}, trace.Notes)
	if c := trace.Comms[1]; c.ID != 5 || c.Parent != 1 || c.State != 2 || !c.Freed || c.Coll != 0 || c.Size != 2 {
		t.Errorf("the communicator is %+v", *c)
	}
}

// TestMemoryFull: the calls of both threads end in one place, and the trace says why; calls that all fit are all there.
func TestMemoryFull(t *testing.T) {
	barriers := func(first uint64) *events {
		e := blockOf(0, first, 0).defineWorld()
		for range callsBetweenChecks {
			e.startEvent(format.UseBegin, barrier).u(0).startEvent(format.UseEnd, 0).u(0)
		}
		return e
	}
	for _, test := range []struct {
		full func(call int) bool
		want int
	}{
		{func(int) bool { return false }, 2 * callsBetweenChecks},
		{func(call int) bool { return call > 0 }, callsBetweenChecks},
		{func(int) bool { return true }, 0},
	} {
		b, n := newBuilder(rankOfTest(), MaxCalls), 0
		b.limits.IsMemoryFull = func() bool { return test.full(n) }
		b.sources = append(b.sources, sourceOf(0, barriers(0)), sourceOf(1, barriers(1)))
		trace := b.buildTrace()
		for range trace.Calls {
			n++
		}
		if n != test.want || trace.Complete != (n == 2*callsBetweenChecks) {
			t.Errorf("%d calls, want %d; complete %v: %q", n, test.want, trace.Complete, trace.Why)
		}
	}
}

// FuzzBlock: whatever the bytes are, what comes out can be looked at, and is not
// much larger than what went in.
func FuzzBlock(f *testing.F) {
	f.Add([]byte(*blockOf(0, 0, 0).defineWorld().startEvent(format.UseBegin, send).u(0b11011).s(0x100, 5, 1,
		8).startEvent(format.UseEnd, 0).u(0)))
	f.Add([]byte(*blockOf(1, 5, 2).startEvent(format.UsePart, 3<<3|4).s(1, 2, 3).startEvent(format.UseBegin,
		waitall).u(1).s(2).u(5).s(50, 1)))
	f.Add([]byte(*blockOf(0, 0, 0).startEvent(format.UseDefine, format.DefName).u(16).s(5).u(3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBuilder(rankOfTest(), 1000)
		b.sources = append(b.sources, sourceOf(0, (*events)(&data), (*events)(&data)), sourceOf(1, (*events)(&data)))
		trace := b.buildTrace()
		values := 0
		for c := range trace.Calls {
			if c.Func == nil || c.Site >= len(trace.Sites) {
				t.Fatalf("%s: a call of %v at site %d", trace.Why, c.Func, c.Site)
			}
			for _, v := range c.In {
				values += len(v)
			}
		}
		if most := 64 * (3*len(data) + 16); values > most || len(trace.Types)+len(trace.Comms) > 4096+4*len(data) {
			t.Fatalf("%d bytes make %d values, %d types and %d communicators", len(data), values, len(trace.Types),
				len(trace.Comms))
		}
		musttest.Succeed(t, Dump(new(bytes.Buffer), trace, func(Site) string { return "" }))
	})
}
