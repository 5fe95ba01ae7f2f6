package standstill

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/process"
)

// A moment, and what ranks look like then.
var now = time.Date(2026, 3, 12, 3, 15, 0, 0, time.UTC)

func timeAgo(d time.Duration) time.Time { return now.Add(-d) }

// rankAt is a rank of a job of two that said just now that it lives, after a
// standstill of that length; 0: it makes progress.
func rankAt(rank int, quiet time.Duration, change ...func(*model.Rank)) *model.Rank {
	r := &model.Rank{
		Rank: rank, Size: 2, Phase: model.Running, Heartbeat: timeAgo(time.Second),
		Threads: []*model.Thread{{Op: model.Op{InMPI: true, Kind: model.Recv}}},
	}
	if quiet > 0 {
		r.QuietSince = timeAgo(quiet)
	}
	for _, c := range change {
		c(r)
	}
	return r
}

func computing(r *model.Rank) { r.Threads[0].Op.InMPI = false }

// inCall: it is inside that MPI function.
func inCall(function string) func(*model.Rank) {
	return func(r *model.Rank) {
		r.Threads[0].Model.States = []*model.State{{Call: function}}
		r.Threads[0].Op = model.Op{InMPI: true, Kind: model.Other}
	}
}

// activeSince: that long ago it was seen at work inside a call.
func activeSince(d time.Duration) func(*model.Rank) {
	return func(r *model.Rank) {
		r.Activity = model.Activity{Active: timeAgo(d), How: model.MovesBytes, Written: 12e8}
	}
}

// Whether it is certain that a job can never go on.
func certainHang() bool   { return true }
func uncertainHang() bool { return false }

func runOf(ranks []*model.Rank) *model.Run {
	run := &model.Run{Ranks: ranks}
	for _, r := range ranks {
		run.Size = r.Size
		run.Seen.Add(r.Rank)
	}
	return run
}

func inPoll(r *model.Rank)      { r.Threads[0].Op = model.Op{Kind: model.Poll} }
func finalized(r *model.Rank)   { r.Phase = model.Finalized }
func hasExited(r *model.Rank)   { r.End = model.Exited }
func recorderOff(r *model.Rank) { r.Off = true }

// silentFor: its last sign of life is that old.
func silentFor(d time.Duration) func(*model.Rank) {
	return func(r *model.Rank) { r.Heartbeat = timeAgo(d) }
}

