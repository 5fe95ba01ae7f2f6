package runfiles

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

// jobOf are the ranks from to to-1 of a job of that size that began at that second; world and starter say which one it is.
func jobOf(from, to, size, begin int, world, starter uint64, change ...func(*nodefile.SlotInfo)) (out []nodefile.SlotInfo) {
	for rank := from; rank < to; rank++ {
		s := nodefile.SlotInfo{Slot: 100*begin + rank, Rank: rank, Size: size, World: world, Starter: starter,
			Start: modeltest.Time(begin), Heartbeat: modeltest.Time(begin + 10)}
		for _, c := range change {
			c(&s)
		}
		out = append(out, s)
	}
	return out
}

func hasFinished(s *nodefile.SlotInfo) { s.Finished = true }
func hasEnded(s *nodefile.SlotInfo)    { s.Ended = s.Rank == 1 }
func standsStill(s *nodefile.SlotInfo) { s.Still = true }

// livedUntil is when its last sign of life was.
func livedUntil(second int) func(*nodefile.SlotInfo) {
	return func(s *nodefile.SlotInfo) { s.Heartbeat = modeltest.Time(second) }
}

// TestWhichJob: of several MPI jobs in a recording one is looked at, and nothing of the others is taken for its.
func TestWhichJob(t *testing.T) {
	const a, b, c = 11, 12, 13
	for name, test := range map[string]struct {
		jobs   [][]nodefile.SlotInfo // the one to be looked at first
		others []OtherJob
	}{
		"one that crashed, before one of that size that finished": {
			[][]nodefile.SlotInfo{jobOf(0, 3, 3, 1, 0, a, hasEnded), jobOf(0, 3, 3, 20, 0, b, hasFinished)}, []OtherJob{{3, JobFinished}}},
		"likewise where the launcher gives names": {
			[][]nodefile.SlotInfo{jobOf(0, 3, 3, 1, a, 0, hasEnded), jobOf(0, 3, 3, 20, b, 0, hasFinished)}, []OtherJob{{3, JobFinished}}},
		"one that hangs, beside one that finished": {
			[][]nodefile.SlotInfo{jobOf(0, 3, 3, 1, 0, a, standsStill), jobOf(0, 3, 3, 3, 0, b, hasFinished)},
			[]OtherJob{{3, JobFinished}}},
		"one that hangs, beside one that runs": {
			[][]nodefile.SlotInfo{jobOf(0, 4, 4, 1, a, 0, standsStill), jobOf(0, 4, 4, 2, b, 0)}, []OtherJob{{4, JobUnfinished}}},
		"the latest of two that hang": {
			[][]nodefile.SlotInfo{jobOf(0, 4, 4, 2, b, 0, standsStill), jobOf(0, 4, 4, 1, a, 0, standsStill)},
			[]OtherJob{{4, JobUnfinished}}},
		"one that runs, behind one that crashed": {
			[][]nodefile.SlotInfo{jobOf(0, 4, 4, 30, b, 0), jobOf(0, 4, 4, 1, a, 0, hasEnded)}, []OtherJob{{4, JobFailed}}},
		"one that hung to the end, beside a later one that crashed": {
			[][]nodefile.SlotInfo{jobOf(0, 4, 4, 1, a, 0, standsStill, livedUntil(60)), jobOf(0, 4, 4, 5, b, 0, hasEnded)},
			[]OtherJob{{4, JobFailed}}},
		"not a program that a rank has started": {
			[][]nodefile.SlotInfo{jobOf(0, 4, 4, 1, 0, a, livedUntil(20)), jobOf(0, 1, 1, 9, 0, 0, standsStill)},
			[]OtherJob{{1, JobUnfinished}}},
		"the largest of those that finished": {
			[][]nodefile.SlotInfo{jobOf(0, 4, 4, 1, 0, a, hasFinished), jobOf(0, 2, 2, 20, 0, b, hasFinished),
				jobOf(0, 2, 2, 9, 0, c, hasFinished)}, []OtherJob{{2, JobFinished}, {2, JobFinished}}},
	} {
		var slots []nodefile.SlotInfo
		for _, job := range test.jobs {
			slots = append(slots, job...)
		}
		for cut := range slots {
			x := indexOf(slots[cut:], slots[:cut])
			checktest.Equal(t, test.jobs[0], x.Slots, name, "slots, cut at", cut)
			checktest.Equal(t, test.others, x.Others, name, "others")
			checktest.Equal(t, []int{test.jobs[0][0].Size, 0, 0}, []int{x.Size, x.Duplicates, x.Strangers}, name, "size, left out")
		}
	}
}

