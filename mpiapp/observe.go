package main

import (
	"os"
	"time"

	"laggard/analysis/progress/evidence"
	"laggard/model"
	"laggard/model/process"
)

// observer sees what the processes of a run do that ran on this host: a record
// cannot say that its process was stopped or killed. A rank on another host
// moves if its sign of life moves.
type observer struct {
	host      string
	now       time.Time
	elsewhere map[int]time.Time // signs of life of ranks of other hosts that may move
}

func newObserver() *observer {
	host, _ := os.Hostname() // without it, all ranks are of another host
	return &observer{host, time.Now(), map[int]time.Time{}}
}

// see adds what can be seen of one rank.
func (o *observer) see(r *model.Rank, f *shareFacts) {
	if r.Host != o.host {
		if moving(r, o.now) {
			o.elsewhere[r.Rank] = r.Heartbeat
		}
		return
	}
	switch process.Of(r) {
	case process.Stopped:
		f.Liveness[r.Rank] = evidence.Stopped
		f.Alive = true
	case process.Gone:
		f.Liveness[r.Rank] = evidence.Dead
	default:
		f.Alive = true
		if moving(r, time.Now()) {
			f.Moving = append(f.Moving, r.Rank)
		}
	}
}

// again looks once more at ranks of other hosts: those move that gave another
// sign of life meanwhile, and make progress.
func (o *observer) again(each func(func(*model.Rank)), f *shareFacts) {
	if len(o.elsewhere) == 0 {
		return
	}
	time.Sleep(secondLook)
	each(func(r *model.Rank) {
		before, known := o.elsewhere[r.Rank]
		if known && moving(r, time.Now()) && r.Heartbeat.After(before) {
			f.Moving = append(f.Moving, r.Rank)
		}
	})
}

// settling is how long the processes of a killed job may take to be gone.
const settling = 700 * time.Millisecond

// ending tells whether the job may be in the midst of being killed: some
// processes are dead and others are not.
func (f shareFacts) ending() bool {
	for _, l := range f.Liveness {
		if l == evidence.Dead && f.Alive {
			return true
		}
	}
	return false
}

// secondLook is long enough for a new sign of life.
const secondLook = 1500 * time.Millisecond

// moving: the rank runs, said so just now, and has not been found quiet.
func moving(r *model.Rank, now time.Time) bool {
	return r.Phase < model.Finalized && r.End == model.NoEnd && !r.Off && r.QuietSince.IsZero() &&
		r.Heartbeat.After(now.Add(-process.Fresh)) && r.Heartbeat.Sub(r.Start) > time.Second
}
