package source

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"laggard/internal/regular"
	"laggard/report/words"
	"laggard/slicing/fortran"
)

// maxSourceFile is how much of a source file is read, in bytes.
const maxSourceFile = 16 << 20

// Finder reads source files on the analysing machine, by the names that
// debug information has for them. The names come from the writer of the run directory,
// so only regular files are read that have the name of source code and are text, and no
// link is followed out of the directory where the file should be.
type Finder struct {
	RunDir string   // where files may have been put beside the data; "" none
	Roots  []string // directories with the files of the machine the job ran on
	// Started is when the run began, zero unknown. A file changed since then may
	// not be what was compiled.
	Started time.Time
}

// Excerpt is a run of consecutive source lines.
type Excerpt struct {
	File  string   `json:"file"`  // path as recorded
	First int      `json:"first"` // number of the first line
	Text  []string `json:"text"`  // the lines
}

// Excerpts returns the lines of a file that are at most around lines from a
// wanted one, and whether the file was changed after the run began. A file that
// is not found has none.
func (f Finder) Excerpts(file string, wanted []int, around int) (out []Excerpt, changed bool) {
	text, info := f.openFirst(file)
	if text == nil {
		return nil, false
	}
	defer text.Close()
	out = cutExcerpts(file, io.LimitReader(text, maxSourceFile), lineRanges(wanted, around))
	return out, !f.Started.IsZero() && info.ModTime().After(f.Started.Add(time.Second)) // it is known in whole seconds
}

// Text returns all lines of a file, nil if it is not found.
func (f Finder) Text(file string) []string {
	all, _ := f.Excerpts(file, []int{1}, maxSourceFile)
	if len(all) == 0 {
		return nil
	}
	return all[0].Text
}

// Texts are those of files, each of which is read once.
type Texts struct {
	Finder Finder
	read   map[string][]string
}

// Text returns all lines of a file, nil if it is not found.
func (t *Texts) Text(file string) []string {
	text, known := t.read[file]
	if !known {
		text = t.Finder.Text(file)
		if t.read == nil {
			t.read = map[string][]string{}
		}
		t.read[file] = text
	}
	return text
}

// BranchLine is the line of a branch in a file for which the debug information has a line, as far as the text can correct that.
func (t *Texts) BranchLine(file string, line int) int {
	if !fortran.IsSource(file) {
		return line
	}
	return fortran.BranchLine(t.Text(file), line)
}

// Identify identifies the text of a file by its size and when it was changed, "" if it is not found.
func (f Finder) Identify(file string) string {
	text, info := f.openFirst(file)
	if text == nil {
		return ""
	}
	text.Close()
	return fmt.Sprintf("%d bytes, %d", info.Size(), info.ModTime().UnixNano())
}

// openFirst opens the file in the first of the places that has it; nil: none has.
func (f Finder) openFirst(file string) (*os.File, fs.FileInfo) {
	if !isSource(file) {
		return nil, nil
	}
	for _, p := range f.candidates(file) {
		text, info, err := regular.OpenBeneath(p.dir, p.name)
		if err != nil {
			continue
		}
		if isText(text) {
			return text, info
		}
		text.Close()
	}
	return nil, nil
}

// candidate is where a file may be: by its name in a directory that no link leads out of.
type candidate struct{ dir, name string }

func (f Finder) candidates(file string) []candidate {
	var out []candidate
	for _, dir := range append(slices.Clone(f.Roots), f.RunDir) {
		if dir != "" {
			out = append(out, candidate{dir, filepath.Join("/", file)[1:]}, candidate{dir, path.Base(file)})
		}
	}
	if filepath.IsAbs(file) {
		out = append(out, candidate{filepath.Dir(file), filepath.Base(file)})
	}
	return out
}

// begins is how much of a file is looked at to tell whether it is text.
const begins = 8 << 10

// isText reports whether a file begins as text does, and goes back to its begin.
func isText(file *os.File) bool {
	head := make([]byte, begins)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	_, err = file.Seek(0, io.SeekStart)
	return err == nil && bytes.IndexByte(head[:n], 0) < 0
}

var sourceEndings = []string{
	".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc", ".tpp", ".inc", ".def",
	".cu", ".cuh", ".hip", ".s", ".y", ".l", ".rs", ".go", ".jl", ".py", ".pyx", ".d",
}

func isSource(file string) bool {
	return fortran.IsSource(file) || slices.Contains(sourceEndings, strings.ToLower(path.Ext(file)))
}

// lineRanges are the lines around the wanted ones, first and last, in order and
// apart from each other.
func lineRanges(wanted []int, around int) [][2]int {
	wanted = slices.Clone(wanted)
	slices.Sort(wanted)
	var out [][2]int
	for _, line := range wanted {
		first, last := max(1, line-around), line+around
		if n := len(out); n > 0 && first <= out[n-1][1]+1 {
			out[n-1][1] = last
			continue
		}
		out = append(out, [2]int{first, last})
	}
	return out
}

func cutExcerpts(file string, text io.Reader, want [][2]int) []Excerpt {
	var out []Excerpt
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for n := 1; len(want) > 0 && lines.Scan(); n++ {
		if n < want[0][0] {
			continue
		}
		if n == want[0][0] {
			out = append(out, Excerpt{File: file, First: n})
		}
		last := &out[len(out)-1]
		last.Text = append(last.Text, words.Printable(expandTabs(lines.Text())))
		if n == want[0][1] {
			want = want[1:]
		}
	}
	return out
}

// expandTabs writes tabs as blanks, to the columns of a terminal.
func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	column := 0
	for _, c := range s {
		n := 1
		if c == '\t' {
			n, c = 8-column%8, ' '
		}
		column += n
		b.WriteString(strings.Repeat(string(c), n))
	}
	return b.String()
}
