package progress

import (
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/unsent"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestMayBeSkipped: a call was left out only if nothing else explains that its message was not sent.
func TestMayBeSkipped(t *testing.T) {
	on, state := model.CommRef{ID: 5}, &model.State{Call: "MPI_Send"}
	sent := func(change func(*Unsent)) *Unsent {
		m := &Unsent{Message: unsent.Message{Wait: unsent.Wait{Rank: 0, Peer: 3, Tag: 7}, By: state, At: state}, On: on}
		if change != nil {
			change(m)
		}
		return m
	}
	failed := func(rank int, call string) []facts.Failed {
		return []facts.Failed{{Call: call, Ranks: model.NewRankSet(rank)}}
	}
	for name, c := range map[string]struct {
		m    *Unsent
		d    Diagnosis
		want bool
	}{
		"nothing else":              {sent(nil), Diagnosis{}, true},
		"receive failed":            {sent(func(m *Unsent) { m.Failed = true }), Diagnosis{}, false},
		"of the rank itself":        {sent(func(m *Unsent) { m.Peer = 0 }), Diagnosis{}, false},
		"another message":           {sent(func(m *Unsent) { m.Others = []unsent.Other{{To: 0}} }), Diagnosis{}, false},
		"unknown call":              {sent(func(m *Unsent) { m.By = nil }), Diagnosis{}, false},
		"taken":                     {sent(nil), Diagnosis{Taken: []Taken{{Rank: 0, Tag: 7, On: on, Taken: facts.Taken{Peer: 3}}}}, false},
		"taken, other tag":          {sent(nil), Diagnosis{Taken: []Taken{{Rank: 0, Tag: 8, On: on, Taken: facts.Taken{Peer: 3}}}}, true},
		"error of its send":         {sent(nil), Diagnosis{ReturnedErrors: failed(3, "MPI_Isend")}, false},
		"error of another call":     {sent(nil), Diagnosis{ReturnedErrors: failed(3, "MPI_Comm_split")}, true},
		"error of another rank":     {sent(nil), Diagnosis{ReturnedErrors: failed(0, "MPI_Send")}, true},
		"error of an unknown call":  {sent(nil), Diagnosis{ReturnedErrors: failed(3, "MPIX_Send_later")}, true},
		"error of a receive of its": {sent(nil), Diagnosis{ReturnedErrors: failed(3, "MPI_Recv")}, true},
	} {
		checktest.Equal(t, c.want, c.d.MayBeSkipped(c.m), name)
	}
}
