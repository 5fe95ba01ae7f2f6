package diagnosis

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/report"
	"laggard/report/words"
)

// table gives each distinct value a position.
type table[K comparable] struct {
	at   map[K]int
	list []K
}

func newTable[K comparable]() table[K] { return table[K]{at: map[K]int{}, list: []K{}} }

// intern returns the position of a value, and whether it is new.
func (t *table[K]) intern(k K) (int, bool) {
	if i, known := t.at[k]; known {
		return i, false
	}
	t.at[k] = len(t.list)
	t.list = append(t.list, k)
	return len(t.list) - 1, true
}

// pageTables hold once what many groups share.
type pageTables struct {
	files, names, modules table[string]
	frames                table[pageFrame]
	stackKeys             table[string]
	stacks                [][]int
	inStacks              int // frames in stacks
	omitted               int // frames that there was no room for
	states                table[pageState]
}

func newPageTables() pageTables {
	return pageTables{
		files: newTable[string](), names: newTable[string](), modules: newTable[string](),
		frames: newTable[pageFrame](), stackKeys: newTable[string](), stacks: [][]int{}, states: newTable[pageState](),
	}
}

func (t *pageTables) fillPage(p *pageData) {
	p.Files, p.Names, p.Modules = t.files.list, t.names.list, t.modules.list
	p.Frames, p.Stacks, p.States = t.frames.list, t.stacks, t.states.list
}

func (t *pageTables) fileIndex(name string) int {
	i, _ := t.files.intern(words.Printable(name))
	return i
}

func (t *pageTables) nameIndex(function string) int {
	i, _ := t.names.intern(words.Printable(function))
	return i
}

func (t *pageTables) encodeFrame(f report.Frame) pageFrame {
	name := cmp.Or(f.Function, f.String())
	module, _ := t.modules.intern(words.Printable(f.Module))
	return pageFrame{name: t.nameIndex(name), file: t.fileIndex(f.File), line: f.Line, module: module,
		note: t.nameIndex(words.Cut(f.Note)), inlined: f.Inlined}
}

// stackIndex puts the frames from the innermost on, as long as there is room.
func (t *pageTables) stackIndex(frames []report.Frame) int {
	list := []int{}
	for _, f := range frames {
		if len(t.frames.list) == maxPageFrames || t.inStacks+len(list) == maxPageStacks {
			break
		}
		i, _ := t.frames.intern(t.encodeFrame(f))
		list = append(list, i)
	}
	t.omitted += len(frames) - len(list)
	i, isNew := t.stackKeys.intern(fmt.Sprint(list))
	if isNew {
		t.stacks = append(t.stacks, list)
		t.inStacks += len(list)
	}
	return i
}

func (t *pageTables) stateIndex(s State) int {
	does, at := stateParts(s)
	i, _ := t.states.intern(pageState{Does: words.Printable(does), At: words.Printable(at), Stack: t.stackIndex(s.Stack)})
	return i
}

// pageBuilder lays out parts of a result, with what they share in tables.
type pageBuilder struct{ tables pageTables }

// pageTexts cuts a list, and each of its texts, to what a page can show.
func (b *pageBuilder) pageTexts(list []string) []string {
	out := []string{}
	for _, s := range list[:min(len(list), maxPageTexts)] {
		out = append(out, pageText(s))
	}
	return out
}

// pageText is a text as the page shows it.
func pageText(s string) string { return cutPage(words.Printable(s)) }

func cutPage(s string) string {
	runes := []rune(s)
	if len(runes) <= maxPageText {
		return s
	}
	return string(runes[:maxPageText]) + "… (all of it in the JSON form)"
}

func (b *pageBuilder) pageLosses(list []Loss) []Loss {
	out := slices.Clone(list[:min(len(list), maxPageTexts)])
	for i := range out {
		out[i].Reason = cutPage(words.Printable(out[i].Reason))
		out[i].Error = cutPage(out[i].Error)
	}
	return append([]Loss{}, out...)
}
