package provoke

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"laggard/model"
)

// Unmade says why a run made none of the choices of a schedule, as far as the modules of its ranks tell; "": it made some, the schedule
// is not one of certain places, or the run has no journals that would tell.
func (s *Schedule) Unmade(run *model.Run) (string, error) {
	journals, err := filepath.Glob(ScheduleFile(run.Dir) + ".made-*")
	if err != nil || len(journals) == 0 || len(s.Rules) == 0 || slices.ContainsFunc(s.Rules, func(r Rule) bool { return r.IsAny() }) {
		return "", err
	}
	made, err := ReadMade(run.Dir)
	if err != nil || len(made) > 0 { // the recorder makes no others
		return "", err
	}
	for _, r := range s.Rules {
		if name, other := r.builtAnew(run); other {
			return fmt.Sprintf("%s has another build ID than when its choices were found; laggard provoke finds them anew", name), nil
		}
	}
	return "the program did not come to their calls", nil
}

// builtAnew reports whether the ranks of a run have another build of the module of a rule, and its name.
func (r Rule) builtAnew(run *model.Run) (name string, other bool) {
	name = path.Base(r.Path)
	for _, rank := range run.Ranks {
		same := func(m *model.Module) bool { return m.BuildID == r.BuildID }
		if r.BuildID == "" || slices.ContainsFunc(rank.Modules, same) {
			return name, false
		}
		other = other || slices.ContainsFunc(rank.Modules, func(m *model.Module) bool { return path.Base(m.Path) == name })
	}
	return name, other
}
