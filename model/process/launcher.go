package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"laggard/internal/regular"
)

// Launcher says how the launcher of a job ended, as `laggard run` saw it.
type Launcher struct {
	SchemaVersion int       `json:"schema_version"`
	Status        int       `json:"status"`           // exit status
	Signal        int       `json:"signal,omitempty"` // that killed it; 0: it exited
	Ended         time.Time `json:"ended"`
}

// Launchers are the names of programs that start MPI jobs.
var Launchers = []string{"mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun", "lrun", "ibrun", "flux", "yhrun"}

// daemons are how the names of processes begin that launchers start on each node, and which start the ranks.
var daemons = []string{"orted", "prte", "hydra_", "pmi_proxy", "slurmstepd", "pbs_", "palsd", "apinit", "apshepherd", "jsm", "mpispawn"}

// IsLauncher reports whether a process is a launcher of MPI jobs, or belongs to one, by its name.
func IsLauncher(command string) bool {
	return slices.ContainsFunc(slices.Concat(Launchers, daemons), func(name string) bool { return strings.HasPrefix(command, name) })
}

// LauncherName is the name of the file about the launcher, beside the manifest.
const LauncherName = "launcher.json"

const (
	launcherVersion  = 1
	maxLauncherBytes = 1 << 16
)

// ErrLauncher wraps what is wrong with a record of a launcher.
var ErrLauncher = errors.New("bad record of the launcher")

// Write puts the record into a run directory. Readers see all of it or none.
func (l Launcher) Write(dir string) error {
	l.SchemaVersion = launcherVersion
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return regular.ReplaceFile(filepath.Join(dir, LauncherName), append(text, '\n'))
}

// ReadLauncher reads the record of a run directory; nil if there is none. Errors about
// its content wrap ErrLauncher.
func ReadLauncher(dir string) (*Launcher, error) {
	return readOptionalFile(filepath.Join(dir, LauncherName), maxLauncherBytes, ErrLauncher, ParseLauncher)
}

// ParseLauncher reads a record of a launcher. Errors wrap ErrLauncher.
func ParseLauncher(text []byte) (*Launcher, error) {
	l := new(Launcher)
	if err := json.Unmarshal(text, l); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLauncher, err)
	}
	if l.SchemaVersion != launcherVersion || l.Signal < 0 || l.Signal > maxSignal || l.Ended.IsZero() {
		return nil, fmt.Errorf("%w: schema_version %d, signal %d, ended %s", ErrLauncher, l.SchemaVersion, l.Signal,
			l.Ended.Format(time.RFC3339))
	}
	return l, nil
}
