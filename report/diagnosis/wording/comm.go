package wording

import (
	"fmt"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report"
)

// Names knows communicators, windows and files by the calls that made them, and where calls are. The zero value knows none.
type Names struct {
	comms map[uint64]string
	place func(*model.State) report.Site
}

// NewNames names what some calls made. place is where a call is in the program; of an unknown one it has no file.
func NewNames(makers []progress.Maker, place func(*model.State) report.Site) Names {
	n := Names{map[uint64]string{}, place}
	alike := map[string]int{}
	for _, m := range makers {
		alike[madeBy(m, place(m.State))]++
	}
	for _, m := range makers {
		text := madeBy(m, place(m.State))
		id := ""
		if alike[text] > 1 { // one call made several
			id = fmt.Sprintf("%x ", m.On.ID)
		}
		n.comms[m.On.ID] = "the " + CommKind(m.On.Kind) + " " + id + text
	}
	return n
}

// maxMembers bounds the ranks of a communicator that are listed, in characters.
const maxMembers = 24

func madeBy(m progress.Maker, at report.Site) string {
	who := m.On.Members.Phrase()
	if len(who) > maxMembers {
		who = fmt.Sprintf("%d ranks", m.On.Members.Len())
	}
	return fmt.Sprintf("of %s from %s%s", who, m.State.Call, at.InParentheses())
}

// line is that of a call; nil: it is unknown.
func (n Names) line(call *model.State) string {
	if n.place == nil || call == nil {
		return ""
	}
	return n.place(call).InParentheses()
}

// CommKind is communicator, window or file.
func CommKind(kind model.CommKind) string {
	switch kind {
	case model.Window:
		return "window"
	case model.File:
		return "file"
	}
	return "communicator"
}

// Comm names a communicator, window or file.
func (n Names) Comm(c model.CommRef) string {
	switch {
	case c.Kind == model.Self:
		return "MPI_COMM_SELF"
	case !c.Known:
		return "an unknown communicator"
	case c.Several:
		return "the MPI_COMM_WORLD of " + c.Members.Phrase()
	case c.Kind == model.World:
		return "MPI_COMM_WORLD"
	}
	if name := n.comms[c.ID]; name != "" {
		return name
	}
	return fmt.Sprintf("%s %x of %d ranks", CommKind(c.Kind), c.ID, c.Members.Len())
}
