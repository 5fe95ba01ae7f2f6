package replay

import (
	"laggard/analysis/usage/recorded"
	"laggard/model"
)

// operations are those that the calls of the rank began, and what is under way of them.
type operations struct {
	memory   *memory
	all      []Operation         // in the order in which they began
	inFlight map[int]*activation // by the call that began it, until that call returns
}

// activation is an operation under way: of a call, or of a request.
type activation struct {
	operations []int // indices into operations.all
	memory     []int // what it uses, see memory
	cancel     int   // the call MPI_Cancel that was asked to end it, 0 none
	kept       bool  // it goes on after its call has returned
}

func newOperations(m *memory) *operations {
	return &operations{memory: m, inFlight: map[int]*activation{}}
}

// beginCall makes room for what a call begins.
func (o *operations) beginCall(call int) *activation {
	o.inFlight[call] = &activation{}
	return o.inFlight[call]
}

// takeBegun gives back what a call began, nil if it did not.
func (o *operations) takeBegun(call int) *activation {
	act := o.inFlight[call]
	delete(o.inFlight, call)
	return act
}

// endCall completes what a call began and nothing keeps.
func (o *operations) endCall(a args, act *activation) {
	if !act.kept {
		o.complete(act, a.i, nil)
	}
}

// add records an operation that is complete when its call returns, unless it is kept.
func (o *operations) add(a args, op Operation) int {
	n := o.record(a, op)
	if act := o.inFlight[a.i]; act != nil {
		act.operations = append(act.operations, n)
	}
	return n
}

// record adds an operation that a call begins, and returns its index.
func (o *operations) record(a args, op Operation) int {
	op.Call, op.Made, op.Done, op.Bytes = int32(a.i), int32(a.i), -1, -1
	op.Source, op.FromTag = model.None, model.None
	o.all = append(o.all, op)
	return len(o.all) - 1
}

// complete ends what is under way, with the status of its receive if there is one.
func (o *operations) complete(act *activation, call int, status recorded.Value) {
	for _, k := range act.operations {
		op := &o.all[k]
		if op.Done >= 0 {
			continue
		}
		op.Done = int32(call)
		if len(status) >= 4 && (op.Kind == Recv || op.Kind == Probe || len(act.operations) == 1) {
			op.setStatus(status)
		}
	}
	o.memory.release(act.memory)
	act.operations, act.memory = nil, nil
}

func (op *Operation) setStatus(status recorded.Value) {
	op.Cancelled, op.Withdrawn = status[3] != 0, false
	if op.Kind == Recv || op.Kind == Probe {
		op.Source, op.FromTag, op.Bytes = ClampInt32(status[0]), ClampInt32(status[1]), status[2]
	}
}
