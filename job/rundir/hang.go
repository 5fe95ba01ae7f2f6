package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// NoteHang keeps the record of a run as it is now, which is from now on what is read
// (model.HangName), with that of ranks that were seen from outside only. Nothing that
// happens to the job later changes it. A reader sees all of it or none.
func NoteHang(dir string, now time.Time, outside []*model.Rank) error {
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	l, err := runfiles.ListPresent(dir)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(dir, ".hang-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, f := range l.Files {
		to := filepath.Join(tmp, f.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := copyNode(filepath.Join(dir, f.Name), to); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := writeOutside(tmp, m, outside); err != nil {
		return err
	}
	m.Noticed = now.UTC().Truncate(time.Second)
	if err := runfiles.WriteManifest(tmp, m); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, runfiles.HangName))
}

// writeOutside writes the ranks of this node that have no record of their own.
func writeOutside(dir string, m *model.Manifest, ranks []*model.Rank) error {
	if len(ranks) == 0 {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	id, err := m.ID()
	if err != nil {
		return err
	}
	file, err := nodefile.Encode(nodefile.Header{RunID: id, Host: host}, ranks)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "node-"+strings.ReplaceAll(host, "/", "_")+".outside.lgd"), file, 0o600)
}

// EndingMark is the file of a run directory that says that the job is being ended, to what looks after other nodes.
func EndingMark(dir string) string { return filepath.Join(dir, endingName) }

// MarkEnding makes that file.
func MarkEnding(dir string) error { return os.WriteFile(EndingMark(dir), nil, 0o600) }

// copyNode copies a node file and the sightings that belong to it.
func copyNode(from, to string) error {
	if err := nodefile.CopyRecords(from, to); err != nil {
		return err
	}
	seen, err := process.ReadObservations(from)
	if err != nil || len(seen.Processes) == 0 {
		return err
	}
	return seen.Write(to)
}

// ForgetHang has the present record read again: the job went on.
func ForgetHang(dir string) error {
	hang, stood := filepath.Join(dir, runfiles.HangName), filepath.Join(dir, runfiles.StoodName)
	if _, err := os.Stat(hang); errors.Is(err, fs.ErrNotExist) {
		return nil // it could not be noted
	}
	return errors.Join(os.RemoveAll(stood), os.Rename(hang, stood))
}
