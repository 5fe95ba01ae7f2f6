package standstill

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"laggard/model"
	"laggard/model/process"
)

// A moment, and what ranks look like then.
var now = time.Date(2026, 3, 12, 3, 15, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// rankAt is a rank of a job of two that said just now that it lives, after a
// standstill of that length; 0: it makes progress.
func rankAt(rank int, quiet time.Duration, change ...func(*model.Rank)) *model.Rank {
	r := &model.Rank{
		Rank: rank, Size: 2, Phase: model.Running, Heartbeat: ago(time.Second),
		Threads: []*model.Thread{{Op: model.Op{InMPI: true, Kind: model.Recv}}},
	}
	if quiet > 0 {
		r.QuietSince = ago(quiet)
	}
	for _, c := range change {
		c(r)
	}
	return r
}

func computing(r *model.Rank) { r.Threads[0].Op.InMPI = false }

// captured: its stack was the same that many times.
func captured(same int) func(*model.Rank) {
	return func(r *model.Rank) { r.Threads[0].Captured = &model.Capture{Same: same} }
}

func polling(r *model.Rank)   { r.Threads[0].Op = model.Op{Kind: model.Poll} }
func finalized(r *model.Rank) { r.Phase = model.Finalized }
func ended(r *model.Rank)     { r.End = model.Exited }
func off(r *model.Rank)       { r.Off = true }

// silent: its last sign of life is that old.
func silent(d time.Duration) func(*model.Rank) {
	return func(r *model.Rank) { r.Heartbeat = ago(d) }
}

// survived: it stood still that long before, and went on.
func survived(d time.Duration) func(*model.Rank) {
	return func(r *model.Rank) { r.LongestQuiet = d }
}

func TestHangs(t *testing.T) {
	const minute = time.Minute
	for _, c := range []struct {
		name    string
		ranks   []*model.Rank
		timeout time.Duration
		want    bool
	}{
		{"nothing recorded yet", nil, 0, false},
		{"a rank never came to MPI_Init", []*model.Rank{rankAt(0, minute)}, 0, true},
		{"the other waits for one at work",
			[]*model.Rank{rankAt(0, 4*minute, computing, captured(1)), rankAt(1, 4*minute)}, 0, false},
		{"it is at work for too long",
			[]*model.Rank{rankAt(0, 5*minute, computing, captured(1)), rankAt(1, 5*minute)}, 0, true},
		{"the user says it is", []*model.Rank{rankAt(0, minute, computing, captured(1)), rankAt(1, minute)}, minute,
			true},
		{"the other waits for one stuck at a place",
			[]*model.Rank{rankAt(0, minute, computing, captured(4)), rankAt(1, minute)}, 0, true},
		{"all stand still, long enough", []*model.Rank{rankAt(0, minute), rankAt(1, 2*minute)}, 0, true},
		{"not long enough", []*model.Rank{rankAt(0, minute-1), rankAt(1, 2*minute)}, 0, false},
		{"one moves", []*model.Rank{rankAt(0, 0), rankAt(1, time.Hour)}, 0, false},
		{"one moves, short timeout", []*model.Rank{rankAt(0, 0), rankAt(1, time.Hour)}, time.Second, false},
		{"the user's timeout is taken as it is",
			[]*model.Rank{rankAt(0, 2*time.Second, survived(minute)), rankAt(1, minute)}, 2 * time.Second, true},
		{"the user's longer one too", []*model.Rank{rankAt(0, 9*minute), rankAt(1, 9*minute)}, 10 * minute, false},
		{"twice what it survived, not yet",
			[]*model.Rank{rankAt(0, 9*minute, survived(5*minute)), rankAt(1, 9*minute)}, 0, false},
		{"twice what it survived", []*model.Rank{rankAt(0, 10*minute, survived(5*minute)), rankAt(1, 10*minute)}, 0,
			true},
		{"all compute", []*model.Rank{rankAt(0, time.Hour, computing), rankAt(1, time.Hour, computing)}, 0, false},
		{"all compute, and the user says that is a hang",
			[]*model.Rank{rankAt(0, minute, computing), rankAt(1, minute, computing)}, minute, true},
		{"one computes, the other waits", []*model.Rank{rankAt(0, minute, computing), rankAt(1, minute)}, 0, true},
		{"one computes, the other polls", []*model.Rank{rankAt(0, minute, computing), rankAt(1, minute, polling)}, 0,
			true},
		{"one finalized, the other waits", []*model.Rank{rankAt(0, 0, finalized), rankAt(1, minute)}, 0, true},
		{"one ended, the other waits", []*model.Rank{rankAt(0, 0, ended), rankAt(1, minute)}, 0, true},
		{"all finalized", []*model.Rank{rankAt(0, 0, finalized), rankAt(1, time.Hour, finalized)}, 0, false},
		{"all ended", []*model.Rank{rankAt(0, time.Hour, ended), rankAt(1, time.Hour, ended)}, 0, false},
		{"one cannot say", []*model.Rank{rankAt(0, 0, off), rankAt(1, minute)}, 0, true},
		{"none can say", []*model.Rank{rankAt(0, 0, off), rankAt(1, 0, off)}, 0, false},
		{"a rank is on its way to MPI_Init", []*model.Rank{rankAt(0, minute-1)}, time.Second, false},
		{"one was stopped", []*model.Rank{rankAt(0, 0, silent(minute)), rankAt(1, minute)}, 0, true},
		{"one was stopped just now", []*model.Rank{rankAt(0, 0, silent(process.Fresh+time.Second)),
			rankAt(1, minute)}, 0, false},
		{"a sign of life is late", []*model.Rank{rankAt(0, 0, silent(minute-time.Second)),
			rankAt(1, time.Hour)}, time.Second, false},
		{"here, its process is gone", []*model.Rank{rankAt(0, 0, here(1<<30), silent(process.Fresh+time.Second)),
			rankAt(1, minute)}, process.Fresh, true},
		{"here, its process is there", []*model.Rank{rankAt(0, 0, here(os.Getpid()), silent(time.Hour)),
			rankAt(1, time.Hour)}, time.Second, false},
		{"here, it was quiet before it fell silent",
			[]*model.Rank{rankAt(0, time.Hour, here(os.Getpid()), silent(time.Hour)), rankAt(1, time.Hour)},
			time.Second, false},
		{"in a container, its number is nobody's here", []*model.Rank{
			rankAt(0, 0, here(1<<30), contained, silent(process.Fresh+time.Second)), rankAt(1, minute)},
			process.Fresh, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := &model.Run{Ranks: c.ranks}
			for _, r := range c.ranks {
				run.Size = r.Size
				run.Seen.Add(r.Rank)
			}
			if got := new(Eye).Look(run, now).Hangs(c.timeout, now); got != c.want {
				t.Errorf("hung: %v, want %v: %+v", got, c.want, new(Eye).Look(run, now))
			}
		})
	}
}

