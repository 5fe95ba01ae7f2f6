package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"

	"laggard/injector"
	"laggard/model"
	"laggard/symbol"
)

// Draw profiles the program, unless that was done before, and draws the trials.
func (r *Runner) Draw(ctx context.Context) ([]injector.Trial, error) {
	path := filepath.Join(r.Dir, "profiles.json")
	profiles, err := injector.ReadProfiles(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.prepare(ctx); err != nil {
			return nil, err
		}
		fmt.Fprintf(r.Say, "laggard: profiling %s\n", r.Campaign.Program.Name)
		if profiles, err = r.profile(ctx); err == nil {
			err = injector.WriteProfiles(path, profiles)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.Campaign.Draw(profiles)
}

// prepare makes the program. What it prints is shown if it fails.
func (r *Runner) prepare(ctx context.Context) error {
	words := r.Campaign.Program.Prepare
	if len(words) == 0 {
		return nil
	}
	fmt.Fprintf(r.Say, "laggard: preparing %s\n", r.Campaign.Program.Name)
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("inject: prepare: %w\n%s", err, out)
	}
	return nil
}

// profile runs the program once with every rank traced.
func (r *Runner) profile(ctx context.Context) ([]*injector.Profile, error) {
	place := filepath.Join(r.Dir, "profile")
	order := r.Campaign.ProfileOrder(filepath.Join(place, "out"))
	l, err := r.launch(place, &order)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-l.done:
		l.done <- nil
	case <-ctx.Done():
		err = ctx.Err()
	}
	run, openErr := model.Open(l.dir)
	l.end()
	if err = errors.Join(err, openErr); err != nil {
		return nil, fmt.Errorf("profiling: %w; the output is in %s", err, l.output.Name())
	}
	profiles, err := order.ReadProfiles(r.Campaign.Launch.Ranks)
	if err == nil && len(run.Ranks) > 0 {
		symbols := r.Symbols
		symbols.RunDir = l.dir
		resolver := symbol.New(symbols)
		defer resolver.Close()
		locate(profiles, run.Ranks[0].Modules, resolver)
	}
	return profiles, err
}

// locate fills in where the functions of profiles begin in the source. The
// modules are those that a recorded rank had mapped.
func locate(profiles []*injector.Profile, modules []*model.Module, resolver *symbol.Resolver) {
	byName := map[string]*model.Module{}
	for _, m := range modules {
		byName[filepath.Base(m.Path)] = m
	}
	for _, p := range profiles {
		for i := range p.Functions {
			t := &p.Functions[i].Target
			if m := byName[t.Module]; m != nil && t.Class == injector.User {
				at := resolver.Resolve(model.Frame{Module: m, Offset: t.Offset}, false)
				t.File, t.Line = at.File, at.Line
			}
		}
	}
}
