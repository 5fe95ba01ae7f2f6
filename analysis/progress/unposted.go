package progress

import "laggard/analysis/progress/unposted"

// LeftOutReceive is the receive that a rank left out, for which others wait; nil: it is not known.
func (r *Result) LeftOutReceive(rank int) *unposted.Receive {
	for i := range r.Unposted {
		if r.Unposted[i].Peer == rank {
			return &r.Unposted[i]
		}
	}
	return nil
}