// survivedQuiet: it stood still that long before, and went on.
func survivedQuiet(d time.Duration) func(*model.Rank) {
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
		{"the user's timeout holds for one that computes", []*model.Rank{rankAt(0, minute, computing),
			rankAt(1, minute)}, minute, true},
		{"all stand still, long enough", []*model.Rank{rankAt(0, minute), rankAt(1, 2*minute)}, 0, true},
		{"not long enough", []*model.Rank{rankAt(0, minute-1), rankAt(1, 2*minute)}, 0, false},
		{"one moves", []*model.Rank{rankAt(0, 0), rankAt(1, time.Hour)}, 0, false},
		{"one moves, short timeout", []*model.Rank{rankAt(0, 0), rankAt(1, time.Hour)}, time.Second, false},
		{"the user's timeout is taken as it is",
			[]*model.Rank{rankAt(0, 2*time.Second, survivedQuiet(minute)), rankAt(1, minute)}, 2 * time.Second, true},
		{"the user's longer one too", []*model.Rank{rankAt(0, 9*minute), rankAt(1, 9*minute)}, 10 * minute, false},
		{"twice what it survived, not yet",
			[]*model.Rank{rankAt(0, 9*minute, survivedQuiet(5*minute)), rankAt(1, 9*minute)}, 0, false},
		{"twice what it survived", []*model.Rank{rankAt(0, 10*minute, survivedQuiet(5*minute)), rankAt(1, 10*minute)}, 0,
			true},
		{"all compute", []*model.Rank{rankAt(0, time.Hour, computing), rankAt(1, time.Hour, computing)}, 0, false},
		{"all compute, and the user says that is a hang",
			[]*model.Rank{rankAt(0, minute, computing), rankAt(1, minute, computing)}, minute, true},
		{"one computes, the other waits", []*model.Rank{rankAt(0, minute, computing), rankAt(1, minute)}, 0, true},
		{"one computes, the other polls", []*model.Rank{rankAt(0, minute, computing), rankAt(1, minute, inPoll)}, 0,
			true},
		{"one finalized, the other waits", []*model.Rank{rankAt(0, 0, finalized), rankAt(1, minute)}, 0, true},
		{"one ended, the other waits", []*model.Rank{rankAt(0, 0, hasExited), rankAt(1, minute)}, 0, true},
		{"all finalized", []*model.Rank{rankAt(0, 0, finalized), rankAt(1, time.Hour, finalized)}, 0, false},
		{"all ended", []*model.Rank{rankAt(0, time.Hour, hasExited), rankAt(1, time.Hour, hasExited)}, 0, false},
		{"one cannot say", []*model.Rank{rankAt(0, 0, recorderOff), rankAt(1, minute)}, 0, true},
		{"none can say", []*model.Rank{rankAt(0, 0, recorderOff), rankAt(1, 0, recorderOff)}, 0, false},
		{"a rank is on its way to MPI_Init", []*model.Rank{rankAt(0, minute-1)}, time.Second, false},
		{"one was stopped", []*model.Rank{rankAt(0, 0, silentFor(minute)), rankAt(1, minute)}, 0, true},
		{"one was stopped just now", []*model.Rank{rankAt(0, 0, silentFor(process.Fresh+time.Second)),
			rankAt(1, minute)}, 0, false},
		{"a sign of life is late", []*model.Rank{rankAt(0, 0, silentFor(minute-time.Second)),
			rankAt(1, time.Hour)}, time.Second, false},
		{"here, its process is gone", []*model.Rank{rankAt(0, 0, onThisHost(1<<30), silentFor(process.Fresh+time.Second)),
			rankAt(1, minute)}, process.Fresh, true},
		{"here, its process is there", []*model.Rank{rankAt(0, 0, onThisHost(os.Getpid()), silentFor(time.Hour)),
			rankAt(1, time.Hour)}, time.Second, false},
		{"here, it was quiet before it fell silent",
			[]*model.Rank{rankAt(0, time.Hour, onThisHost(os.Getpid()), silentFor(time.Hour)), rankAt(1, time.Hour)},
			time.Second, false},
		{"in a container, its number is nobody's here", []*model.Rank{
			rankAt(0, 0, onThisHost(1<<30), contained, silentFor(process.Fresh+time.Second)), rankAt(1, minute)},
			process.Fresh, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(c.ranks)
			if got := new(Observer).Look(run, now).IsHung(c.timeout, now, certainHang); got != c.want {
				t.Errorf("hung: %v, want %v: %+v", got, c.want, new(Observer).Look(run, now))
			}
		})
	}
}

