package replay

import (
	"fmt"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/model"
)

// notes reports what the recorder itself noted of buffers.
type notes struct {
	*reporter
	memory *memory
	begun  map[uint64]int // by Begin: the calls that notes are about, once they have begun
}

func newNotes(r *reporter, m *memory) *notes {
	n := &notes{r, m, map[uint64]int{}}
	for _, note := range r.t.Notes {
		n.begun[note.Call], n.begun[note.Seen] = -1, -1
	}
	return n
}

// beginCall notes which call one is that a note is about.
func (n *notes) beginCall(a args) {
	if _, is := n.begun[a.c.Begin]; is {
		n.begun[a.c.Begin] = a.i
	}
}

// reportTouched reports what the program read or wrote while an operation used it, as the sanitizer saw it.
func (n *notes) reportTouched(note recorded.Note) {
	operation := n.Place(n.begun[note.Call], "operation")
	access := finding.Place{Rank: n.t.Rank, Site: note.Site, Role: "read", Muted: operation.Muted}
	class, did := "receive_buffer_read", "read"
	if note.Write {
		class, did, access.Role = "receive_buffer_write", "wrote to", "write"
	}
	if !note.Received {
		class = "send_buffer_write"
	}
	n.report(class, fmt.Sprintf("the program %s the buffer of %s before its completion", did, operation.Call), access,
		operation)
}

// callFrame is where the program called MPI.
func (n *notes) callFrame(note recorded.Note) model.Frame {
	if stack := n.Place(n.begun[note.Call], "").Site.Stack; len(stack) > 0 {
		return stack[0]
	}
	return model.Frame{}
}

// reportAll reports the buffers that were touched while an operation used them. The sanitizer
// tells each access once, whatever operations that one place begins.
func (n *notes) reportAll() {
	written := map[model.Frame]bool{}
	for _, note := range n.t.Notes {
		if note.Kind == recorded.BufferTouched && note.Write {
			written[n.callFrame(note)] = true
		}
	}
	for _, note := range n.t.Notes {
		switch {
		case n.begun[note.Call] < 0 || n.memory.overlapping[n.begun[note.Call]]:
		case note.Kind == recorded.BufferTouched:
			n.reportTouched(note)
		case note.Kind != recorded.NoPlace && !written[n.callFrame(note)]:
			n.reportChanged(note)
		}
	}
}

// reportChanged reports a buffer of which the bytes changed.
func (n *notes) reportChanged(note recorded.Note) {
	class, role, seen := "send_buffer_write", "send", "completion"
	what := "the buffer of %s changed between its begin and its completion"
	if note.Kind == recorded.ReceiveBufferChanged {
		class, role, seen = "receive_buffer_write", "receive", "first call after the write"
		what = "the program wrote to the buffer of %s before its completion"
	}
	places := []finding.Place{n.Place(n.begun[note.Call], role)}
	if at := n.begun[note.Seen]; at >= 0 {
		places = append(places, n.Place(at, seen))
	}
	n.report(class, fmt.Sprintf(what, places[0].Call), places...)
}
