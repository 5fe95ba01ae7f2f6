package diagnosis

import (
	"maps"
	"slices"

	"laggard/report/source"
	"laggard/report/words"
)

// sourceExcerpts lays out the source text that the result has, each line once, until
// there is no more room.
func (b *pageBuilder) sourceExcerpts(r *Result, left *pageOmitted) []pageExcerpt {
	s := pageSources{room: maxPageSource, lines: map[string]map[int]string{}}
	for _, slice := range r.Slices {
		s.addExcerpts(slice.Excerpts)
	}
	s.addExcerpts(r.Extra.Sources)
	left.Source = s.omitted
	out := []pageExcerpt{}
	for _, file := range s.files {
		out = append(out, b.fileExcerpts(file, s.lines[file])...)
	}
	return out
}

type pageSources struct {
	room    int // bytes
	files   []string
	lines   map[string]map[int]string
	omitted int // lines that there was no room for
}

func (s *pageSources) addExcerpts(list []source.Excerpt) {
	for _, e := range list {
		if s.lines[e.File] == nil {
			s.files = append(s.files, e.File)
			s.lines[e.File] = map[int]string{}
		}
		for i, text := range e.Text {
			s.addLine(s.lines[e.File], e.First+i, text)
		}
	}
}

func (s *pageSources) addLine(of map[int]string, number int, text string) {
	if _, known := of[number]; known {
		return
	}
	text = words.Cut(words.Printable(text))
	if s.room -= len(text) + 3; s.room < 0 {
		s.omitted++
		return
	}
	of[number] = text
}

// fileExcerpts joins the lines of a file that follow each other.
func (b *pageBuilder) fileExcerpts(file string, lines map[int]string) []pageExcerpt {
	var out []pageExcerpt
	numbers := slices.Sorted(maps.Keys(lines))
	for i, n := range numbers {
		if i == 0 || numbers[i-1] != n-1 {
			out = append(out, pageExcerpt{File: b.tables.fileIndex(file), First: n})
		}
		last := &out[len(out)-1]
		last.Text = append(last.Text, lines[n])
	}
	return out
}

func (b *pageBuilder) fileIndices(files []string) []int {
	out := []int{}
	for _, file := range files {
		out = append(out, b.tables.fileIndex(file))
	}
	return out
}
