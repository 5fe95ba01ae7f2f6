package synth

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/runfiles"
)

// The errors of this package wrap one of these.
var (
	ErrTemplate = errors.New("no such template")          // a name that is none, or a run that cannot serve as one
	ErrFault    = errors.New("fault that cannot be made") // of this template, or of so few ranks
	ErrConfig   = errors.New("not possible in a job")     // a number that makes no sense
)

//go:embed templates/*.lgd.gz
var embedded embed.FS

// TemplateNames lists the templates that come with the program.
func TemplateNames() []string {
	entries, _ := embedded.ReadDir("templates") // it is there: it was embedded
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".lgd.gz"))
	}
	return out
}

// LoadTemplate returns the ranks of a template that comes with the program: "lammps",
// eight ranks of LAMMPS in the midst of its crack example, or "halo", sixteen
// ranks of a small program that exchanges halos. Errors wrap ErrTemplate.
func LoadTemplate(name string) ([]*model.Rank, error) {
	packed, err := embedded.ReadFile("templates/" + name + ".lgd.gz")
	if err != nil {
		return nil, fmt.Errorf("synth: %w: %.40q; there are %s", ErrTemplate, name, strings.Join(TemplateNames(), ", "))
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("synth: template %s: %w", name, err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("synth: template %s: %w", name, err)
	}
	run, err := runfiles.Decode(name, data)
	if err != nil {
		return nil, err
	}
	return run.Ranks, nil
}

// template is one recorded rank, as far as others are made of it.
type template struct {
	rank   *model.Rank
	thread *model.Thread
	whole  *walk
}

// templatesOf picks the thread with the most progress of each rank. Ranks that
// recorded nothing are left out.
func templatesOf(ranks []*model.Rank) ([]*template, error) {
	var out []*template
	for _, r := range ranks {
		t := slices.MaxFunc(r.Threads, func(a, b *model.Thread) int { return cmp.Compare(a.Progress, b.Progress) })
		if t.Op.State >= 0 && isBalanced(&t.Model, t.Op.State) {
			out = append(out, &template{r, t, walkOf(t)})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("synth: %w: no rank with a whole history", ErrTemplate)
	}
	return out, nil
}

// isBalanced reports whether the counts are those of a walk from the first state to
// the present one. They are not if records were lost.
func isBalanced(m *model.Model, at int) bool {
	in, out := make([]uint64, len(m.States)), make([]uint64, len(m.States))
	for _, e := range m.Edges {
		out[e.From] += e.Count
		in[e.To] += e.Count
	}
	in[0]++
	out[at]++
	return slices.Equal(in, out) && slices.Equal(in, m.Visits)
}
