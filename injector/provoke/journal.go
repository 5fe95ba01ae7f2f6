package provoke

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"laggard/internal/regular"
	"laggard/model/mpi"
)

// Made is a choice that was made in a run.
type Made struct {
	Kind  mpi.Choice
	Rank  int    // EveryRank: the ranks of a communicator chose alike
	Key   uint64 // of the site
	Count uint64
	Value int64
	At    uint64 // key of the place of the call: the site, unless ranks chose alike
}

// ScheduleFile is the schedule of a run as the recorder reads it, in its run directory. The
// journals of the ranks are beside it.
func ScheduleFile(dir string) string { return filepath.Join(dir, ".schedule") }

// WriteFor writes the schedule for the run with that directory.
func (s *Schedule) WriteFor(dir string) error {
	return os.WriteFile(ScheduleFile(dir), []byte(s.Lines()), 0o600)
}

// maxJournal is more than a rank writes, bytes (recorder/perturb/journal.c).
const maxJournal = 1 << 20

// ReadMade reads the journals of a run. A choice that several ranks made alike is there once for each place of their calls.
func ReadMade(dir string) ([]Made, error) {
	names, err := filepath.Glob(ScheduleFile(dir) + ".made-*")
	if err != nil {
		return nil, err
	}
	var out []Made
	for _, name := range names {
		text, err := regular.Read(name, maxJournal)
		if err != nil {
			return nil, err
		}
		out = append(out, parseMade(text)...)
	}
	slices.SortFunc(out, compareMade)
	return slices.Compact(out), nil
}

// parseMade reads a journal. It may end anywhere, as its process may: what is no whole line is left out.
func parseMade(text []byte) (out []Made) {
	for line := range bytes.Lines(text) {
		var m Made
		var kind string
		n, _ := fmt.Sscanf(string(line), "%s %d %x %d %d %x", &kind, &m.Rank, &m.Key, &m.Count, &m.Value, &m.At)
		var err error
		if m.Kind, err = mpi.ParseChoice(kind); n == 6 && err == nil {
			out = append(out, m)
		}
	}
	return out
}
