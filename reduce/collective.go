package reduce

import "encoding/json"

// Codec writes values as bytes and reads them back. Equal values must give
// equal bytes, so a codec sorts what has no order. Decode may keep the bytes
// it is given. Encode may return bytes that it keeps.
type Codec[T any] struct {
	Encode func(T) ([]byte, error)
	Decode func([]byte) (T, error)
}

// JSON is a codec for small values. It sorts the keys of maps.
func JSON[T any]() Codec[T] {
	return Codec[T]{
		Encode: func(v T) ([]byte, error) { return json.Marshal(v) },
		Decode: func(b []byte) (v T, err error) { return v, json.Unmarshal(b, &v) },
	}
}

// Monoid merges values of type T. Merge is associative and commutative in what
// Encode makes of its result, and may change and keep a and b. Package
// reducetest checks these laws.
type Monoid[T any] struct {
	Codec[T]
	Merge func(a, b T) (T, error)
}

// JSONMonoid merges small values, which travel as JSON, by a function that cannot fail.
func JSONMonoid[T any](merge func(a, b T) T) Monoid[T] {
	return Monoid[T]{JSON[T](), func(a, b T) (T, error) { return merge(a, b), nil }}
}

// Reduce merges the local values of all ranks, in rank order, and returns the
// result at rank 0; the others get the zero value. All ranks must call it.
// failed is the error of the step that was to make local, nil if it went well.
// The error is a *RankError, and the same on all ranks.
func Reduce[T any](t *Tree, m Monoid[T], local T, failed error) (T, error) {
	acc, f := foldUp(t, m, local, rankErrorOf(t.rank, failed))
	f = t.announceVerdict(f)
	if t.rank != 0 {
		var none T
		acc = none
	}
	return valueOrError(acc, f)
}

// Broadcast gives the value of rank 0 to all ranks; what the others pass as
// value is ignored. All ranks must call it. failed and the error are as in
// Reduce.
func Broadcast[T any](t *Tree, codec Codec[T], value T, failed error) (T, error) {
	value, f := spreadDown(t, codec, value, rankErrorOf(t.rank, failed))
	return valueOrError(value, t.agreeOn(f))
}

// AllReduce merges as Reduce does and gives the result to all ranks.
func AllReduce[T any](t *Tree, m Monoid[T], local T, failed error) (T, error) {
	acc, f := foldUp(t, m, local, rankErrorOf(t.rank, failed))
	acc, f = spreadDown(t, m.Codec, acc, f)
	return valueOrError(acc, t.agreeOn(f))
}

// foldUp merges the values of the rank's subtree into acc and hands the result
// to the parent. After a failure it still receives everything, so that the
// ranks stay in step.
func foldUp[T any](t *Tree, m Monoid[T], acc T, f *RankError) (T, *RankError) {
	t.beginPass(Up)
	for _, child := range t.children {
		payload, theirs := t.receiveFrame(child)
		if f = firstFailure(f, theirs); f == nil {
			acc, f = mergeChild(t, m, acc, child, payload)
		}
	}
	if t.parent < 0 {
		return acc, f
	}
	payload, f := encodeValue(t, m.Codec, acc, f)
	return acc, firstFailure(f, t.sendFrame(t.parent, payload, f))
}

func mergeChild[T any](t *Tree, m Monoid[T], acc T, child int, payload []byte) (T, *RankError) {
	value, err := m.Decode(payload)
	if err != nil {
		return acc, t.fail(err, "decode the value of rank %d", child)
	}
	merged, err := m.Merge(acc, value)
	if err != nil {
		return acc, t.fail(err, "merge the value of rank %d", child)
	}
	return merged, nil
}

// spreadDown hands the value of rank 0 to all. A rank passes the bytes on before
// it decodes them, so its failure does not cut off its subtree.
func spreadDown[T any](t *Tree, codec Codec[T], value T, f *RankError) (T, *RankError) {
	var payload []byte
	if t.rank == 0 && len(t.children) > 0 {
		payload, f = encodeValue(t, codec, value, f)
	}
	payload, f = t.passDown(Down, payload, f)
	if t.rank == 0 || f != nil {
		return value, f
	}
	value, err := codec.Decode(payload)
	if err != nil {
		return value, t.fail(err, "decode the value of rank 0")
	}
	return value, nil
}

// encodeValue makes no bytes when there is a failure to report instead.
func encodeValue[T any](t *Tree, codec Codec[T], value T, f *RankError) ([]byte, *RankError) {
	if f != nil {
		return nil, f
	}
	payload, err := codec.Encode(value)
	if err != nil {
		return nil, t.fail(err, "encode")
	}
	return payload, nil
}

func valueOrError[T any](value T, f *RankError) (T, error) {
	if f != nil {
		var none T
		return none, f
	}
	return value, nil
}
