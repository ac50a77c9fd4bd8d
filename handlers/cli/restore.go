package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"vigia/handlers/cli/control"
	"vigia/store"
)

// presentTime is how long a service has to answer that it runs.
const presentTime = 5 * time.Second

// Restore puts a backup in the place of the file of a service that is not running, and
// prints what the operator must know about it.
func Restore(ctx context.Context, env *Env) error {
	bounded, cancel := context.WithTimeout(ctx, presentTime)
	defer cancel()
	if _, err := control.Ask(bounded, env.Data, presentRequest, nil, nil); err == nil {
		return fmt.Errorf("a service runs on %s: stop it first, then restore, then start it again", env.Data)
	}
	key := filepath.Join(env.Data, store.KeyFile)
	done, err := store.Restore(ctx, env.LivePath(), env.Args[0], store.Options{Clock: env.Clock, Log: env.Log})
	if errors.Is(err, store.ErrInUse) {
		return inUse(err)
	}
	if err == nil && !missing(key) {
		err = store.OwnAs(key, env.Data)
	}
	if err != nil {
		return err
	}
	printRestored(env, done, key)
	return nil
}

func printRestored(env *Env, done *store.Restored, key string) {
	w := env.Out
	upto := "before its first estimates"
	if !done.Upto.IsZero() {
		upto = "up to " + done.Upto.UTC().Format("2006-01-02 15:04 UTC")
	}
	fmt.Fprintf(w, "%s restored from %s, which goes %s. Subscriptions in it: %d.\n", env.LivePath(), env.Args[0], upto, done.Subscriptions)
	if done.Kept != "" {
		fmt.Fprintf(w, "The file that was there is kept as %s. The service deletes it after 30 days, since it holds what is erased from now on.\n", done.Kept)
	}
	switch {
	case done.Kept == "":
		fmt.Fprintln(w, "No file was there: who left or subscribed after the backup is not known, save who left as far as other backups in the folder tell. Some may be told again of what they know, and those who left can leave again by any link they have.")
	case done.Unread != nil:
		fmt.Fprintf(w, "The file that was there could not be read to its end (%v). What could be read of who left and who subscribed after the backup was taken over; of the others, those who left may be told again, and those who subscribed must do so again.\n", causeOf(done.Unread))
	default:
		fmt.Fprintln(w, "Who left and who subscribed after the backup, what they wish, what they were told and what waits to be sent was taken over from the file that was there.")
	}
	fmt.Fprintf(w, "Left out, because they left after the backup: %d. Made or changed after it: %d.\n", done.Left, done.Newer)
	if done.Dropped > 0 {
		fmt.Fprintf(w, "Messages that waited in the backup and are not sent, because they may have been sent since: %d.\n", done.Dropped)
	}
	switch {
	case missing(key):
		fmt.Fprintf(w, "There is no %s, and no backup holds it: put your copy there before the next start and, as root, give it to the service: chown --reference=%s %s. Without it a new one is made, the links in all mails sent so far stop working, and every push subscription has to be made again.\n", key, env.Data, key)
	case done.OtherKeys:
		fmt.Fprintf(w, "The backup belongs to another %s than the file that was there: put the right one there before the next start, or the links in mails sent with the other stop working. One that lies there as vigia.key.previous is found.\n", key)
	default:
		fmt.Fprintf(w, "%s stays as it is, and with it the links in mails sent so far.\n", key)
	}
	fmt.Fprintln(w, "Start the service again.")
}

// causeOf returns what is wrong with a file, without the advice on what to do about it.
func causeOf(err error) error {
	if damaged := (*store.DamagedError)(nil); errors.As(err, &damaged) {
		return damaged.Cause
	}
	return err
}
