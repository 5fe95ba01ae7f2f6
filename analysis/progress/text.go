package progress

func joinText(text, between, more string) string {
	if text == "" {
		return more
	}
	return text + between + more
}
