package simulate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"time"
)

// maxTokenLife is how far ahead RFC 8292 lets a token end.
const maxTokenLife = 24 * time.Hour

// checkSender checks the token by which a sender names itself (RFC 8292).
func (r *Receiver) checkSender(h http.Header) *refusal {
	list, named := strings.CutPrefix(h.Get("Authorization"), "vapid ")
	if !named || len(h.Values("Authorization")) != 1 {
		return &refusal{http.StatusUnauthorized, "there is no VAPID token"}
	}
	values := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, twice := values[name]; twice {
			return &refusal{http.StatusUnauthorized, "a part of the authorization is there twice"}
		}
		values[name] = value
	}
	if r.key != "" && values["k"] != r.key {
		return &refusal{http.StatusForbidden, "the subscriptions were made for another key"}
	}
	payload, reason := verified(values["t"], values["k"])
	if reason == "" {
		reason = checkClaims(payload, r.origin, r.clock.Now())
	}
	if reason != "" {
		return &refusal{http.StatusForbidden, reason}
	}
	return nil
}

// verified gives the claims of a token that was signed by ES256 with the key, or
// what is wrong with it.
func verified(token, key string) (claims []byte, reason string) {
	decode := base64.RawURLEncoding.Strict().DecodeString
	point, err := decode(key)
	if err != nil {
		return nil, "k is not base64url"
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return nil, "k is not a point of P-256"
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, "t is not a token"
	}
	var decoded [3][]byte
	for i, part := range parts {
		if decoded[i], err = decode(part); err != nil {
			return nil, "t is not base64url"
		}
	}
	var header struct {
		Algorithm string `json:"alg"`
	}
	if json.Unmarshal(decoded[0], &header) != nil || header.Algorithm != "ES256" {
		return nil, "t is not signed by ES256"
	}
	if len(decoded[2]) != 64 {
		return nil, "the signature has not 64 bytes"
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	half := func(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
	// #nosec G602 -- of 64 bytes, as was just seen
	if !ecdsa.Verify(public, digest[:], half(decoded[2][:32]), half(decoded[2][32:])) {
		return nil, "the signature is not of this token and key"
	}
	return decoded[1], ""
}

// checkClaims says what is wrong with the claims of a token.
func checkClaims(payload []byte, origin string, now time.Time) (reason string) {
	var claims struct {
		Audience *string  `json:"aud"`
		Expires  *float64 `json:"exp"`
		Subject  string   `json:"sub"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.Audience == nil || claims.Expires == nil {
		return "the claims are not aud, exp and sub"
	}
	ends := time.Unix(int64(*claims.Expires), 0)
	switch {
	case *claims.Audience != origin:
		return "the token is for another service"
	case !ends.After(now):
		return "the token has expired"
	case ends.After(now.Add(maxTokenLife)):
		return "the token ends in more than 24 hours"
	case !isContact(claims.Subject):
		return "sub is neither a mailto nor an https URL"
	}
	return ""
}

func isContact(subject string) bool {
	if address, ok := strings.CutPrefix(subject, "mailto:"); ok {
		parsed, err := mail.ParseAddress(address)
		return err == nil && parsed.Address == address
	}
	u, err := url.Parse(subject)
	return err == nil && u.Scheme == "https" && u.Host != ""
}
