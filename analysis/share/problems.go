package share

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Problems is what is wrong with the data of a run. It is a monoid: see
// [MergeProblems].
type Problems struct {
	Kinds   map[string]*Kind `json:"kinds"`   // by what is wrong
	Damaged model.RankSet    `json:"damaged"` // ranks with a problem
	Torn    model.RankSet    `json:"torn"`    // ranks killed within an update, which damages nothing
	Holes   bool             `json:"holes"`   // a node file has lost ranks, it cannot say which
}

// Kind gathers the problems of one kind, of which a big damaged run has one for
// every rank.
type Kind struct {
	Count int           `json:"count"`
	Ranks model.RankSet `json:"ranks"`
	Texts []string      `json:"texts"` // the first ones, in order
}

// maxTexts is how many problems of one kind are printed one by one.
const maxTexts = 8

// ProblemsMonoid merges the problems of all analysis ranks.
var ProblemsMonoid = reduce.JSONMonoid(MergeProblems)

// NewProblems returns the problems of a scan, such as Index.Problems.
func NewProblems(found []model.Problem) Problems {
	p := Problems{Kinds: map[string]*Kind{}}
	p.Add(found)
	return p
}

// MergeProblems joins the problems of two shares. It changes neither.
func MergeProblems(a, b Problems) Problems {
	out := NewProblems(nil)
	for _, p := range []Problems{a, b} {
		for kind, k := range p.Kinds {
			out.joinKind(kind, *k)
		}
		out.Damaged, out.Torn = out.Damaged.Union(p.Damaged), out.Torn.Union(p.Torn)
		out.Holes = out.Holes || p.Holes
	}
	return out
}

func (p *Problems) joinKind(kind string, more Kind) {
	k := p.kindNamed(kind)
	k.Count += more.Count
	k.Ranks = k.Ranks.Union(more.Ranks)
	k.addTexts(more.Texts...)
}

func (p *Problems) kindNamed(kind string) *Kind {
	k := p.Kinds[kind]
	if k == nil {
		k = &Kind{}
		p.Kinds[kind] = k
	}
	return k
}

func (k *Kind) addTexts(texts ...string) {
	k.Texts = append(k.Texts, texts...)
	slices.Sort(k.Texts)
	k.Texts = k.Texts[:min(len(k.Texts), maxTexts)]
}

// Add notes what was wrong with the data.
func (p *Problems) Add(found []model.Problem) {
	for _, f := range found {
		if errors.Is(f.Err, model.ErrTorn) && f.Rank >= 0 {
			p.Torn.Add(f.Rank) // to be expected now and then: nothing is damaged
			continue
		}
		p.Note(kindOf(f), f.Rank, textOf(f))
		p.Damaged.Add(f.Rank) // -1 is left out
		p.Holes = p.Holes || f.Rank < 0 && f.File != runfiles.ManifestName && !errors.Is(f.Err, model.ErrRunID)
	}
}

// Note adds something that is missing, by its kind; rank -1: it is not about one
// rank.
func (p *Problems) Note(kind string, rank int, text string) {
	k := p.kindNamed(kind)
	k.Count++
	k.Ranks.Add(rank) // in place: of a big damaged run each rank has a problem
	k.addTexts(text)
}

// kindOf says what a problem has in common with others: the part of the file and
// the kind of damage, not the place.
func kindOf(p model.Problem) string {
	section := ""
	if placed, ok := errors.AsType[*model.FormatError](p.Err); ok {
		section = placed.Section
	}
	for _, kind := range []error{
		model.ErrTruncated, model.ErrChecksum, model.ErrLost, model.ErrCorrupt, model.ErrTorn, model.ErrUnknown,
		model.ErrRunID, model.ErrVersion, model.ErrMagic, model.ErrManifest,
	} {
		if errors.Is(p.Err, kind) {
			return strings.TrimPrefix(section+": "+kind.Error(), ": ")
		}
	}
	return "cannot be read"
}

func textOf(p model.Problem) string {
	if _, placed := errors.AsType[*model.FormatError](p.Err); placed || strings.Contains(p.Err.Error(), p.File) {
		return p.Err.Error()
	}
	return fmt.Sprintf("%s: %v", p.File, p.Err)
}

// Lines says what was wrong: one by one, or of what is wrong in many places the
// ranks and the first.
func (p *Problems) Lines() []string {
	var out []string
	for kind, k := range p.Kinds {
		if k.Count <= maxTexts {
			out = append(out, k.Texts...)
			continue
		}
		whose := ""
		if k.Ranks.Len() > 0 {
			whose = fmt.Sprintf(" of %d ranks, %s", k.Ranks.Len(), k.Ranks)
		}
		out = append(out, fmt.Sprintf("%s: %d times%s; first: %s", kind, k.Count, whose, k.Texts[0]))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}

// Describe gives the lines for problems of all kinds, torn ranks among them.
func Describe(found []model.Problem) []string {
	p := NewProblems(nil)
	for _, f := range found {
		p.Note(kindOf(f), f.Rank, textOf(f))
	}
	return p.Lines()
}