// TestPatience: a job of which it is not certain that it can never go on has longer, and one that is active inside a
// call has all the time.
func TestPatience(t *testing.T) {
	const minute = time.Minute
	for _, c := range []struct {
		name    string
		ranks   []*model.Rank
		timeout time.Duration
		certain func() bool
		want    bool
	}{
		{"all wait", []*model.Rank{rankAt(0, 4*minute), rankAt(1, 4*minute)}, 0, uncertainHang, false},
		{"all wait for too long", []*model.Rank{rankAt(0, Patience), rankAt(1, Patience)}, 0, uncertainHang, true},
		{"they can never go on", []*model.Rank{rankAt(0, minute), rankAt(1, minute)}, 0, certainHang, true},
		{"not yet", []*model.Rank{rankAt(0, minute-1), rankAt(1, minute)}, 0, certainHang, false},
		{"the user's timeout", []*model.Rank{rankAt(0, 2*time.Second), rankAt(1, minute)}, 2 * time.Second, uncertainHang, true},
		{"a file, the user's timeout", []*model.Rank{rankAt(0, 4*minute, inCall("MPI_File_write_at")),
			rankAt(1, 4*minute)}, 2 * time.Second, uncertainHang, false},
		{"a file, for too long", []*model.Rank{rankAt(0, Patience, inCall("MPI_File_sync")), rankAt(1, Patience)},
			2 * time.Second, uncertainHang, true},
		{"a file, and others never come", []*model.Rank{rankAt(0, 2*time.Second, inCall("MPI_File_write_all")),
			rankAt(1, minute)}, 2 * time.Second, certainHang, true},
		{"it starts others", []*model.Rank{rankAt(0, minute-1, inCall("MPI_Comm_spawn")), rankAt(1, minute)},
			2 * time.Second, certainHang, false},
		{"a server waits for clients", []*model.Rank{rankAt(0, Patience, inCall("MPI_Comm_accept")), rankAt(1, Patience)}, 0,
			uncertainHang, false},
		{"a server waits, and the user's timeout", []*model.Rank{rankAt(0, minute, inCall("MPI_Comm_accept")), rankAt(1, minute)},
			2 * time.Second, uncertainHang, true},
		{"one is active", []*model.Rank{rankAt(0, 9*minute, activeSince(time.Second)), rankAt(1, 9*minute)},
			2 * time.Second, certainHang, false},
		{"one is active, and nobody gave a timeout", []*model.Rank{rankAt(0, 9*minute, activeSince(time.Second)),
			rankAt(1, 9*minute)}, 0, certainHang, false},
		{"one was active", []*model.Rank{rankAt(0, 9*minute, activeSince(3*time.Second)), rankAt(1, 9*minute)},
			2 * time.Second, uncertainHang, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			checktest.Equal(t, c.want, new(Observer).Look(runOf(c.ranks), now).IsHung(c.timeout, now, c.certain), "hung")
		})
	}
}

// TestLongest: the call that a user is told about.
func TestLongest(t *testing.T) {
	waits, writes := rankAt(0, 70*time.Second, inCall("MPI_Barrier")), rankAt(1, 65*time.Second,
		inCall("MPI_File_write_at"), activeSince(time.Second))
	look := func(ranks ...*model.Rank) Standstill { return new(Observer).Look(runOf(ranks), now) }
	for _, c := range []struct {
		at   Standstill
		want string
	}{
		{look(waits, writes), "rank 1 has been in MPI_File_write_at for 65 s, 1.2 GB written so far"},
		{look(waits, rankAt(1, 61*time.Second, inCall("MPI_Recv"))), "rank 0 has been in MPI_Barrier for 70 s"},
		{look(waits, rankAt(1, 61*time.Second, inCall("MPI_File_close"))), "rank 1 has been in MPI_File_close for 61 s"},
		{look(waits, rankAt(1, 0)), ""},
		{look(rankAt(0, 59*time.Second, inCall("MPI_Recv"))), ""},
	} {
		got := ""
		if call := c.at.LongestCall(time.Minute); call != nil {
			got = call.String()
		}
		checktest.Equal(t, c.want, got)
	}
}

// onThisHost: it is a process of this host.
func onThisHost(pid int) func(*model.Rank) {
	return func(r *model.Rank) { r.Host, _ = os.Hostname(); r.PID = pid }
}

// contained: its number is that inside a container.
func contained(r *model.Rank) { r.PIDSpace = 1 }

// TestMute: of a rank that does not say any more that it lives, though its process
// is there, the looks tell whether it makes progress.
func TestMute(t *testing.T) {
	mute, other := rankAt(0, 0, onThisHost(os.Getpid()), silentFor(time.Hour)), rankAt(1, time.Hour)
	mute.Threads[0].Progress = 7
	run := &model.Run{Ranks: []*model.Rank{mute, other}, Size: 2, Seen: model.NewRankSet(0, 1)}
	var eye Observer
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
		checktest.Equal(t, step.want, eye.Look(run, at).IsHung(30*time.Second, at, uncertainHang), "after", step.after, "hung")
	}
}

