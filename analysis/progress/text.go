package progress

func join(text, between, more string) string {
	if text == "" {
		return more
	}
	return text + between + more
}
