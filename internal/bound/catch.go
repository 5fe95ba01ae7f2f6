package bound

import "fmt"

// CatchPanic returns the error of f, or one that says with what f panicked.
func CatchPanic(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return f()
}
