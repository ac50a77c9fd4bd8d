package notify

func runChild() {}
