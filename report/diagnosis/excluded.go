package diagnosis

import (
	"slices"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report/diagnosis/wording"
)

// Excluded is a rank that waits for an epoch of a window, while the rank that it waits for has opened as many to another one, and fewer to
// it.
type Excluded struct {
	Rank     int       `json:"rank"`                // the rank that waits
	Peer     int       `json:"peer"`                // the rank that left it out
	Window   string    `json:"window"`              // the window, in words
	Exposure bool      `json:"exposure"`            // it waits for an exposure (MPI_Win_post); else for an access (MPI_Win_start)
	Number   uint64    `json:"number"`              // how many epochs it has opened to the peer
	Opened   uint64    `json:"opened"`              // how many the peer has opened to it
	With     int       `json:"with"`                // another rank
	Most     uint64    `json:"most"`                // how many the peer has opened to that one
	By       *MadeCall `json:"by,omitempty"`        // the call by which the peer opens them; absent: unknown
	OpenedBy *MadeCall `json:"opened_by,omitempty"` // the call by which the waiting rank opened its own; absent: unknown
}

func (s Source) newExcluded(x progress.Excluded, names wording.Names) Excluded {
	return Excluded{Rank: x.Rank, Peer: x.Peer, Window: names.Comm(x.On), Exposure: x.Exposure, Number: x.Number, Opened: x.Opened,
		With: x.With, Most: x.Most, By: s.newMadeCall(x.By), OpenedBy: s.newMadeCall(x.Own)}
}

// excludedReason says for the reason which rank left out another one, if one of both is named.
func (r *Result) excludedReason() string {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	i := slices.IndexFunc(r.Excluded, func(x Excluded) bool { return named.Contains(x.Rank) || named.Contains(x.Peer) })
	if i < 0 {
		return ""
	}
	x := &r.Excluded[i]
	return "; " + (&wording.Excluded{Rank: x.Rank, Peer: x.Peer, Exposure: x.Exposure, Number: x.Number, Opened: x.Opened,
		With: x.With, Most: x.Most, By: x.By.site(), OpenedBy: x.OpenedBy.site()}).Text()
}
