package rundir

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"laggard/job/launcher"
	"laggard/model"
	"laggard/model/runfiles"
)

// ErrNotEmpty is returned for a directory that holds something already.
var ErrNotEmpty = errors.New("is not empty and is not overwritten; choose another")

// ErrFile is returned where a directory is to be made and a file is there.
var ErrFile = errors.New("is a file; choose another name")

// Create makes the directory of a new run, with its parents, for the user alone;
// "" makes one named by date and process in the current directory. It returns the
// absolute path. The directory may be there if it is empty (else ErrNotEmpty).
// The error of a file there is ErrFile.
func Create(dir string) (string, error) {
	if dir == "" {
		dir = DatedName("laggard")
	}
	dir, err := CreateShared(dir)
	if err != nil {
		return "", fmt.Errorf("run directory: %w", err)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("run directory %s %w", dir, ErrFile)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("run directory: %w", err)
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("run directory %s %w", dir, ErrNotEmpty)
	}
	return dir, os.Chmod(dir, 0o700)
}

// DatedName is a name for a directory of this process, with the date behind what it begins with.
func DatedName(begins string) string {
	return fmt.Sprintf("%s-%s-%d", begins, time.Now().Format("20060102-150405"), os.Getpid())
}

// CreateShared makes a directory as Create does, which others may have made or be about
// to make as well.
func CreateShared(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, checkOwner(dir)
}

// checkOwner returns an error if a directory belongs to another user, who could put files there by
// which this user's job is judged, and ended.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	return nil
}

// WriteManifest writes the manifest of a run, which must not have one yet. It fills in
// what is known here: schema, date and the name of the job.
func WriteManifest(dir string, id uint64, m model.Manifest) error {
	m.RunID, m.Created, m.Job = model.RunIDText(id), time.Now().UTC().Truncate(time.Second), launcher.Allocation()
	return runfiles.WriteManifest(dir, &m)
}

// ReadManifest reads the manifest of a run directory. Without one the error wraps
// model.ErrNoRun.
func ReadManifest(dir string) (*model.Manifest, error) {
	m, err := runfiles.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is %w: %w", dir, model.ErrNoRun, err)
	}
	return m, err
}

// EarlierJobError says that a directory holds the run of an earlier job that had the name of this one.
func EarlierJobError(dir string) error {
	return fmt.Errorf("%s holds an earlier job; choose another directory", dir)
}

// CheckRunID returns an error if the directory holds another run than this one.
func CheckRunID(dir string, id uint64) error {
	m, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && m.RunID != model.RunIDText(id) {
		err = fmt.Errorf("%s holds another run; choose another directory", dir)
	}
	return err
}

// nodePaths returns where in a run directory the file of a node may be. That
// depends on how many nodes the job has: up to 256, up to 32768, or more
// (levels in recorder/file/path.c).
func nodePaths(host string) [3]string {
	host = strings.ReplaceAll(host, "/", "_")
	hash := crc32.Checksum([]byte(host), crc32.MakeTable(crc32.Castagnoli))
	name := "node-" + host + ".lgd"
	return [3]string{
		name,
		fmt.Sprintf("%02x/%s", hash&0xff, name),
		fmt.Sprintf("%02x/%02x/%s", hash&0xff, hash>>8&0xff, name),
	}
}

// OwnFile is the node file of this node, "" if there is none yet.
func OwnFile(dir string) string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	for _, name := range nodePaths(host) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// OpenOwn reads what the ranks of this node have recorded, nil if there is
// nothing.
func OpenOwn(dir string) *model.Run {
	path := OwnFile(dir)
	if path == "" {
		return nil
	}
	run, err := runfiles.OpenFile(path)
	if err != nil {
		return nil
	}
	return run
}
