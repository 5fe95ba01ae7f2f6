package progress

import (
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model/process"
)

// Ended says how a job that did not finish was ended from outside.
type Ended = evidence.Ended

// What can end a job from outside.
const (
	EndedBySignal     = evidence.EndedBySignal
	EndedByLauncher   = evidence.EndedByLauncher
	EndedByParent     = evidence.EndedByParent
	EndedByAlarm      = evidence.EndedByAlarm
	EndedWithLauncher = evidence.EndedWithLauncher
	EndedTogether     = evidence.EndedTogether
)

// wasStuck reports whether the job could not go on before it was ended: a rank was lost, none had made progress for a
// while, or some are in a deadlock.
func (j *job) wasStuck() bool {
	if len(evidence.Causes(j.scene)) > 0 {
		return true
	}
	quiet := j.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.Quiet })
	if j.scene.Unfinished().Minus(quiet).Len() == 0 {
		return true
	}
	return j.deadlock != nil
}

// readEndRequests fills in what is known beside the record of how the job was ended. A record that was kept when a hang
// was noticed is older.
func (l *looker) readEndRequests(o *Options) {
	m := l.Index.Manifest
	if l.Comm.Rank() != 0 || m != nil && (m.Imported || !m.Noticed.IsZero()) {
		return
	}
	var err error
	if o.Arrived, err = process.ReadSignals(l.Index.Dir); err != nil {
		l.known.Note("signals", -1, err.Error())
	}
	if o.Launcher, err = process.ReadLauncher(l.Index.Dir); err != nil {
		l.known.Note("launcher", -1, err.Error())
	}
}
