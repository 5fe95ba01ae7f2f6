package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"laggard/model/process"
	"laggard/model/runfiles"
	"laggard/model/values"
)

// written are the patterns of the names of the files that are written into a run directory.
var written = []string{
	runfiles.NodeFiles, runfiles.ManifestName, process.ObservationFiles, process.LauncherName, process.SignalsName, values.Files,
	endingName, remainingFiles,
}

// Remove removes a recorded run: the files that laggard wrote, and the directories if nothing else is in them. The program may have
// written its results there as well.
func Remove(dir string) error {
	var dirs []string
	var failed error
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			if isWritten(d.Name()) {
				failed = errors.Join(failed, os.Remove(path))
			}
		case path == dir || runfiles.IsSubDirectory(d.Name()) || d.Name() == runfiles.HangName || d.Name() == runfiles.StoodName:
			dirs = append(dirs, path)
		default:
			return filepath.SkipDir
		}
		return nil
	})
	for _, path := range slices.Backward(dirs) {
		_ = os.Remove(path) // fails where it holds files of others
	}
	return errors.Join(err, failed)
}

func isWritten(name string) bool {
	return slices.ContainsFunc(written, func(pattern string) bool {
		ok, _ := filepath.Match(pattern, name)
		return ok
	})
}

// endingName is the name of EndingMark, remainingFiles of RemainingFile.
const (
	endingName     = ".ending"
	remainingFiles = "not-ended-*.txt"
)

// RemainingFile is the file of a run directory that lists the processes of a host that could not be ended.
func RemainingFile(dir, host string) string {
	return filepath.Join(dir, strings.Replace(remainingFiles, "*", filepath.Base(host), 1))
}
