package provoke

import "laggard/model/mpi"

// tally counts what was tried.
type tally struct {
	open  []*Open
	only  mpi.Choice
	known sites
	sites map[mpi.Choice]map[uint64]bool // where choices were made
	made  map[mpi.Choice]uint64
}

func newTally(r *Reference, only mpi.Choice) *tally {
	t := &tally{open: r.Open, only: only, known: sites{}, sites: map[mpi.Choice]map[uint64]bool{}, made: map[mpi.Choice]uint64{}}
	t.known.learn(r.Open)
	return t
}

// add counts what a run made.
func (t *tally) add(made []Made) {
	for i, m := range made {
		if i > 0 && isSame(m, made[i-1]) {
			continue
		}
		if t.sites[m.Kind] == nil {
			t.sites[m.Kind] = map[uint64]bool{}
		}
		t.sites[m.Kind][m.Key] = true
		t.made[m.Kind]++
	}
}

// total counts the choices of all kinds that were made.
func (t *tally) total() (n uint64) {
	for _, made := range t.made {
		n += made
	}
	return n
}

// list is the table of the kinds that are open.
func (t *tally) list() (out []Tried) {
	for _, c := range mpi.AllChoices() {
		row := Tried{Kind: c.String(), Sites: len(t.sites[c]), Made: t.made[c]}
		for _, o := range t.open {
			if o.Kind == c {
				row.Open++
				row.Choices += o.Total()
			}
		}
		if row.Open > 0 && t.only&c != 0 {
			out = append(out, row)
		}
	}
	return out
}