// TestStaleWord: that a rank made no progress for long does not hold any more once it was seen to go on, although it
// has not said so yet.
func TestStaleWord(t *testing.T) {
	r, done := rankAt(0, time.Minute), rankAt(1, 0, finalized)
	run := runOf([]*model.Rank{r, done})
	var eye Observer
	eye.Look(run, now)
	r.Threads[0].Progress++
	if eye.Look(run, now.Add(time.Second/2)).Still {
		t.Error("a job with a rank that goes on stands still")
	}
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{time.Second, false}, {2 * time.Second, false}, {9 * time.Second, true}} {
		at := now.Add(step.after)
		if step.want { // it has looked again, and stands still there
			r.Heartbeat, r.QuietSince = at, now.Add(time.Second)
		}
		checktest.Equal(t, step.want, eye.Look(run, at).IsHung(5*time.Second, at, certainHang), "after", step.after, "hung")
	}
}

// TestSuspended: a job of which all processes are stopped was suspended by
// somebody, and does not hang; one of which one is stopped does.
func TestSuspended(t *testing.T) {
	var pids []int
	for range 2 {
		child := exec.Command("sleep", "60")
		musttest.Succeed(t, child.Start())
		t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
		pids = append(pids, child.Process.Pid)
	}
	both := &model.Run{Size: 2, Seen: model.NewRankSet(0, 1), Ranks: []*model.Rank{
		rankAt(0, 0, onThisHost(pids[0]), silentFor(time.Hour)), rankAt(1, 0, onThisHost(pids[1]), silentFor(time.Hour))}}
	one := &model.Run{Size: 2, Seen: both.Seen, Ranks: []*model.Rank{both.Ranks[0], rankAt(1, time.Hour)}}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	for end := time.Now().Add(10 * time.Second); process.StateOf(both.Ranks[0]) != process.Stopped ||
		process.StateOf(both.Ranks[1]) != process.Stopped; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the processes do not stop")
		}
	}
	if new(Observer).Look(both, now).IsHung(time.Second, now, certainHang) {
		t.Error("a suspended job hangs")
	}
	if new(Observer).Look(runOf(both.Ranks[:1]), now).IsHung(time.Second, now, certainHang) {
		t.Error("a suspended job of one rank hangs")
	}
	if !new(Observer).Look(one, now).IsHung(time.Second, now, certainHang) {
		t.Error("a job with a stopped rank does not hang")
	}
}

// TestKilled: where all ranks that did not end were killed, nobody is left that could hang, whatever their launcher does; where one lives,
// it may wait for them.
func TestKilled(t *testing.T) {
	child := exec.Command("true")
	musttest.Succeed(t, child.Run())
	host := musttest.Get(os.Hostname())(t)
	gone := func(r *model.Rank) { r.PID, r.Host = child.Process.Pid, host }
	dead := rankAt(0, time.Hour, gone, silentFor(time.Hour))
	for name, c := range map[string]struct {
		other *model.Rank
		hangs bool
	}{
		"all":            {rankAt(1, time.Hour, gone, silentFor(time.Hour)), false},
		"the other over": {rankAt(1, time.Hour, finalized), false},
		"the other here": {rankAt(1, time.Hour), true},
	} {
		s := new(Observer).Look(runOf([]*model.Rank{dead, c.other}), now)
		if s.IsHung(time.Second, now, certainHang) != c.hangs || s.IsCertainHang(0, now, certainHang) != c.hangs {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestResumed: while laggard was stopped nobody looked, and the job may have been stopped with it.
func TestResumed(t *testing.T) {
	run := &model.Run{Ranks: []*model.Rank{rankAt(0, time.Hour), rankAt(1, time.Hour)}}
	var eye Observer
	eye.NoteResumed(timeAgo(10 * time.Second))
	for _, c := range []struct {
		timeout time.Duration
		want    bool
	}{{0, false}, {11 * time.Second, false}, {10 * time.Second, true}} {
		checktest.Equal(t, c.want, eye.Look(run, now).IsHung(c.timeout, now, uncertainHang), "timeout", c.timeout, "hung")
	}
}
