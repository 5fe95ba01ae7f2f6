package diagnosis

import (
	"fmt"

	"laggard/analysis/progress"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
)

// NamedComm is a communicator, window or file that the texts name by the call that made it.
type NamedComm struct {
	ID     string   `json:"id"`      // hexadecimal, for --comm
	What   string   `json:"what"`    // communicator, window or file
	Ranks  string   `json:"ranks"`   // its members
	Name   string   `json:"name"`    // as the texts name it
	MadeBy MadeCall `json:"made_by"` // the call that made it
}

func (s Source) newNamedComm(m progress.Maker, names wording.Names) NamedComm {
	return NamedComm{
		ID: fmt.Sprintf("%x", m.On.ID), What: wording.CommKind(m.On.Kind), Ranks: m.On.Members.String(),
		Name: words.Printable(names.Comm(m.On)), MadeBy: *s.newMadeCall(m.State),
	}
}

// namedComms lists the IDs of what the texts name otherwise.
func (p *printer) namedComms(r *Result) {
	var lines []string
	for i := range r.NamedComms {
		c := &r.NamedComms[i]
		lines = append(lines, fmt.Sprintf("%s of %s, made by %s: --comm %s",
			words.Upper(c.What), words.Ranks(c.Ranks), c.MadeBy.text(), c.ID))
	}
	p.section(lines, "communicators")
}
