package between

import (
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/model"
)

// sameRoot: all name one root.
func (c *collectives) sameRoot(e *event) bool {
	if e.comm.inter {
		return c.interRoot(e)
	}
	return !c.reportMismatch(e, "root", func(p ref) string {
		if root := c.shapeOf(p).root; root != model.None {
			return fmt.Sprint(root)
		}
		return ""
	})
}

// interRoot: of an intercommunicator one group has the root. There the root gives
// MPI_ROOT and all others give MPI_PROC_NULL; in the other group all give the rank of
// the root (§5.2.3).
func (c *collectives) interRoot(e *event) bool {
	var roots, named []ref // those that give MPI_ROOT; that name a rank
	for _, p := range e.parts {
		switch root := c.shapeOf(p).root; {
		case root == model.None:
			return true
		case root >= 0:
			named = append(named, p)
		case root != model.ProcNull:
			roots = append(roots, p)
		}
	}
	switch {
	case len(roots) > 1:
		return c.wrongRoots(e, roots, "only one may")
	case len(roots) == 1:
		wrong := slices.DeleteFunc(slices.Clone(e.parts), func(p ref) bool { return c.fitsRoot(e, p, roots[0]) })
		return len(wrong) == 0 || c.wrongRoots(e, append(wrong, roots[0]),
			"the others of the root's group must give MPI_PROC_NULL, and those of the other group its rank")
	case slices.ContainsFunc(named, func(p ref) bool { return e.comm.inLocalGroup(c.digests[p.rank].Rank) }) &&
		slices.ContainsFunc(named, func(p ref) bool { return !e.comm.inLocalGroup(c.digests[p.rank].Rank) }):
		return c.wrongRoots(e, named, "no rank gives MPI_ROOT")
	}
	return true
}

// inLocalGroup tells in which group of an intercommunicator a rank is.
func (c *communicator) inLocalGroup(rank int) bool { return slices.Contains(c.local, rank) }

// fitsRoot reports whether a member gives what it must if another one is the root.
func (c *collectives) fitsRoot(e *event, p, root ref) bool {
	if p == root {
		return true
	}
	leader, given := c.digests[root.rank].Rank, c.shapeOf(p).root
	if e.comm.inLocalGroup(leader) == e.comm.inLocalGroup(c.digests[p.rank].Rank) {
		return given == model.ProcNull
	}
	group := e.comm.remote
	if e.comm.inLocalGroup(leader) {
		group = e.comm.local
	}
	return given == slices.Index(group, leader)
}

// wrongRoots reports what members give as the root; the wrong ones come first.
func (c *collectives) wrongRoots(e *event, parts []ref, why string) bool {
	name := c.shapeOf(e.parts[0]).name
	given := map[string]model.RankSet{}
	var order []string
	var places []finding.Place
	for _, p := range parts {
		what := rootName(c.shapeOf(p).root)
		ranks, known := given[what]
		ranks.Add(c.digests[p.rank].Rank)
		given[what] = ranks
		if !known {
			_, entry := c.entryAt(p)
			order, places = append(order, what), append(places, c.placeOf(p.rank, entry.made, "collective"))
		}
	}
	says := make([]string, len(order))
	for i, what := range order {
		says[i] = ranksGive(given[what]) + " " + what
	}
	f := finding.New("collective_mismatch", fmt.Sprintf("%s on %s has inconsistent roots: %s; %s",
		name, e.comm.name(), strings.Join(says, ", "), why), places...)
	for _, p := range parts {
		f.Ranks.Add(c.digests[p.rank].Rank)
	}
	f.Standard = "MPI-3.1 §5.2.3"
	f.Change = "give MPI_ROOT at the root, MPI_PROC_NULL at the others of its group, and in the other group " +
		"the rank of the root in its group"
	c.found.Add(f)
	return false
}

func ranksGive(ranks model.RankSet) string {
	if ranks.Len() == 1 {
		return fmt.Sprintf("rank %s gives", ranks)
	}
	return fmt.Sprintf("ranks %s give", ranks)
}

func rootName(root int) string {
	switch {
	case root >= 0:
		return fmt.Sprint(root)
	case root == model.ProcNull:
		return "MPI_PROC_NULL"
	}
	return "MPI_ROOT"
}
