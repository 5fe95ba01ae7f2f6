package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"laggard/injector"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/slicing/native"
	"laggard/symbol"
)

// DrawTrials profiles the program, unless that was done before or is not needed, and draws the trials.
func (r *Runner) DrawTrials(ctx context.Context) ([]injector.Trial, error) {
	if r.Campaign.CausesSlowdown() {
		if err := r.prepareProgram(ctx); err != nil {
			return nil, err
		}
		return r.Campaign.Draw(nil)
	}
	path := filepath.Join(r.Dir, "profiles.json")
	profiles, err := injector.ReadProfiles(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.prepareProgram(ctx); err != nil {
			return nil, err
		}
		fmt.Fprintf(r.Say, "laggard: profiling %s\n", r.Campaign.Program.Name)
		if profiles, err = r.profileProgram(ctx); err == nil {
			err = injector.WriteProfiles(path, profiles)
		}
	}
	if err != nil {
		return nil, err
	}
	r.profiles = profiles
	return r.Campaign.Draw(profiles)
}

// prepareProgram makes the program. What it prints is shown if it fails.
func (r *Runner) prepareProgram(ctx context.Context) error {
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

// profileProgram runs the program with every rank traced: once, and where jumps are to go the
// other way, a second time, to see when ranks come to them.
func (r *Runner) profileProgram(ctx context.Context) ([]*injector.Profile, error) {
	profiles, jumps, err := r.profileWith(ctx, nil)
	if err == nil && len(jumps) > 0 {
		profiles, _, err = r.profileWith(ctx, jumps)
	}
	return profiles, err
}

// profileWith runs the program once, and returns the jumps that decide about its
// collectives as well.
func (r *Runner) profileWith(ctx context.Context, jumps []injector.Jump) ([]*injector.Profile, []injector.Jump,
	error) {
	place := filepath.Join(r.Dir, "profile")
	order := r.Campaign.ProfileOrder(filepath.Join(place, "out"), jumps)
	l, err := r.launchJob(place, &order)
	if err != nil {
		return nil, nil, err
	}
	select {
	case err = <-l.done:
		l.done <- nil
	case <-ctx.Done():
		err = ctx.Err()
	}
	run, openErr := runfiles.Open(l.dir)
	l.endJob()
	if err = errors.Join(err, openErr); err != nil {
		if missing := r.missingProgram(); missing != nil {
			err = fmt.Errorf("%w, the program cannot be run: %w", err, missing)
		}
		return nil, nil, fmt.Errorf("profiling: %w; output: %s", err, l.output.Name())
	}
	profiles, err := order.ReadProfiles(r.Campaign.Launch.Ranks)
	if err == nil && len(run.Ranks) > 0 {
		symbols := r.Symbols
		symbols.RunDir = l.dir
		resolver := symbol.New(symbols)
		defer resolver.Close()
		locateFunctions(profiles, run.Ranks[0].Modules, resolver)
		if jumps == nil {
			jumps = findJumps(ctx, profiles, run.Ranks, resolver)
		}
	}
	return profiles, jumps, err
}

// missingProgram is an error if the program of the campaign is not there.
func (r *Runner) missingProgram() error {
	name := r.Campaign.Program.Command[0]
	if !strings.Contains(name, "/") {
		_, err := exec.LookPath(name)
		return err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Campaign.Program.Directory, name)
	}
	_, err := os.Stat(name)
	return err
}

// findJumps lists, for the places from which ranks were seen to make collectives, the
// jumps of the program that decide whether they make them. The run was recorded, so
// that the call stacks are known.
func findJumps(ctx context.Context, profiles []*injector.Profile, ranks []*model.Rank,
	resolver *symbol.Resolver) (out []injector.Jump) {
	own := map[string]bool{} // modules of the program
	for _, p := range profiles {
		for i := range p.Collectives {
			if p.Collectives[i].Own {
				own[p.Collectives[i].Module] = true
			}
		}
	}
	slicer := native.New(resolver, native.Options{})
	seen := map[model.StateID]bool{}
	for _, rank := range ranks {
		for _, thread := range rank.Threads {
			for _, state := range thread.Model.States {
				if !seen[state.ID] {
					seen[state.ID] = true
					out = append(out, decidingJumps(ctx, slicer, resolver, state, own)...)
				}
			}
		}
	}
	slices.SortFunc(out, injector.CompareJumps)
	return slices.CompactFunc(out, func(a, b injector.Jump) bool { return injector.CompareJumps(a, b) == 0 })
}

// decidingJumps lists what decides about the call of a state, within the program.
func decidingJumps(ctx context.Context, slicer *native.Slicer, resolver *symbol.Resolver, state *model.State,
	own map[string]bool) (out []injector.Jump) {
	var stack []model.Frame
	for _, f := range state.Stack {
		if f.Module == nil || !own[filepath.Base(f.Module.Path)] {
			break
		}
		stack = append(stack, f)
	}
	if !injector.IsCollective(state.Call) || len(stack) == 0 {
		return nil
	}
	deciders, _ := slicer.Deciders(ctx, stack) // as far as the code could be read
	for _, d := range deciders {
		j := injector.Jump{Offset: d.Jump.Offset, Loop: d.Loop, Leads: d.Leads}
		j.Module = filepath.Base(d.Jump.Module.Path)
		at := resolver.Resolve(d.Jump, false)
		j.Function, j.File, j.Line = at.Function, at.File, at.Line
		j.Call.Module, j.Call.Offset = filepath.Base(stack[0].Module.Path), stack[0].Offset
		out = append(out, j)
	}
	return out
}

// locateFunctions fills in where the functions of profiles begin in the source. The
// modules are those that a recorded rank had mapped.
func locateFunctions(profiles []*injector.Profile, modules []*model.Module, resolver *symbol.Resolver) {
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
