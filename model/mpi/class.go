package mpi

import "slices"

//go:generate go run ../../recorder/gen classes.go

// Class says what a call of a function means to the recorder and the analyses:
// the first word of the function's line in functions.tbl. Its numbers are those
// of the recorder's enum lg_class.
type Class uint8

// String is the class as in the table.
func (c Class) String() string { return load().classes[c] }

// AllClasses are all classes that occur, in alphabetical order.
func AllClasses() []Class {
	out := make([]Class, len(load().classes))
	for i := range out {
		out[i] = Class(i)
	}
	return out
}

// WaitsForRequests reports whether a call completes requests and waits for that.
func (c Class) WaitsForRequests() bool {
	return c.isOneOf(ClassWait, ClassWaitall, ClassWaitany, ClassWaitsome)
}

// TestsRequests reports whether a call completes requests that can be completed now.
func (c Class) TestsRequests() bool {
	return c.isOneOf(ClassTest, ClassTestall, ClassTestany, ClassTestsome)
}

// CompletesRequests reports whether a call completes requests.
func (c Class) CompletesRequests() bool { return c.WaitsForRequests() || c.TestsRequests() }

// IsPoll reports whether a call looks for a message or a completion and returns at once.
// How often it is made says nothing about progress.
func (c Class) IsPoll() bool {
	return c.TestsRequests() || c.isOneOf(ClassIprobe, ClassImprobe, ClassGetStatus, ClassParrived, ClassWinTest)
}

// SendsMessage reports whether a call sends a message to one rank, now or, if it is
// persistent, when it is started.
func (c Class) SendsMessage() bool {
	return c.isOneOf(ClassSend, ClassIsend, ClassBsend, ClassIbsend, ClassSendInit, ClassBsendInit, ClassSendrecv,
		ClassIsendrecv)
}

// ReceivesMessage reports likewise whether a call receives a message of one rank.
func (c Class) ReceivesMessage() bool {
	return c.isOneOf(ClassRecv, ClassIrecv, ClassRecvInit, ClassMrecv, ClassImrecv, ClassSendrecv, ClassIsendrecv)
}

// IsForMessage reports whether a call sends or receives messages of single ranks, looks for such, or starts or completes requests.
func (c Class) IsForMessage() bool {
	return c.SendsMessage() || c.ReceivesMessage() || c.IsProbe() || c.StartsRequests() || c.CompletesRequests()
}

// ExchangesData reports whether a call of the class by itself sends to other ranks, receives from them, or waits for what
// they send; not whether it prepares that, as a persistent request does, or accesses a window or file.
func (c Class) ExchangesData() bool {
	return c.isOneOf(ClassColl, ClassIcoll, ClassSend, ClassRecv, ClassIsend, ClassIrecv, ClassSendrecv, ClassProbe)
}

// IsProbe reports whether a call looks for a message, and waits for it or not.
func (c Class) IsProbe() bool { return c.isOneOf(ClassProbe, ClassIprobe, ClassMprobe, ClassImprobe) }

// IsPersistent reports whether a call makes a request that is started later.
func (c Class) IsPersistent() bool {
	return c.isOneOf(ClassCollInit, ClassSendInit, ClassBsendInit, ClassRecvInit)
}

// StartsRequests reports whether a call starts persistent requests.
func (c Class) StartsRequests() bool { return c.isOneOf(ClassStart, ClassStartall) }

// IsPassiveTarget reports whether a call synchronises a window without a call of the target.
func (c Class) IsPassiveTarget() bool { return c.isOneOf(ClassWinLock, ClassWinUnlock, ClassWinFlush) }

// IsOneSided reports whether a call reads or writes the memory of a window.
func (c Class) IsOneSided() bool { return c.isOneOf(ClassRma, ClassRmaNb, ClassRmaNow) }

func (c Class) isOneOf(classes ...Class) bool { return slices.Contains(classes, c) }
