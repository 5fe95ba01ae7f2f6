package loops

import (
	"encoding/hex"
	"errors"
	"fmt"

	"laggard/model"
)

// errFlow wraps what is wrong with a flow that was received.
var errFlow = errors.New("not a flow")

// Wire is a flow as it travels, as JSON.
type Wire struct {
	Sites []wireSite `json:"sites,omitempty"`
	Arcs  []wireArc  `json:"arcs,omitempty"`
}

// wireSite is a Site with its ID in hex.
type wireSite struct {
	ID         string `json:"id"`
	Poll       bool   `json:"poll,omitempty"`
	Visits     Spread `json:"v"`
	Iterations Spread `json:"t"`
}

// wireArc is an Arc between sites by their place in the list.
type wireArc struct {
	From    int    `json:"f"`
	To      int    `json:"t"`
	Forward uint64 `json:"w,omitempty"`
	Back    uint64 `json:"b,omitempty"`
	Depth   int    `json:"d,omitempty"`
}

// Wire returns the flow as it travels; equal flows give equal bytes.
func (f *Flow) Wire() Wire {
	var w Wire
	index := make(map[model.StateID]int, len(f.Sites))
	for i, s := range f.Sites {
		index[s.ID] = i
		w.Sites = append(w.Sites, wireSite{hex.EncodeToString(s.ID[:]), s.Poll, s.Visits, s.Iterations})
	}
	for _, a := range f.Arcs {
		w.Arcs = append(w.Arcs, wireArc{index[a.From], index[a.To], a.Forward, a.Back, a.Depth})
	}
	return w
}

// Flow reads what [Flow.Wire] wrote.
func (wire *Wire) Flow() (Flow, error) {
	var f Flow
	for i, w := range wire.Sites {
		s := Site{Poll: w.Poll, Visits: w.Visits, Iterations: w.Iterations}
		b, err := hex.DecodeString(w.ID)
		if err != nil || len(b) != len(s.ID) {
			return Flow{}, fmt.Errorf("%w: site %.60q", errFlow, w.ID)
		}
		s.ID = model.StateID(b)
		if i > 0 && compareSites(f.Sites[i-1], s) >= 0 {
			return Flow{}, fmt.Errorf("%w: sites out of order", errFlow)
		}
		f.Sites = append(f.Sites, s)
	}
	for i, w := range wire.Arcs {
		if min(w.From, w.To, w.Depth) < 0 || max(w.From, w.To) >= len(wire.Sites) {
			return Flow{}, fmt.Errorf("%w: arc %d–%d of %d sites", errFlow, w.From, w.To, len(wire.Sites))
		}
		a := Arc{f.Sites[w.From].ID, f.Sites[w.To].ID, w.Forward, w.Back, w.Depth}
		if i > 0 && compareArcs(f.Arcs[i-1], a) >= 0 {
			return Flow{}, fmt.Errorf("%w: arcs out of order", errFlow)
		}
		f.Arcs = append(f.Arcs, a)
	}
	return f, nil
}
