package model

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// Manifest is manifest.json, written once per run by laggard run or exec.
type Manifest struct {
	SchemaVersion int                `json:"schema_version"`
	RunID         string             `json:"run_id"` // hex, as in the files
	Created       time.Time          `json:"created"`
	Version       string             `json:"version"` // of laggard
	Command       []string           `json:"command"`
	Ranks         int                `json:"ranks"`              // expected; 0 not known beforehand
	Job           string             `json:"job"`                // the resource manager's name for it, "" without one
	Record        []string           `json:"record,omitempty"`   // progress, and usage, movement, volume if asked
	Features      map[string]float64 `json:"features,omitempty"` // further numbers that say how large the run is
	LiveDir       string             `json:"live_dir,omitempty"` // node directory of files not yet collected, or ""
	Imported      bool               `json:"imported,omitempty"` // made from backtraces, see docs/manual/offline.md
	// Noticed is when a hang was: the manifest is that of the record as it was then.
	Noticed time.Time `json:"noticed,omitzero"`
}

// ID returns the run id as a number, as it is in the node files.
func (m *Manifest) ID() (uint64, error) { return strconv.ParseUint(m.RunID, 16, 64) }

// NodeDir is the directory of a run below a live_dir.
func NodeDir(liveDir, runID string) string { return filepath.Join(liveDir, NodeDirPrefix+runID) }

// NodeDirPrefix is what the name of a run's directory below a live_dir begins with; its ID follows.
const NodeDirPrefix = "laggard-"

// RunIDText writes a run id as a manifest has it.
func RunIDText(id uint64) string { return fmt.Sprintf("%016x", id) }
