package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vigia/handlers/cli/systemd"
	"vigia/store"
	"vigia/store/catalogue"
)

// Weight is what the weather provider counts for a day of the service's requests about
// a catalogue.
type Weight struct {
	PerDay      float64
	Allowed     float64 // 0 where that is not known
	NoEnsembles bool    // they are not asked for, since there is no room
}

// Check prints the settings in force and the state of the data, and changes nothing.
func Check(ctx context.Context, env *Env, weight func(*catalogue.Catalogue) Weight) error {
	for _, row := range env.Rows {
		fmt.Fprintf(env.Out, "%-20s %-45s %s\n", row.Name, row.Value, row.Origin)
	}
	parks, err := env.LoadCatalogue()
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "catalogue: %d parks, %d trails, %d places\n", len(parks.Parks), len(parks.Trails), len(parks.Locations))
	if region, err := env.OpenMap(); err != nil {
		return err
	} else if region != nil {
		fmt.Fprintf(env.Out, "map: %s\n", region)
		region.Close()
	}
	fmt.Fprintln(env.Out, "provider: "+describeWeight(weight(parks), len(env.Models), parks))
	fmt.Fprintln(env.Out, "backup: "+backupAge(env))
	err = env.ask(ctx, env.alone(), checkRequest, nil, nil)
	if errors.Is(err, store.ErrUnready) {
		fmt.Fprintf(env.Out, "file: %v\n", err)
		err = nil
	}
	return errors.Join(err, systemd.Unreadable(env.Settings, systemd.UnitFolders))
}

func describeWeight(w Weight, models int, parks *catalogue.Catalogue) string {
	text := fmt.Sprintf("about %.0f of weight a day (models: %d, places: %d)", w.PerDay, models, len(parks.Locations))
	switch {
	case w.Allowed == 0:
		text += "; what your contract allows is not known here"
	case w.PerDay > w.Allowed:
		text += fmt.Sprintf(", more than the %.0f that the free service allows: name fewer models or places, or take a contract (--provider-key)", w.Allowed)
	default:
		text += fmt.Sprintf("; the free service allows %.0f", w.Allowed)
	}
	if w.NoEnsembles {
		text += "; the ensembles, for which there is no room, are not asked"
	}
	return text
}

// backupAge describes the newest backup in the folder of the data.
func backupAge(env *Env) string {
	copies, err := store.Copies(env.Data)
	switch {
	case err != nil:
		return err.Error()
	case len(copies) == 0:
		return "none yet; a running service makes one every night, vigia backup makes one now"
	}
	newest := copies[len(copies)-1]
	return fmt.Sprintf("%d, the newest %s old: %s", len(copies), env.Clock.Since(newest.At).Round(time.Minute), newest.Path)
}
