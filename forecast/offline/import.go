package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"

	"vigia/forecast"
	"vigia/forecast/hazard"
	"vigia/store/control"
	"vigia/store/notices"
	"vigia/store/settings"
)

// Imports takes in a file whole, or names everything that is wrong with it. The
// service that runs does it or, without one, the command itself.
func Imports(ctx context.Context, s *settings.Settings, t Terminal) error {
	take := importNotices
	if s.Args[0] == "observaciones" {
		take = importObservations
	}
	said, err := take(ctx, s, t)
	if err != nil {
		return err
	}
	fmt.Fprintln(t.Out, said)
	return nil
}

func importNotices(ctx context.Context, s *settings.Settings, t Terminal) (string, error) {
	document, err := notices.Load(s.Args[1])
	if err != nil {
		return "", err
	}
	about := url.Values{aboutKind: {s.Args[0]}, aboutName: {s.Args[1]}}
	said, err := control.Ask(ctx, s.Data, noticesErrand, about, bytes.NewReader(document.Data))
	if !errors.Is(err, control.ErrNobody) {
		return said, err
	}
	parks, err := Catalogue(s)
	if err != nil {
		return "", err
	}
	kind, _ := notices.KindOf(s.Args[0])
	batch, err := notices.Read(kind, document, parks, t.Clock.Now())
	if err != nil {
		return "", err
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return told(s.Args[1], batch), file.SaveNotices(batch)
}

func told(name string, batch notices.Batch) string {
	return fmt.Sprintf("%s: %d notices of %s, in place of all that were known", name, batch.Len(), batch.Kind)
}

// importObservations takes in what came of the weather, for the verification log.
func importObservations(ctx context.Context, s *settings.Settings, t Terminal) (string, error) {
	data, err := forecast.LoadObservations(s.Args[1])
	if err != nil {
		return "", err
	}
	about := url.Values{aboutName: {s.Args[1]}}
	said, err := control.Ask(ctx, s.Data, observationsErrand, about, bytes.NewReader(data))
	if !errors.Is(err, control.ErrNobody) {
		return said, err
	}
	parks, err := Catalogue(s)
	if err != nil {
		return "", err
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return "", err
	}
	defer file.Close()
	done, err := forecast.Observations{
		Store: file, Catalogue: parks, Rules: hazard.DefaultRules(), Log: t.Log, Now: t.Clock.Now(), Name: s.Args[1], Data: data,
	}.Import()
	return compared(s.Args[1], done), err
}

func compared(name string, done forecast.Imported) string {
	return fmt.Sprintf("%s: %d observations; %d days of a trail compared, %d without an estimate in the log", name, done.Rows, done.Compared, done.Without)
}
