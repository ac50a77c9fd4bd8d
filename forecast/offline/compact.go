package offline

import (
	"context"
	"errors"
	"fmt"

	"vigia/store"
	"vigia/store/control"
	"vigia/store/settings"
)

// Compact rewrites the file without what was freed in it: the service that runs does
// it or, without one, the command itself.
func Compact(ctx context.Context, s *settings.Settings, t Terminal) error {
	said, err := control.Ask(ctx, s.Data, compactErrand, nil, nil)
	if errors.Is(err, control.ErrNobody) {
		said, err = compactAlone(s, t)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(t.Out, said)
	return nil
}

func compactAlone(s *settings.Settings, t Terminal) (string, error) {
	if live := liveFile(s); missing(live) {
		return "", fmt.Errorf("%s does not exist, so there is nothing to compact; name the folder of the data with --data", live)
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return compact(file)
}

func compact(file *store.Store) (string, error) {
	before := file.Size()
	if err := file.Compact(); err != nil {
		return "", err
	}
	return fmt.Sprintf("compacted: %d bytes before, %d now; nothing of what was erased is left in the file", before, file.Size()), nil
}
