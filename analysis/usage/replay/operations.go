package replay

import (
	"laggard/analysis/usage/recorded"
	"laggard/model"
)

// operations are what is under way of those that the calls of the rank began.
type operations struct {
	memory   *memory
	follower Follower
	inFlight map[int]*activation // by the call that began it, until that call returns
}

// activation is an operation under way: of a call, or of a request.
type activation struct {
	operations []*Operation
	memory     []int // what it uses, see memory
	cancel     int   // the call MPI_Cancel that was asked to end it, 0 none
	kept       bool  // it goes on after its call has returned
}

func newOperations(m *memory, f Follower) *operations {
	return &operations{memory: m, follower: f, inFlight: map[int]*activation{}}
}

// beginCall makes room for what a call begins.
func (o *operations) beginCall(call int) *activation {
	act := &activation{}
	o.inFlight[call] = act
	return act
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

// add begins an operation that is complete when its call returns, unless it is kept.
func (o *operations) add(a args, op Operation) *Operation {
	begun := o.begin(a, a, op)
	if act := o.inFlight[a.i]; act != nil {
		act.operations = append(act.operations, begun)
	}
	return begun
}

// begin is for an operation of a call; made is the call that has its arguments.
func (o *operations) begin(a, made args, op Operation) *Operation {
	op.Call, op.Made, op.Done, op.Bytes = int32(a.i), int32(made.i), -1, -1
	op.Source, op.FromTag = model.None, model.None
	o.follower.BeginOperation(&op, made.c)
	return &op
}

// complete ends what is under way, with the status of its receive if there is one.
func (o *operations) complete(act *activation, call int, status recorded.Value) {
	for _, op := range act.operations {
		if op.Done >= 0 {
			continue
		}
		op.Done = int32(call)
		if len(status) >= 4 && (op.Kind == Recv || op.Kind == Probe || len(act.operations) == 1) {
			op.setStatus(status)
		}
		o.follower.ChangeOperation(op)
	}
	o.memory.release(act.memory)
	act.operations, act.memory = nil, nil
}

// refuse notes that MPI refused the collectives that a call began: they are over.
func (o *operations) refuse(a args) {
	for _, op := range o.inFlight[a.i].operations {
		op.Refused, op.Done = true, int32(a.i)
		o.follower.ChangeOperation(op)
	}
}

func (op *Operation) setStatus(status recorded.Value) {
	op.Cancelled, op.Withdrawn = status[3] != 0, false
	if op.Kind == Recv || op.Kind == Probe {
		op.Source, op.FromTag, op.Bytes = ClampInt32(status[0]), ClampInt32(status[1]), status[2]
	}
}
