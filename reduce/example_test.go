package reduce_test

import (
	"fmt"
	"strconv"

	"laggard/reduce"
)

// sum is the smallest useful monoid: numbers under addition.
var sum = reduce.Monoid[int]{
	Codec: reduce.Codec[int]{
		Encode: func(n int) ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil },
		Decode: func(b []byte) (int, error) { return strconv.Atoi(string(b)) },
	},
	Merge: func(a, b int) (int, error) { return a + b, nil },
}

func ExampleReduce() {
	err := reduce.Run(5, func(c reduce.Comm) error {
		tree := reduce.NewTree(c)
		total, err := reduce.Reduce(tree, sum, c.Rank(), nil)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println("total", total, "in", tree.Stats().Rounds(), "rounds")
		}
		return nil
	})
	fmt.Println("error:", err)
	// Output:
	// total 10 in 3 rounds
	// error: <nil>
}

// A rank whose own step failed still calls the operation, and all ranks learn
// of it.
func ExampleReduce_failure() {
	err := reduce.Run(4, func(c reduce.Comm) error {
		n, failed := strconv.Atoi([]string{"1", "2", "three", "4"}[c.Rank()])
		_, err := reduce.Reduce(reduce.NewTree(c), sum, n, failed)
		return err
	})
	fmt.Println(err)
	// Output:
	// reduce: rank 2: strconv.Atoi: parsing "three": invalid syntax
}
