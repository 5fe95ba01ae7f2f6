package injector

import (
	"errors"
	"time"

	"laggard/injector/ptrace"
)

// counter waits for the n-th entry of a strike's target.
type counter struct {
	strike Strike
	report Report
	files  functionCache
	tools  tools
}

// Mapped places the one breakpoint, in the first module that has the target.
// After exec the counting starts again.
func (c *counter) Mapped(p *ptrace.Process, added []ptrace.Module) error {
	if len(added) == len(p.Modules()) {
		c.report.Address, c.report.Hits, c.tools = 0, 0, nil
	}
	for _, m := range added {
		c.tools.add(m, c.files)
		address, ok := c.files.targetAddress(m, c.strike.Target, c.strike.Entry)
		if !ok || c.report.Address != 0 {
			continue
		}
		if err := p.Break(address, nil); err != nil {
			return err
		}
		c.report.Module, c.report.Address = m.Path, address
	}
	return nil
}

// Hit counts the program's entries.
func (c *counter) Hit(t *ptrace.Thread, _ *ptrace.Breakpoint) (ptrace.Action, error) {
	if own, err := c.tools.madeByTool(t, c.strike.Target); own || err != nil {
		return ptrace.Continue, err
	}
	c.report.Hits++
	if c.report.Hits < c.strike.Invocation {
		return ptrace.Continue, nil
	}
	c.report.TID = t.TID
	return ptrace.Halt, nil
}

// executeStrike runs the process until the strike's place and time, strikes and lets
// it go. told gets the report before the fault takes effect. The returned error
// is also in the report.
func executeStrike(p *ptrace.Process, s Strike, told func(Report) error) error {
	c := &counter{strike: s, files: functionCache{}, report: Report{Strike: s, State: NotReached, PID: p.PID}}
	stop, err := p.Run(c)
	if err == nil && stop != nil {
		c.report.State = Injected
		err = applyFault(p, stop, s.Fault)
	} else if c.report.Address == 0 {
		c.report.State = NotFound
	}
	if err != nil {
		c.report.State, c.report.Error = Failed, err.Error()
	}
	c.report.Time = time.Now().UTC()
	err = errors.Join(err, told(c.report))
	if err != nil || stop == nil {
		return errors.Join(err, p.Detach())
	}
	return releaseProcess(p, s.Fault)
}