// indexOf is the index of slots in several files.
func indexOf(files ...[]nodefile.SlotInfo) *Index {
	p := &Part{listing: &Listing{}}
	for _, slots := range files {
		f := filePart{Scan: nodefile.Scan{Header: nodefile.Header{RunID: 7}, Usable: true, Sound: true, Slots: slots}}
		p.files = append(p.files, f)
	}
	return p.wholeIndex()
}

// TestJoinNodes: parts of jobs on several nodes, of which each node knows only its own, are joined by their ranks and times.
func TestJoinNodes(t *testing.T) {
	count := func(jobs ...[]nodefile.SlotInfo) (sizes []int) {
		var r RunCensus
		for _, slots := range jobs {
			r.countSlots(slots)
		}
		for _, j := range r.findJobs() {
			sizes = append(sizes, j.Seen.Len())
		}
		return sizes
	}
	const size = 8
	part := func(from, begin int, starter uint64) []nodefile.SlotInfo {
		return jobOf(from, from+4, size, begin, 0, starter)
	}
	checktest.Equal(t, []int{8}, count(part(0, 1, 1), part(4, 2, 2)), "one job on two nodes")
	checktest.Equal(t, []int{8, 8}, count(part(0, 1, 1), part(4, 2, 2), part(4, 30, 3), part(0, 31, 4)), "one behind the other")
	checktest.Equal(t, []int{8, 4}, count(part(0, 1, 1), part(4, 30, 3), part(0, 31, 4)), "of the first one node has no record")
	checktest.Equal(t, []int{8, 8}, count(part(0, 1, 1), part(0, 4, 4), part(4, 1, 2), part(4, 5, 3)), "at once: by their starts")
	checktest.Equal(t, []int{4, 4}, count(part(0, 1, 1), jobOf(4, 8, size, 1, 9, 0)), "one has a name, and is another job")
	checktest.Equal(t, []int{8}, count(part(4, 0, 0), jobOf(0, 4, size, 1, 9, 0)), "of a part nothing is known")
}

// TestSpawnedByOther: processes that a rank of another job has spawned are that job's.
func TestSpawnedByOther(t *testing.T) {
	spawned := jobOf(0, 2, 2, 9, 22, 0, func(s *nodefile.SlotInfo) { s.Spawned, s.ParentWorld = true, 11 })
	x := indexOf(jobOf(0, 3, 3, 1, 11, 0, hasFinished), spawned, jobOf(0, 3, 3, 20, 12, 0))
	if len(x.Slots) != 3 || len(x.Worlds) != 0 {
		t.Errorf("of the job that spawned nothing: %d slots, worlds %v", len(x.Slots), x.Worlds)
	}
	x = indexOf(jobOf(0, 3, 3, 1, 11, 0), spawned, jobOf(0, 3, 3, 20, 12, 0, hasFinished))
	if len(x.Slots) != 5 || len(x.Worlds) != 1 {
		t.Errorf("of the one that did: %d slots, worlds %v", len(x.Slots), x.Worlds)
	}
}

// TestOpenJobs: where all is read at once, the other jobs that did not finish are there, too.
func TestOpenJobs(t *testing.T) {
	dir := t.TempDir()
	var ranks []*model.Rank
	for i, job := range []struct {
		starter uint64
		phase   model.Phase
	}{{1, model.Running}, {2, model.Finalized}, {3, model.Running}} {
		for rank := range 2 {
			ranks = append(ranks, &model.Rank{Rank: rank, Size: 2, Host: testHeader.Host, Start: modeltest.Time(i), EndDetail: -1,
				Heartbeat: modeltest.Time(i + 3), QuietSince: modeltest.Time(i), Phase: job.phase, Starter: job.starter, ParentRank: -1,
				Threads: []*model.Thread{{Op: model.Op{State: -1}}}})
		}
	}
	musttest.Get(nodefile.WriteNode(dir, testHeader, ranks))(t)
	run := musttest.Get(OpenPresent(dir))(t)
	var starters []uint64
	for _, job := range run.Jobs() {
		starters = append(starters, job.Ranks[0].Starter)
	}
	checktest.Equal(t, []uint64{3, 1}, starters, "the jobs")
	checktest.Equal(t, 4, len(run.Processes()), "processes")
}
