package pushtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// maxTokenLife is how far ahead RFC 8292 lets a token end.
const maxTokenLife = 24 * time.Hour

// checkSender checks the token by which a sender names itself (RFC 8292).
func (r *Service) checkSender(h http.Header) *refusal {
	list, named := strings.CutPrefix(h.Get("Authorization"), "vapid ")
	if !named || len(h.Values("Authorization")) != 1 {
		return &refusal{http.StatusUnauthorized, "there is no VAPID token"}
	}
	values := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		values[name] = value
	}
	if r.key != "" && values["k"] != r.key {
		return &refusal{http.StatusForbidden, "the subscriptions were made for another key"}
	}
	if err := r.checkToken(values["t"], values["k"]); err != nil {
		return &refusal{http.StatusForbidden, err.Error()}
	}
	return nil
}

// checkToken checks that a token was signed by a key (base64url), is for this service,
// ends within a day and names a contact.
func (r *Service) checkToken(token, key string) error {
	point, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil {
		return err
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return err
	}
	var claims jwt.RegisteredClaims
	now := r.tokens.Now()
	_, err = jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return public, nil }, jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithAudience(r.origin), jwt.WithExpirationRequired(), jwt.WithTimeFunc(func() time.Time { return now }))
	switch {
	case err != nil:
		return err
	case claims.ExpiresAt.After(now.Add(maxTokenLife)):
		return jwt.ErrTokenInvalidClaims
	case !isContact(claims.Subject):
		return jwt.ErrTokenInvalidSubject
	}
	return nil
}

func isContact(subject string) bool {
	if address, ok := strings.CutPrefix(subject, "mailto:"); ok {
		parsed, err := mail.ParseAddress(address)
		return err == nil && parsed.Address == address
	}
	u, err := url.Parse(subject)
	return err == nil && u.Scheme == "https" && u.Host != ""
}
