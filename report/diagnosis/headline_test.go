package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/report"
)

// TestHeadline: what the first line says of jobs that did not hang, of those that died, and of records with gaps.
func TestHeadline(t *testing.T) {
	recv, segv := "MPI_Recv", "died of SIGSEGV (segmentation fault)"
	gather := report.Site{Function: "gather", File: "/a/gather.c", Line: 40}
	cut := "node-n.lgd: file header at 0: file is cut short: 4096 bytes of 53248 are there"
	finished := Group{Ranks: "0-2", State: State{Kind: "computation", MPI: "MPI_Finalize"}}
	missing := []Group{{Ranks: "0,2", State: State{Kind: "unknown"}}, {Ranks: "1", State: finished.State}}
	died := &LeastProgressed{Ranks: []int{2}, Set: "2", Rule: "lost_process", Reason: "rank 2: " + segv,
		Locations: []Location{{Ranks: "2", Rank: 2, InMPI: &recv, Site: gather}}}
	uncaught := Exception{Ranks: "0-2", Type: "ModuleNotFoundError", State: "uncaught", Site: report.Site{File: "/a/exc.py", Line: 2}}
	bounds := Exception{Ranks: "2", Type: "Fortran runtime error", Text: "Index '5' above 4", State: "fatal", Site: gather}
	thrown := Exception{Ranks: "2", Type: "std::out_of_range", Text: "index 12", State: "thrown", Site: gather}
	terminated, unjoined := *died, *died
	terminated.Locations = []Location{{Ranks: "2", Rank: 2, Stack: []report.Frame{{Function: "abort"}, {Function: "std::terminate"},
		{Function: "__cxa_throw"}}}}
	unjoined.Locations = []Location{{Ranks: "2", Rank: 2, Site: gather, Stack: []report.Frame{{Function: "abort"},
		{Function: "std::terminate"}, {Function: "std::thread::~thread"}}}}
	for want, r := range map[string]*Result{
		"Rank 2 exited with status 2: Fortran runtime error: Index '5' above 4 (gather.c:40), of 3 ranks": {Hang: true,
			LeastProgressed: died, Exceptions: []Exception{bounds},
			Losses: []Loss{{Ranks: "2", Reason: "exited with status 2", Acted: true}}},
		"Rank 2 " + segv + " because of an uncaught std::out_of_range: index 12 (gather.c:40), of 3 ranks": {Hang: true,
			LeastProgressed: &terminated, Losses: []Loss{{Ranks: "2", Reason: segv, Acted: true}}, Exceptions: []Exception{thrown}},
		"Rank 2 " + segv + " in std::terminate (gather.c:40), of 3 ranks": {Hang: true, // the exception was caught before
			LeastProgressed: &unjoined, Losses: []Loss{{Ranks: "2", Reason: segv, Acted: true}}, Exceptions: []Exception{thrown}},
		"MPI ended rank 2, of 3 ranks, because of an error in MPI_Recv (gather.c:40): MPI_ERR_TRUNCATE: message truncated": {Hang: true,
			LeastProgressed: died, Losses: []Loss{
				{Ranks: "2", Reason: "MPI reported an error", Erred: true, Error: "MPI_ERR_TRUNCATE: message truncated"}}},
		"MPI ended rank 2, of 3 ranks, because of an error in MPI_Recv (gather.c:40)": {Hang: true,
			LeastProgressed: died, Losses: []Loss{{Ranks: "2", Reason: "MPI reported an error", Erred: true}}},
		"The job of 3 ranks finished: no hang": {Groups: []Group{finished}},
		"All 3 ranks left MPI_Finalize: no hang; but the launcher ended with status 1, and no rank recorded why": {
			LauncherStatus: 1, Groups: []Group{finished}},
		"All 3 ranks left MPI_Finalize; the process of rank 2 has not ended": {
			RemainingProcesses: "2", Groups: []Group{finished}},
		"The recording of ranks 0-2 stopped before the end, of 3 ranks: what they did later is not known": {
			RecordingStopped: "0-2", Groups: []Group{{Ranks: "0-2", State: State{Kind: "communication", MPI: "MPI_Allreduce"}}}},
		"Rank 0 exited with status 7 after MPI_Finalize. No hang": {
			Failures: []Loss{{Ranks: "0", Reason: "exited with status 7 after MPI_Finalize", Acted: true}}},
		"Ranks 1-2 exited with status 1 before MPI_Finalize because of an uncaught ModuleNotFoundError (exc.py:2). No hang": {
			Failures:   []Loss{{Ranks: "1-2", Reason: "exited with status 1 before MPI_Finalize", Acted: true}},
			Exceptions: []Exception{uncaught}},
		"The job is running: last progress just now, 3 ranks":                 {Running: true, Progress: &Progress{}},
		"The job is running: last progress 2 s ago, 3 ranks, 41 iterations/s": {Running: true, Progress: &Progress{2.1, 41.02}},
		"The job is running: last progress just now, 3 ranks; rank 1 is behind the others": {Running: true, Progress: &Progress{},
			LeastProgressed: &LeastProgressed{Ranks: []int{1}, Set: "1"}},
		"Rank 2 " + segv + " in MPI_Recv (gather.c:40), of 3 ranks": {Hang: true, LeastProgressed: died,
			Losses: []Loss{{Ranks: "2", Reason: segv, Acted: true}}},
		"Rank 2 " + segv + " in MPI_Recv (gather.c:40), where displs[2] is -5, of 3 ranks": {Hang: true, LeastProgressed: died,
			Losses: []Loss{{Ranks: "2", Reason: segv, Acted: true, Argument: "displs[2] is -5"}}},
		"Only rank 1 of 3 has a record (" + cut + "); nothing in it is stuck": {Groups: missing,
			Problems: []string{"model: " + cut}},
		"No usable data in this run: node-n.lgd: impossible value":  {Problems: []string{"model: node-n.lgd: impossible value"}},
		"No rank of this run called MPI_Init, or none was recorded": {},
		"No rank has left data here; the files of this run may still be on its nodes, in /dev/shm/laggard-1a": {
			UncollectedDir: "/dev/shm/laggard-1a"},
	} {
		r.Ranks = 3
		checktest.Equal(t, want, Headline(r))
	}
}
