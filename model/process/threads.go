package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"laggard/model"
)

const (
	besideFor = 500 * time.Millisecond // how long threads are watched
	// leastBeside is the processor time of one at work; the recorder's thread and those that wake up now and then use less.
	leastBeside = besideFor / 10
)

// WorkBeside reports whether a thread of these ranks, whose processes are of this host, is at work outside MPI. It may do what a
// thread inside MPI waits for. It takes half a second.
func WorkBeside(ranks []*model.Rank) bool {
	before := make([]map[string]time.Duration, len(ranks))
	for i, r := range ranks {
		before[i] = outsideTimes(r)
	}
	time.Sleep(besideFor)
	for i, r := range ranks {
		for thread, used := range outsideTimes(r) {
			if used-before[i][thread] >= leastBeside {
				return true
			}
		}
	}
	return false
}

// outsideTimes is the processor time of the threads of a rank that were not in MPI, by their numbers.
func outsideTimes(r *model.Rank) map[string]time.Duration {
	inside := map[string]bool{}
	for _, t := range r.Threads {
		if t.Op.InMPI || t.Op.Kind == model.Poll {
			inside[strconv.Itoa(t.TID)] = true
		}
	}
	tasks, _ := os.ReadDir(filepath.Join(procDirectory(r), "task"))
	times := map[string]time.Duration{}
	for _, task := range tasks {
		if inside[task.Name()] {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(procDirectory(r), "task", task.Name(), "schedstat"))
		used, _, _ := strings.Cut(string(text), " ")
		if ns, err := strconv.ParseInt(used, 10, 64); err == nil {
			times[task.Name()] = time.Duration(ns)
		}
	}
	return times
}
