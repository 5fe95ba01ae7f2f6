package model

// Unfreed is what calls of a state made and nothing completed or freed: requests, or datatypes.
type Unfreed struct {
	State  int // index in Model.States
	Count  int
	Rounds int // how often it was made after communication while some of it was left, plus one; 0 of requests that are not persistent
}
