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

// Sightings are what whoever watched a node saw of the processes of its ranks. They
// lie beside the node file, which cannot tell how a process ended that was killed,
// or that it was stopped.
type Sightings struct {
	SchemaVersion int    `json:"schema_version"`
	Processes     []Seen `json:"processes"`
}

// Seen is what was seen of the process of one slot of the node file. A zero time:
// it was not seen so.
type Seen struct {
	Slot    int       `json:"slot"`
	PID     int       `json:"pid"`
	Stopped time.Time `json:"stopped,omitzero"` // since when it is, or was until it ended
	Gone    time.Time `json:"gone,omitzero"`    // when it ended: no two alike, in the order in which they did
	// Noted: Gone is when the kernel was seen to have noted the end, before a launcher can have learned of it.
	Noted bool `json:"noted,omitempty"`
}

// seenVersion is the schema_version that this version writes and reads.
const seenVersion = 1

// maxSeen bounds the bytes of the file.
const maxSeen = 64 << 20

// ErrSightings wraps what is wrong with sightings.
var ErrSightings = errors.New("bad sightings")

// SeenFiles is the pattern of the names of sightings in a run directory.
const SeenFiles = "seen-*.json"

// SeenName is the name of the sightings that belong to a node file.
func SeenName(nodeFile string) string {
	dir, name := filepath.Split(nodeFile)
	name = strings.TrimSuffix(strings.TrimPrefix(name, "node-"), ".lgd")
	return dir + "seen-" + name + ".json"
}

// ReadSightings reads the sightings that belong to a node file; there may be none,
// then nobody watched the node, or all was well.
func ReadSightings(nodeFile string) (*Sightings, error) {
	name := SeenName(nodeFile)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(Sightings), nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxSeen) {
		err = fmt.Errorf("%s: %w: no file of less than %d bytes", name, ErrSightings, maxSeen)
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s, err := ParseSightings(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// ParseSightings reads sightings. Errors wrap ErrSightings.
func ParseSightings(text []byte) (*Sightings, error) {
	s := new(Sightings)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSightings, err)
	}
	if s.SchemaVersion != seenVersion {
		return nil, fmt.Errorf("%w: schema_version %d, this program reads %d",
			ErrSightings, s.SchemaVersion, seenVersion)
	}
	return s, nil
}

// Write puts the sightings beside a node file, in the place of earlier ones.
// Readers see the old file or the new one.
func (s *Sightings) Write(nodeFile string) error {
	s.SchemaVersion = seenVersion
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return regular.Replace(SeenName(nodeFile), append(text, '\n'))
}

// Of returns what was seen of a rank's process, nil if nothing was.
func (s *Sightings) Of(r *model.Rank) *Seen {
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Slot == r.Slot && p.PID == r.PID {
			return p
		}
	}
	return nil
}
