package diagnosis

import (
	"slices"

	"laggard/report/source"
	"laggard/report/words"
)

// sources lays out the source text that the result has, each line once, until
// there is no more room.
func (b *pageBuilder) sources(r *Result, left *pageLeft) []pageExcerpt {
	s := pageSources{room: maxPageSource, lines: map[string]map[int]string{}}
	for _, slice := range r.Slices {
		s.add(slice.Excerpts)
	}
	s.add(r.Extra.Sources)
	left.Source = s.left
	out := []pageExcerpt{}
	for _, file := range s.files {
		out = append(out, b.excerpts(file, s.lines[file])...)
	}
	return out
}

type pageSources struct {
	room  int // bytes
	files []string
	lines map[string]map[int]string
	left  int // lines that there was no room for
}

func (s *pageSources) add(list []source.Excerpt) {
	for _, e := range list {
		if s.lines[e.File] == nil {
			s.files = append(s.files, e.File)
			s.lines[e.File] = map[int]string{}
		}
		for i, text := range e.Text {
			s.line(s.lines[e.File], e.First+i, text)
		}
	}
}

func (s *pageSources) line(of map[int]string, number int, text string) {
	if _, known := of[number]; known {
		return
	}
	text = words.Cut(words.Printable(text))
	if s.room -= len(text) + 3; s.room < 0 {
		s.left++
		return
	}
	of[number] = text
}

// excerpts joins the lines of a file that follow each other.
func (b *pageBuilder) excerpts(file string, lines map[int]string) []pageExcerpt {
	var out []pageExcerpt
	numbers := make([]int, 0, len(lines))
	for n := range lines {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if i == 0 || numbers[i-1] != n-1 {
			out = append(out, pageExcerpt{File: b.tables.file(file), First: n})
		}
		last := &out[len(out)-1]
		last.Text = append(last.Text, lines[n])
	}
	return out
}

func (b *pageBuilder) changed(files []string) []int {
	out := []int{}
	for _, file := range files {
		out = append(out, b.tables.file(file))
	}
	return out
}
