package progress

import (
	"encoding/hex"
	"fmt"

	"laggard/model"
)

// wireSite is a Site with its ID in hex.
type wireSite struct {
	ID     string `json:"id"`
	Poll   bool   `json:"poll,omitempty"`
	Visits Spread `json:"v"`
	Turns  Spread `json:"t"`
}

// wireArc is an Arc between sites by their place in the list.
type wireArc struct {
	From    int    `json:"f"`
	To      int    `json:"t"`
	Forward uint64 `json:"w,omitempty"`
	Back    uint64 `json:"b,omitempty"`
	Depth   int    `json:"d,omitempty"`
}

func wireFlow(f Flow) (sites []wireSite, arcs []wireArc) {
	index := make(map[model.StateID]int, len(f.Sites))
	for i, s := range f.Sites {
		index[s.ID] = i
		sites = append(sites, wireSite{hex.EncodeToString(s.ID[:]), s.Poll, s.Visits, s.Turns})
	}
	for _, a := range f.Arcs {
		arcs = append(arcs, wireArc{index[a.From], index[a.To], a.Forward, a.Back, a.Depth})
	}
	return sites, arcs
}

// flowOf reads what wireFlow wrote. Errors wrap ErrEncoding.
func flowOf(sites []wireSite, arcs []wireArc) (Flow, error) {
	var f Flow
	for i, w := range sites {
		s := Site{Poll: w.Poll, Visits: w.Visits, Turns: w.Turns}
		b, err := hex.DecodeString(w.ID)
		if err != nil || len(b) != len(s.ID) {
			return Flow{}, fmt.Errorf("%w: site %.60q", ErrEncoding, w.ID)
		}
		s.ID = model.StateID(b)
		if i > 0 && compareSites(f.Sites[i-1], s) >= 0 {
			return Flow{}, fmt.Errorf("%w: sites out of order", ErrEncoding)
		}
		f.Sites = append(f.Sites, s)
	}
	for i, w := range arcs {
		if min(w.From, w.To, w.Depth) < 0 || max(w.From, w.To) >= len(sites) {
			return Flow{}, fmt.Errorf("%w: arc %d–%d of %d sites", ErrEncoding, w.From, w.To, len(sites))
		}
		a := Arc{f.Sites[w.From].ID, f.Sites[w.To].ID, w.Forward, w.Back, w.Depth}
		if i > 0 && compareArcs(f.Arcs[i-1], a) >= 0 {
			return Flow{}, fmt.Errorf("%w: arcs out of order", ErrEncoding)
		}
		f.Arcs = append(f.Arcs, a)
	}
	return f, nil
}
