package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"laggard/model"
	"laggard/model/progress"
)

// freshFor is how old the last sign of life of a moving rank may be; the
// recorder gives one about every second.
const freshFor = 5 * time.Second

// observe adds what can be seen of the processes that ran on this host: a
// record cannot say that its process was stopped or killed. A rank on another
// host moves if its sign of life moves; again reads the records anew.
func observe(ranks []*model.Rank, f *facts, again func() []*model.Rank) {
	host, err := os.Hostname()
	if err != nil {
		return
	}
	elsewhere := false
	for _, r := range ranks {
		if r.Host != host {
			elsewhere = elsewhere || moving(r, time.Now())
			continue
		}
		switch processState(r) {
		case 'T', 't':
			f.Liveness[r.Rank] = progress.Stopped
			f.Alive = true
		case 0, 'Z', 'X':
			f.Liveness[r.Rank] = progress.Dead
		default:
			f.Alive = true
			if moving(r, time.Now()) {
				f.Moving = append(f.Moving, r.Rank)
			}
		}
	}
	if elsewhere {
		time.Sleep(secondLook)
		f.Moving = append(f.Moving, movedSince(ranks, again(), host)...)
	}
}

// settling is how long the processes of a killed job may take to be gone.
const settling = 700 * time.Millisecond

// ending tells whether the job may be in the midst of being killed: some
// processes are dead and others are not.
func (f facts) ending() bool {
	for _, l := range f.Liveness {
		if l == progress.Dead && f.Alive {
			return true
		}
	}
	return false
}

// secondLook is long enough for a new sign of life.
const secondLook = 1500 * time.Millisecond

// movedSince lists the ranks of other hosts that gave a sign of life between
// two looks, and make progress.
func movedSince(before, after []*model.Rank, host string) []int {
	seen := map[int]time.Time{}
	for _, r := range before {
		seen[r.Rank] = r.Heartbeat
	}
	var out []int
	for _, r := range after {
		if r.Host != host && moving(r, time.Now()) && r.Heartbeat.After(seen[r.Rank]) {
			out = append(out, r.Rank)
		}
	}
	return out
}

// moving: the rank runs, said so just now, and has not been found quiet.
func moving(r *model.Rank, now time.Time) bool {
	return r.Phase < model.Finalized && r.End == model.NoEnd && !r.Off && r.QuietSince.IsZero() &&
		r.Heartbeat.After(now.Add(-freshFor)) && r.Heartbeat.Sub(r.Start) > time.Second
}

// processState returns the state letter of /proc/PID/stat, 0 if the process is
// gone. A process of another program has taken over its number. The record may
// have only the beginning of a long path.
func processState(r *model.Rank) byte {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(r.PID) + "/stat")
	if err != nil {
		return 0
	}
	after := text[bytes.LastIndexByte(text, ')')+1:] // the name before it may have any character
	if len(after) < 2 {
		return 0
	}
	if exe, err := os.Readlink("/proc/" + strconv.Itoa(r.PID) + "/exe"); err == nil && !strings.HasPrefix(exe, r.Exe) {
		return 0
	}
	return after[1]
}
