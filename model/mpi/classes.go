// Code generated from model/mpi/functions.tbl by recorder/gen; DO NOT EDIT.

package mpi

// The classes.
const (
	ClassAbort Class = iota
	ClassBsend
	ClassBsendInit
	ClassCancel
	ClassColl
	ClassCollInit
	ClassCommFree
	ClassDetach
	ClassFileColl
	ClassFileFree
	ClassFileIcoll
	ClassFileNb
	ClassFinalize
	ClassGetParent
	ClassGetStatus
	ClassGrequest
	ClassIbsend
	ClassIcoll
	ClassImprobe
	ClassImrecv
	ClassInit
	ClassIprobe
	ClassIrecv
	ClassIsend
	ClassIsendrecv
	ClassLight
	ClassLocal
	ClassMprobe
	ClassMrecv
	ClassNewcomm
	ClassNewcommDynamic
	ClassNewcommGroups
	ClassNewcommLeaders
	ClassNewcommNb
	ClassNewfile
	ClassNewwin
	ClassOther
	ClassParrived
	ClassProbe
	ClassRecv
	ClassRecvInit
	ClassRequestFree
	ClassRma
	ClassRmaNb
	ClassRmaNow
	ClassSend
	ClassSendInit
	ClassSendrecv
	ClassSessionFinalize
	ClassSessionInit
	ClassStart
	ClassStartall
	ClassTest
	ClassTestall
	ClassTestany
	ClassTestsome
	ClassTypeFree
	ClassWait
	ClassWaitall
	ClassWaitany
	ClassWaitsome
	ClassWinColl
	ClassWinComplete
	ClassWinFlush
	ClassWinFree
	ClassWinLock
	ClassWinPost
	ClassWinStart
	ClassWinTest
	ClassWinUnlock
	ClassWinWait
)
