package facts

import (
	"laggard/model"
	"laggard/model/wire"
)

// Buffer is one of the call in which a rank died, or of an operation that was pending then.
type Buffer struct {
	Call    string        // the MPI function that was given it
	Pending bool          // the call began an operation, which was pending; otherwise it is the call that the rank was in
	Stack   []model.Frame // of a call that began an operation, without run-time addresses
	Within  bool          // the rank was in a call of MPI when it died
	model.Buffer
}

// buffersOf are the buffers of a thread that died.
func buffersOf(t *model.Thread) (out []Buffer) {
	for _, b := range t.Buffers {
		one := Buffer{Call: t.CurrentCall(), Within: t.Op.InMPI, Buffer: b}
		if s := stateOf(t, b.State); s != nil {
			one.Call, one.Pending, one.Stack = s.Call, true, s.Stack
		}
		one.Call = validUTF8(one.Call)
		out = append(out, one)
	}
	return out
}

// makePortable takes the run-time addresses out of buffers.
func (b *builder) makePortable(buffers []Buffer) {
	for i := range buffers {
		x := &buffers[i]
		x.Stack, x.Variable = b.portableFrames(x.Stack), b.portableFrames(x.Variable)
	}
}

func (x *Buffer) code(c *wire.Coder) {
	c.Text(&x.Call)
	c.Flags(&x.Pending, &x.Within, &x.Written, &x.ReadOnly, &x.Unsure)
	c.Stack(&x.Stack)
	wire.Int(c, &x.State)
	wire.Int(c, &x.Position)
	wire.Int(c, &x.Element)
	wire.Uint(c, &x.Address)
	wire.Int(c, &x.Low)
	wire.Int(c, &x.High)
	wire.Int(c, &x.Room)
	wire.Uint(c, &x.Memory)
	wire.Int(c, &x.Frame)
	wire.Int(c, &x.InFrame)
	c.Stack(&x.Variable)
}
