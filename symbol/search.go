package symbol

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Config says where to look for files.
type Config struct {
	RunDir string   // the run directory, where files may have been put beside the data; "" none
	Roots  []string // directories under which another machine's files lie, by whole path or by name
	// DebugDirs hold separate debug files, as .build-id/ab/cdef.debug or by
	// the path of the module. Nil means /usr/lib/debug.
	DebugDirs []string
	// Library are patterns of files, besides the system's, that are of libraries; * stands for any characters.
	Library []string
	// Debuginfod is asked for what is nowhere else; nil: nobody is.
	Debuginfod *Debuginfod
}

// rootDirs are all directories that stand for a root of files, nearest first.
func (c Config) rootDirs() []string {
	if c.RunDir == "" {
		return c.Roots
	}
	return append([]string{c.RunDir}, c.Roots...)
}

// debugDirs are all directories for separate debug files.
func (c Config) debugDirs() []string {
	dirs := c.DebugDirs
	if dirs == nil {
		dirs = []string{"/usr/lib/debug"}
	}
	var under []string
	for _, p := range c.rootDirs() {
		under = append(under, p)
		for _, d := range dirs {
			under = append(under, filepath.Join(p, d))
		}
	}
	return append(dirs[:len(dirs):len(dirs)], under...)
}

// modulePaths lists where a module may be.
func (c Config) modulePaths(path, id string) []string {
	path = strings.TrimSuffix(path, " (deleted)")
	if path == "" || strings.HasPrefix(path, "[") || strings.HasPrefix(path, "linux-vdso") {
		return nil
	}
	list := []string{path}
	for _, p := range c.rootDirs() {
		list = append(list, filepath.Join(p, path), filepath.Join(p, filepath.Base(path)))
	}
	return append(list, c.byBuildID(id, "")...)
}

// byBuildID lists where a file with that build-id may be.
func (c Config) byBuildID(id, suffix string) []string {
	if !isBuildID(id) {
		return nil
	}
	var list []string
	for _, d := range c.debugDirs() {
		list = append(list, filepath.Join(d, ".build-id", id[:2], id[2:]+suffix))
	}
	return list
}

func isBuildID(id string) bool {
	return len(id) >= 4 && strings.Trim(id, "0123456789abcdef") == ""
}

// fetchImage opens what the servers of debug information have, and adds to the notes why
// they have not.
func (c Config) fetchImage(id, kind string, notes []error) (*image, []error) {
	path, err := c.Debuginfod.locateFile(id, kind)
	if path == "" {
		if err != nil {
			notes = append(notes, err)
		}
		return nil, notes
	}
	img, more := openFirst([]string{path}, sameID(id))
	if img == nil {
		c.Debuginfod.rejectFile(id, kind, errors.Join(more...))
	}
	return img, append(notes, more...)
}

// openFirst opens the first of paths that accept agrees to; nil if there is none.
// notes says why files that exist were passed over.
func openFirst(paths []string, accept func(*image) error) (img *image, notes []error) {
	for _, p := range paths {
		img, err := openImage(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			if err = accept(img); err == nil {
				return img, notes
			}
			img.close()
		}
		notes = append(notes, err)
	}
	return nil, notes
}

// ErrBuildID is wrapped by the error about a file that is not the recorded one.
var ErrBuildID = errors.New("build-id differs")

// sameID accepts files with that build-id only.
func sameID(id string) func(*image) error {
	return func(m *image) error {
		if m.buildID != id {
			return fmt.Errorf("symbol: %s: %w: recorded %s, found %s", m.path, ErrBuildID, shortBuildID(id), shortBuildID(m.buildID))
		}
		return nil
	}
}

// shortBuildID cuts a build-id to what people compare.
func shortBuildID(id string) string {
	switch {
	case id == "":
		return "none"
	case len(id) > 8:
		return id[:8] + "…"
	}
	return id
}

