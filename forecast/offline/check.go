package offline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/backups"
	"vigia/store/control"
	"vigia/store/settings"
)

// Check tells what would hold, and changes nothing.
func Check(ctx context.Context, s *settings.Settings, t Terminal) error {
	for _, row := range s.Effective() {
		fmt.Fprintf(t.Out, "%-20s %-45s %s\n", row.Name, row.Value, row.Origin)
	}
	parks, err := Catalogue(s)
	if err != nil {
		return err
	}
	const daysAsked, refreshesADay = 8, 14 // three models four times, one twice
	fmt.Fprintf(t.Out, "catalogue: %d parks, %d trails, %d places\n", len(parks.Parks), len(parks.Trails), len(parks.Locations))
	fmt.Fprintf(t.Out, "provider: about %.0f of weight a day, the free service allows %.0f\n",
		refreshesADay*openmeteo.Weight(len(parks.Locations), daysAsked), openmeteo.FreeLimits.Day)
	fmt.Fprintln(t.Out, "backup: "+backupAge(s, t))
	said, err := control.Ask(ctx, s.Data, checkErrand, nil, nil)
	if errors.Is(err, control.ErrNobody) {
		said, err = checkAlone(ctx, s, t)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(t.Out, said)
	return nil
}

// backupAge tells of the newest backup in the folder of the data.
func backupAge(s *settings.Settings, t Terminal) string {
	copies, err := backups.List(s.Data)
	switch {
	case err != nil:
		return err.Error()
	case len(copies) == 0:
		return "none yet; a running service makes one every night, vigia backup makes one now"
	}
	newest := copies[len(copies)-1]
	return fmt.Sprintf("%d, the newest %s old: %s", len(copies), t.Clock.Since(newest.At).Round(time.Minute), newest.Path)
}

// checkAlone looks at the file of a service that is not running.
func checkAlone(ctx context.Context, s *settings.Settings, t Terminal) (string, error) {
	if missing(liveFile(s)) {
		return "file: none yet, it is made at the first start", nil
	}
	file, err := openWith(s, store.Options{Clock: t.Clock, Log: t.Log, LookOnly: true})
	if errors.Is(err, store.ErrUnready) {
		return fmt.Sprintf("file: %v", err), nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	return fmt.Sprintf("file: %d bytes", file.Size()), file.Check(ctx)
}
