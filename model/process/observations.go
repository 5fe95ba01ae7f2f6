package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"laggard/internal/regular"
	"laggard/model"
)

// Observations are what the watcher of a node saw of the processes of its ranks. They
// lie beside the node file, which cannot tell how a process ended that was killed,
// or that it was stopped.
type Observations struct {
	SchemaVersion int           `json:"schema_version"`
	Processes     []Observation `json:"processes"`
}

// Observation is what was seen of the process of one slot of the node file. A zero time:
// it was not seen so.
type Observation struct {
	Slot    int       `json:"slot"`
	PID     int       `json:"pid"`
	Stopped time.Time `json:"stopped,omitzero"` // since when it is, or was until it ended
	Gone    time.Time `json:"gone,omitzero"`    // when it ended: no two alike, in the order in which they did
	// Noted: Gone is when the kernel was seen to have noted the end, before a launcher can have learned of it.
	Noted bool `json:"noted,omitempty"`
}

// observationsVersion is the schema_version that this version writes and reads.
const observationsVersion = 1

// maxObservations bounds the bytes of the file.
const maxObservations = 64 << 20

// ErrObservations wraps what is wrong with sightings.
var ErrObservations = errors.New("bad sightings")

// ObservationFiles is the pattern of the names of sightings in a run directory.
const ObservationFiles = "seen-*.json"

// ObservationsName is the name of the sightings that belong to a node file.
func ObservationsName(nodeFile string) string {
	dir, name := filepath.Split(nodeFile)
	name = strings.TrimSuffix(strings.TrimPrefix(name, "node-"), ".lgd")
	return dir + "seen-" + name + ".json"
}

// ReadObservations reads the sightings that belong to a node file; there may be none,
// then the node was not watched, or all was well.
func ReadObservations(nodeFile string) (*Observations, error) {
	name := ObservationsName(nodeFile)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(Observations), nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxObservations) {
		err = fmt.Errorf("%s: %w: no file of less than %d bytes", name, ErrObservations, maxObservations)
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s, err := ParseObservations(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// ParseObservations reads sightings. Errors wrap ErrSightings.
func ParseObservations(text []byte) (*Observations, error) {
	s := new(Observations)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrObservations, err)
	}
	if s.SchemaVersion != observationsVersion {
		return nil, fmt.Errorf("%w: schema_version %d, this program reads %d",
			ErrObservations, s.SchemaVersion, observationsVersion)
	}
	return s, nil
}

// Write puts the sightings beside a node file, in the place of earlier ones.
// Readers see the old file or the new one.
func (s *Observations) Write(nodeFile string) error {
	s.SchemaVersion = observationsVersion
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return regular.ReplaceFile(ObservationsName(nodeFile), append(text, '\n'))
}

// ForRank returns what was seen of a rank's process, nil if nothing was.
func (s *Observations) ForRank(r *model.Rank) *Observation {
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Slot == r.Slot && p.PID == r.PID {
			return p
		}
	}
	return nil
}
