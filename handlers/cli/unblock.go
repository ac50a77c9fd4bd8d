package cli

import (
	"context"
	"fmt"
	"strings"
)

// Unblock has the running service, which has the keys, forget that somebody refused
// mails to an address («No fui yo»).
func Unblock(ctx context.Context, env *Env) error {
	return env.askOr(ctx, unblockRequest, nil, strings.NewReader(env.Args[0]), func() (string, error) {
		return "", fmt.Errorf("no service runs on the data in %s; start it first, or name the folder of the data with --data", env.Data)
	})
}