// here: it is a process of this host.
func here(pid int) func(*model.Rank) {
	return func(r *model.Rank) { r.Host, _ = os.Hostname(); r.PID = pid }
}

// contained: its number is that inside a container.
func contained(r *model.Rank) { r.PIDSpace = 1 }

// TestMute: of a rank that does not say any more that it lives, though its process
// is there, the looks tell whether it makes progress.
func TestMute(t *testing.T) {
	mute, other := rankAt(0, 0, here(os.Getpid()), silent(time.Hour)), rankAt(1, time.Hour)
	mute.Threads[0].Progress = 7
	run := &model.Run{Ranks: []*model.Rank{mute, other}, Size: 2, Seen: model.NewRankSet(0, 1)}
	var eye Eye
	for _, step := range []struct {
		after    time.Duration
		progress uint64
		want     bool
	}{
		{0, 7, false}, {30 * time.Second, 7, true}, {31 * time.Second, 8, false}, {50 * time.Second, 8, false},
		{61 * time.Second, 8, true},
		{10 * time.Minute, 8, false}, // nobody looked meanwhile
	} {
		at := now.Add(step.after)
		mute.Threads[0].Progress, other.Heartbeat = step.progress, at
		if got := eye.Look(run, at).Hangs(30*time.Second, at); got != step.want {
			t.Errorf("after %s: hung: %v, want %v", step.after, got, step.want)
		}
	}
}

// TestSuspended: a job of which all processes are stopped was suspended by
// somebody, and does not hang; one of which one is stopped does.
func TestSuspended(t *testing.T) {
	var pids []int
	for range 2 {
		child := exec.Command("sleep", "60")
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
		pids = append(pids, child.Process.Pid)
	}
	both := &model.Run{Size: 2, Seen: model.NewRankSet(0, 1), Ranks: []*model.Rank{
		rankAt(0, 0, here(pids[0]), silent(time.Hour)), rankAt(1, 0, here(pids[1]), silent(time.Hour))}}
	one := &model.Run{Size: 2, Seen: both.Seen, Ranks: []*model.Rank{both.Ranks[0], rankAt(1, time.Hour)}}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	for end := time.Now().Add(10 * time.Second); process.Of(both.Ranks[0]) != process.Stopped ||
		process.Of(both.Ranks[1]) != process.Stopped; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the processes do not stop")
		}
	}
	if new(Eye).Look(both, now).Hangs(time.Second, now) {
		t.Error("a suspended job hangs")
	}
	if !new(Eye).Look(one, now).Hangs(time.Second, now) {
		t.Error("a job with a stopped rank does not hang")
	}
}
