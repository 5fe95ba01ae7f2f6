package diagnosis

import (
	"strings"
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/symbol"
)

func TestNewBuffers(t *testing.T) {
	s := Source{Resolver: symbol.New(symbol.Config{})}
	defer s.Resolver.Close()
	buffer := func(call string, b model.Buffer) facts.Buffer {
		b.State = -1
		return facts.Buffer{Call: call, Within: true, Buffer: b}
	}
	type list = []facts.Buffer
	pending := buffer("MPI_Irecv", model.Buffer{High: 80, Room: 9000, Memory: model.MemoryGone, Written: true})
	pending.Pending = true
	for _, test := range []struct {
		name string
		in   list
		want string // "" nothing
	}{
		{"room enough", list{buffer("MPI_Recv", model.Buffer{High: 800, Room: 800, Memory: model.MemoryBlock, Written: true})}, ""},
		{"unknown", list{buffer("MPI_Recv", model.Buffer{High: 800, Room: -1, Written: true})}, ""},
		{"no function", list{buffer("main", model.Buffer{High: 800, Room: 1, Memory: model.MemoryBlock})}, ""},
		{"no such argument", list{buffer("MPI_Recv", model.Buffer{High: 800, Room: 1, Memory: model.MemoryBlock, Position: 50})}, ""},
		{"block", list{buffer("MPI_Recv", model.Buffer{High: 8000, Room: 808, Memory: model.MemoryBlock, Written: true})},
			"the receive buffer probably has room for at most 808 bytes (a block of malloc), and the call receives up to 8000 bytes"},
		{"mapping", list{buffer("MPI_Send", model.Buffer{High: 8000, Room: 100, Memory: model.MemoryMapping})},
			"the send buffer has at most 100 bytes up to the end of the memory there, and the call sends 8000 bytes"},
		{"displacement", list{buffer("MPI_Scatterv", model.Buffer{High: 8000, Room: 100, Memory: model.MemoryMapping, Element: 3})},
			"the buffer sendbuf has at most 100 bytes up to the end of the memory there, and the call reads 8000 bytes, with displs[3]"},
		{"null", list{buffer("MPI_Bcast", model.Buffer{High: 8, Memory: model.MemoryNull, Element: -1, Written: true})},
			"the buffer is a null pointer, and the call writes 8 bytes"},
		{"none", list{buffer("MPI_Send", model.Buffer{High: 8, Address: 16, Memory: model.MemoryNone})},
			"the send buffer is at 0x10, where no memory is"},
		{"constant", list{buffer("MPI_Recv", model.Buffer{High: 8, Room: 99, Memory: model.MemoryMapping, Written: true, ReadOnly: true})},
			"the receive buffer is in memory that cannot be written"},
		{"read of a constant", list{buffer("MPI_Send", model.Buffer{High: 8, Room: 99, Memory: model.MemoryMapping, ReadOnly: true})}, ""},
		{"overwritten", list{
			buffer("MPI_Reduce", model.Buffer{
				High: 8e9, Room: 800, Memory: model.MemoryMapping, Written: true, Unsure: true, Position: 1, Element: -1,
			}),
			buffer("MPI_Reduce", model.Buffer{High: 8e9, Room: 800, Memory: model.MemoryBlock, Unsure: true, Element: -1})},
			"the buffer recvbuf has at most 800 bytes up to the end of the memory there, and the call probably wrote beyond it, " +
				"over its own arguments"},
		{"freed", list{buffer("MPI_Send", model.Buffer{High: 8, Room: 99, Memory: model.MemoryFreed})},
			"the send buffer has probably been freed, by what malloc notes of it"},
		{"pending", list{pending},
			"the receive buffer of MPI_Irecv, which is pending, was a local variable of a function that has returned"},
		{"certain first", list{pending, buffer("MPI_Send", model.Buffer{High: 8, Room: 99, Memory: model.MemoryFreed})},
			"the send buffer has probably been freed, by what malloc notes of it; " +
				"the receive buffer of MPI_Irecv, which is pending, was a local variable of a function that has returned"},
	} {
		checktest.Equal(t, test.want, bufferText(s.newBuffers(test.in), true), test.name)
	}
}

func TestBufferLines(t *testing.T) {
	r := &Result{Losses: []Loss{{Ranks: "2", Argument: "a is short", Buffers: []Buffer{{Text: "a is short"}, {Text: "b is gone"}}}}}
	checktest.Equal(t, "Buffers: rank 2: b is gone", strings.Join(bufferLines(r), "\n"))
}
