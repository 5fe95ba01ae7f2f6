package between

import (
	"fmt"

	"laggard/analysis/usage/finding"
)

// checkReady reports ready sends of which nothing made sure that their receive had
// begun (§3.4).
func (m *matcher) checkReady() {
	var sends []ref
	var asked []stepPair
	for rank, d := range m.digests {
		for i := range d.messages {
			s := &d.messages[i]
			to := m.partners[rank][i]
			if s.kind != aSend || s.mode != isReady || to.rank < 0 || !d.complete || !m.digests[to.rank].complete {
				continue
			}
			if _, r := m.messageAt(to); r.kind == aRecv {
				sends = append(sends, ref{int32(rank), int32(i)})
				asked = append(asked, stepPair{ref{to.rank, r.step}, ref{int32(rank), s.step}})
			}
		}
	}
	m.withClocks(asked, func(i int, c *clocks) {
		if before, known := c.happenedBefore(asked[i].first, asked[i].second); known && !before &&
			asked[i].first.rank != asked[i].second.rank {
			m.addReady(sends[i])
		}
	})
}

func (m *matcher) addReady(from ref) {
	to := m.partners[from.rank][from.index]
	sd, s := m.messageAt(from)
	rd, r := m.messageAt(to)
	m.found.Add(finding.New("ready_send", fmt.Sprintf(
		"rank %d sends to rank %d in ready mode, but nothing ensures that rank %d has begun the receive", sd.Rank,
		rd.Rank, rd.Rank),
		m.placeOf(from.rank, s.made(), "send"), m.placeOf(to.rank, r.made(), "receive")))
}