// debugImage finds the separate debug file of a module, nil if there is none.
func (c Config) debugImage(m *image) (*image, []error) {
	if m.buildID != "" {
		img, notes := openFirst(c.byBuildID(m.buildID, ".debug"), sameID(m.buildID))
		if img != nil {
			return img, notes
		}
	}
	img, notes := c.linkedImage(m)
	if img == nil {
		return c.fetchImage(m.buildID, "debuginfo", notes)
	}
	return img, notes
}

// linkedImage finds the debug file that a module names.
func (c Config) linkedImage(m *image) (*image, []error) {
	name, crc, ok := m.debugLink()
	if !ok {
		return nil, nil
	}
	dir := filepath.Dir(m.path)
	paths := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
	for _, d := range c.debugDirs() {
		paths = append(paths, filepath.Join(d, dir, name), filepath.Join(d, name))
	}
	return openFirst(paths, func(d *image) error {
		// Build-ids prove more than the checksum, and need no reading of
		// a gigabyte.
		if m.buildID != "" && d.buildID != "" {
			return sameID(m.buildID)(d)
		}
		return guardFile(d.path, func() error {
			if crc32.ChecksumIEEE(d.data) != crc {
				return fmt.Errorf("%w: checksum is not that of .gnu_debuglink", ErrMalformed)
			}
			return nil
		})
	})
}

// debugLink reads .gnu_debuglink: a file name, padding, a checksum.
func (m *image) debugLink() (name string, crc uint32, ok bool) {
	b, err := m.sectionData(".gnu_debuglink")
	n := strings.IndexByte(string(b), 0)
	if err != nil || n <= 0 || len(b) < n+5 {
		return "", 0, false
	}
	return filepath.Base(string(b[:n])), m.elf.ByteOrder.Uint32(b[len(b)-4:]), true
}

// altImage finds the file to which dwz moved what several debug files share,
// nil if m does not ask for one or it is not there.
func (c Config) altImage(m *image) (*image, []error) {
	b, err := m.sectionData(".gnu_debugaltlink")
	name, id, ok := strings.Cut(string(b), "\x00")
	if err != nil || !ok || id == "" || name == "" {
		return nil, nil
	}
	want := fmt.Sprintf("%x", id)
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(m.path), name)
	}
	paths := append([]string{name}, c.byBuildID(want, ".debug")...)
	for _, p := range c.rootDirs() {
		paths = append(paths, filepath.Join(p, name), filepath.Join(p, filepath.Base(name)))
	}
	img, notes := openFirst(paths, sameID(want))
	if img == nil {
		img, notes = c.fetchImage(want, "debuginfo", notes)
	}
	if img == nil && len(notes) == 0 {
		notes = []error{fmt.Errorf("symbol: %s: the file of .gnu_debugaltlink was not found: %s", m.path, name)}
	}
	return img, notes
}

// askRPM bounds how long the database of packages may take to answer.
const askRPM = 2 * time.Second

// debugPackage names the package with the debug information of an installed file, as
// the distributions call them; "" if no package is known to have the file.
func debugPackage(path string) string {
	if name := dpkgOwner("/var/lib/dpkg/info", path); name != "" {
		return name + "-dbgsym"
	}
	for _, dir := range []string{"/usr/lib/sysimage/rpm", "/var/lib/rpm"} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), askRPM)
		defer cancel()
		name, err := exec.CommandContext(ctx, "rpm", "-qf", "--qf", "%{NAME}", path).Output()
		if err == nil && len(name) > 0 {
			return string(name) + "-debuginfo"
		}
		break
	}
	return ""
}

// dpkgOwner names the package whose list of files has a path; where /lib is a link to
// /usr/lib the list may have either. It asks no program: dpkg takes ten times as long.
func dpkgOwner(lists, path string) string {
	wanted := [][]byte{[]byte("\n" + path + "\n"), []byte("\n" + strings.TrimPrefix(path, "/usr") + "\n")}
	files, _ := filepath.Glob(filepath.Join(lists, "*.list"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && (bytes.Contains(text, wanted[0]) || bytes.Contains(text, wanted[1])) {
			name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".list"), ":")
			return name
		}
	}
	return ""
}
