package nodefile

import (
	"fmt"
	"slices"

	"laggard/model"
)

// maxProblems bounds what is kept of the complaints about one slot or one
// file, since every damaged word could cause one.
const maxProblems = 32

// problems collects what is wrong with one file (slot -1) or one slot.
type problems struct {
	file    string
	slot    int
	list    []*model.FormatError
	dropped int
}

// add notes a problem of a section (off -1: of no one place).
func (p *problems) add(section string, off int64, err error) {
	if len(p.list) == maxProblems {
		p.dropped++
		return
	}
	p.list = append(p.list, &model.FormatError{File: p.file, Rank: -1, Slot: p.slot, Section: section, Offset: off, Err: err})
}

// addErrorf is add for an error that is made only if it is kept: a damaged slot has
// as many as it has records.
func (p *problems) addErrorf(section string, off int64, kind error, format string, args ...any) {
	var err error
	if len(p.list) < maxProblems {
		err = fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
	}
	p.add(section, off, err)
}

// addCorrupt notes a field with a value that no recorder writes.
func (p *problems) addCorrupt(section string, off int64, format string, args ...any) {
	p.addErrorf(section, off, model.ErrCorrupt, format, args...)
}

// asProblems returns the problems as they go into a Run; rank is -1 for those of a
// file or of a slot whose rank is not known.
func (p *problems) asProblems(rank int) []model.Problem {
	list := slices.Clone(p.list)
	if p.dropped > 0 {
		err := fmt.Errorf("%w: and %d more problems", model.ErrCorrupt, p.dropped)
		list = append(list, &model.FormatError{File: p.file, Slot: p.slot, Offset: -1, Err: err})
	}
	var out []model.Problem
	for _, e := range list {
		e.Rank = rank
		out = append(out, model.Problem{File: p.file, Rank: rank, Err: e})
	}
	return out
}
