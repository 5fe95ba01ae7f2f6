package attach

import (
	"os"
	"time"

	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/intake/values"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
	recorded "laggard/model/values"
	"laggard/symbol"
)

// readValues reads what the variables of a thread hold, as the newest look saw it.
func (b *builder) readValues(seen []*model.Thread) {
	s := b.samples[seen[len(seen)-1].TID]
	b.taken.Values = append(b.taken.Values, b.readVariables(b.arguments.resolver, s))
}

// readVariables reads what the variables of a thread hold.
func (w *sampledRank) readVariables(resolver *symbol.Resolver, s *sample) recorded.Rank {
	return values.Read(resolver, w.rank, s.stack.Frames, w.process.Image.ThreadMemory(&s.thread))
}

// Limits of what valuesHere looks at.
const (
	mostValued   = 256 // ranks
	longestValue = 5 * time.Second
)

// valuesHere reads what the variables of recorded ranks of this node hold, of those that still run. Ranks
// that cannot be read are left out: nothing else depends on it.
func valuesHere(ranks []*model.Rank, resolver *symbol.Resolver) []recorded.Rank {
	host, _ := os.Hostname()
	rows := &unwind.Rows{}
	var out []recorded.Rank
	for end := time.Now().Add(longestValue); len(ranks) > 0 && len(out) < mostValued && time.Now().Before(end); {
		r := ranks[0]
		ranks = ranks[1:]
		if !process.IsLocal(r, host) || len(r.Threads) == 0 || process.StateOf(r) == process.Gone {
			continue
		}
		if v, err := valuesOf(r, rows, resolver); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// NoteValues keeps what the variables of the ranks of this node hold beside their record. n is of how many it is
// known.
func NoteValues(dir string, resolver *symbol.Resolver) (n int, err error) {
	run, err := runfiles.OpenPresent(dir)
	if err != nil {
		return 0, err
	}
	host, err := os.Hostname()
	if err != nil {
		return 0, err
	}
	held := valuesHere(run.Ranks, resolver)
	return len(held), recorded.Write(runfiles.RecordDir(dir), host, held)
}

// valuesOf reads those of one rank, of the thread that speaks for it.
func valuesOf(r *model.Rank, rows *unwind.Rows, resolver *symbol.Resolver) (recorded.Rank, error) {
	p, err := stopped.Open(r.PID)
	if err != nil {
		return recorded.Rank{}, err
	}
	w := &sampledRank{rankProcess: &rankProcess{rank: r.Rank, process: p}, unwinder: unwind.New(&p.Image, rows)}
	s, err := w.sampleThread(r.Threads[0].TID, 0, false)
	if err != nil {
		return recorded.Rank{}, err
	}
	return w.readVariables(resolver, s), nil
}
