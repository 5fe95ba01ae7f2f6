package facts

import (
	"testing"

	"laggard/model"
)

// TestIncident: ranks of which nothing special is known have one Incident in common, and no other rank has it.
func TestIncident(t *testing.T) {
	plain := func(rank int) *model.Rank {
		return &model.Rank{Rank: rank, Size: 3, Threads: []*model.Thread{{}}}
	}
	killed := plain(2)
	killed.Fatal = model.Signal{Number: 9}
	one, other, third := factOf(plain(0), plain(0).Threads[0]), factOf(plain(1), plain(1).Threads[0]), factOf(killed, killed.Threads[0])
	if one.Incident != other.Incident || one.Incident != noIncident || third.Incident == noIncident || third.Fatal.Number != 9 {
		t.Errorf("%p and %p, and %p of a rank that was killed: %+v", one.Incident, other.Incident, third.Incident, third.Fatal)
	}
	for name, change := range map[string]func(*Incident){
		"working":  func(i *Incident) { i.Working = "reads" },
		"error":    func(i *Incident) { i.Error = "e" },
		"argument": func(i *Incident) { i.Argument = "a" },
		"buffers":  func(i *Incident) { i.Buffers = make([]Buffer, 1) },
		"follows":  func(i *Incident) { i.ErrorMayFollow = true },
		"awaits":   func(i *Incident) { i.Holder.For = model.EndAwaited },
		"holder":   func(i *Incident) { i.Holder.TID = 5 },
		"held":     func(i *Incident) { i.Held.Waits = make([]model.Frame, 1) },
		"asked":    func(i *Incident) { i.Asked.Number = 15 },
		"fatal":    func(i *Incident) { i.Fatal.Number = 11 },
		"ender":    func(i *Incident) { i.Ender = model.EnderExec },
		"orphaned": func(i *Incident) { i.Orphaned = true },
	} {
		var i Incident
		if change(&i); i.orNone() != &i {
			t.Errorf("%s is lost", name)
		}
	}
}
