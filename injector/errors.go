package injector

import "errors"

var (
	// ErrFault: a text that names no fault.
	ErrFault = errors.New("not a fault")
	// ErrCampaign: a campaign file that cannot be used.
	ErrCampaign = errors.New("not a usable campaign")
	// ErrOrder: an order file that cannot be used.
	ErrOrder = errors.New("not a usable order")
	// ErrNothingToDraw: the profiles hold no function to inject into.
	ErrNothingToDraw = errors.New("no function was entered between MPI_Init and MPI_Finalize")
	// ErrJournal: a file of records that is damaged or of another campaign.
	ErrJournal = errors.New("not a journal of this campaign")
	// ErrNoRank: the launcher did not tell the process its rank.
	ErrNoRank = errors.New("the environment does not say which rank this is")
)
