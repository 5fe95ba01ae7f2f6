package runfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"laggard/internal/parallel"
	"laggard/model"
	"laggard/model/nodefile"
)

// Listing names the files of a run directory. One analysis rank makes it and
// gives it to the others, so that a shared directory is listed once; each then
// reads its Part. Its JSON form is for that.
type Listing struct {
	Dir      string          `json:"dir"`
	Manifest *model.Manifest `json:"manifest"` // nil if there is none
	Files    []ListedFile    `json:"files"`    // by name
	// Stood is when the job was noticed to hang, and went on later; zero: never.
	Stood time.Time `json:"stood,omitzero"`
	// Problems are those of the directory and the manifest, only where the
	// listing was made.
	Problems []model.Problem `json:"-"`
}

// ListedFile is a node file.
type ListedFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Directories within a run directory, made as a run directory themselves.
const (
	// HangName is that of the record as it was when a hang was noticed. It is read in
	// place of the present one: that a job is ended changes what its ranks record.
	HangName = "hang"
	// StoodName is what becomes of it if the job continues.
	StoodName = "stood"
)

// RecordDir is the directory that the record of a run is read from: that of the run, or the one within it with
// what was recorded when a hang was noticed, also where the manifest of that is damaged.
func RecordDir(dir string) string {
	hang := filepath.Join(dir, HangName)
	if _, err := ReadManifest(hang); errors.Is(err, fs.ErrNotExist) {
		return dir
	}
	return hang
}

// List lists a run directory, as it was when a hang was noticed if one was. An
// error means that dir is no run directory (it wraps ErrNoRun) or cannot be read.
func List(dir string) (*Listing, error) {
	if RecordDir(dir) != dir {
		return listDir(dir, HangName)
	}
	l, err := ListPresent(dir)
	if m, damaged := ReadManifest(filepath.Join(dir, StoodName)); err == nil && damaged == nil {
		l.Stood = m.Noticed
	}
	return l, err
}

// ListPresent is List of what the ranks have recorded by now.
func ListPresent(dir string) (*Listing, error) { return listDir(dir, "") }

// listDir lists the files in a run directory, or in one within it.
func listDir(dir, sub string) (*Listing, error) {
	names, err := nodeFiles(dir, sub)
	if err != nil {
		return nil, err
	}
	l := &Listing{Dir: dir}
	var manifestErr error
	if l.Manifest, manifestErr = ReadManifest(filepath.Join(dir, sub)); errors.Is(manifestErr, fs.ErrNotExist) {
		manifestErr = nil
	} else if manifestErr != nil {
		l.Problems = append(l.Problems, model.Problem{File: filepath.Join(sub, ManifestName), Rank: -1, Err: manifestErr})
		if sub != "" { // of what it says, the one of the run lacks only when the hang was noticed
			l.Manifest, _ = ReadManifest(dir)
		}
	}
	if len(names) == 0 && l.Manifest == nil && manifestErr == nil {
		return nil, fmt.Errorf("model: %s: %w: it has neither %s nor %s", dir, model.ErrNoRun, ManifestName, NodeFiles)
	}
	l.Files = make([]ListedFile, len(names))
	parallel.ForEach(len(names), func(i int) {
		l.Files[i].Name = names[i]
		if info, err := os.Stat(filepath.Join(dir, names[i])); err == nil {
			l.Files[i].Bytes = info.Size()
		}
	})
	slices.SortFunc(l.Files, func(a, b ListedFile) int { return cmp.Compare(a.Name, b.Name) })
	return l, nil
}

// ScanPart scans the share i of n of a run directory: about as many bytes as in the
// other shares. A file may be spread over several; then a slot belongs to the
// one in which its first chunk begins.
func (l *Listing) ScanPart(i, n int) *Part {
	p := &Part{listing: l, first: i == 0, open: l.openFile}
	var total, start int64
	for _, f := range l.Files {
		total += max(f.Bytes, 1)
	}
	from, to := shareOf(total, i, n), shareOf(total, i+1, n)
	for _, f := range l.Files {
		end := start + max(f.Bytes, 1)
		if start < to && end > from {
			part := filePart{name: f.Name, from: max(from-start, 0), to: to - start}
			if end <= to {
				part.to = math.MaxInt64 // with what a live process adds
			}
			p.files = append(p.files, part)
		}
		start = end
	}
	p.scanFiles()
	return p
}

// openFile opens a file. One of the record at a hang has the packed blocks of streams
// where they are, in the present file.
func (l *Listing) openFile(name string) *nodefile.File {
	present := ""
	if name, ok := strings.CutPrefix(name, HangName+"/"); ok {
		present = filepath.Join(l.Dir, name)
	}
	return nodefile.Open(filepath.Join(l.Dir, name), name, present)
}

// shareOf returns where share i of n begins.
func shareOf(total int64, i, n int) int64 {
	whole, rest := total/int64(n), total%int64(n)
	return whole*int64(i) + rest*int64(i)/int64(n)
}
