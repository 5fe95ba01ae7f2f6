package epochs

import (
	"slices"

	"laggard/model"
)

// Excluded is a wait for a rank that has opened fewer epochs to the waiting rank than that has to it, and more to another one.
type Excluded struct {
	Wait
	Opened uint64       // epochs of the peer with the waiting rank
	With   int          // another rank, to which it has opened Most
	Most   uint64       // at least Number
	By     *model.State // the call by which the peer opens them; nil unknown
	Own    *model.State // that by which the waiting rank opened its own; nil unknown
}

// Find returns the waits of which the peer left the waiting rank out.
func (v *View) Find(waits []Wait) (out []Excluded) {
	for _, w := range waits {
		peer, own := v.Rank(w.Peer), v.Rank(w.Rank)
		if peer == nil || own == nil {
			continue
		}
		x := Excluded{Wait: w}
		if to := peer.to(w.Win, w.Rank); to != nil {
			x.Opened = to.opened(w.Exposure)
		}
		for i := range peer.Opened {
			e := &peer.Opened[i]
			if n := e.opened(w.Exposure); e.Win == w.Win && e.Peer != w.Rank && (n > x.Most || n == x.Most && e.Peer < x.With) {
				x.With, x.Most, x.By = e.Peer, n, v.States[e.Posts]
			}
		}
		if x.Own = v.States[own.Starts]; !w.Exposure {
			x.By = v.States[peer.Starts]
			if to := own.to(w.Win, w.Peer); to != nil {
				x.Own = v.States[to.Posts]
			}
		}
		if x.Opened < w.Number && w.Number <= x.Most {
			out = append(out, x)
		}
	}
	return out
}

// to is what a rank opened to another one; nil: nothing.
func (r *rankView) to(win uint64, peer int) *epoch {
	i := slices.IndexFunc(r.Opened, func(e epoch) bool { return e.Win == win && e.Peer == peer })
	if i < 0 {
		return nil
	}
	return &r.Opened[i]
}

func (e *epoch) opened(exposure bool) uint64 {
	if exposure {
		return e.Exposures
	}
	return e.Accesses
}
