package subscription

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
)

// longestEndpoint is the longest push address taken, in bytes; those of the known
// services have 150 to 600.
const longestEndpoint = 1024

// TargetError is what is wrong with a push target, by field of the form. It does not repeat
// what was sent.
type TargetError []FormFault

// Error returns what is wrong, a field a line.
func (e TargetError) Error() string {
	text := ""
	for _, f := range e {
		text += f.Field + ": " + f.Text + "\n"
	}
	return text
}

var (
	errEndpoint = errors.New("no es la dirección de un servicio de notificaciones: debe ser una URL https completa, " +
		"de 1024 caracteres como máximo, sin usuario, sin fragmento y sin otro puerto que el 443")
	errPushHost = errors.New("no es de un servicio de notificaciones conocido; envíe el «endpoint» que entrega el navegador, sin cambiarlo")
)

const (
	wrongKey  = "debe ser un punto de la curva P-256 sin comprimir (65 bytes) en base64, como lo entrega el navegador"
	wrongAuth = "debe tener 16 bytes en base64, como lo entrega el navegador"
)

// ParseTarget checks what a browser gives to be reached by Web Push. The endpoint
// comes out with its host in lower case and without the usual port. The error is a
// TargetError.
func ParseTarget(endpoint, p256dh, auth string, hosts PushHosts) (*Target, error) {
	var t Target
	var wrong TargetError
	var err error
	if t.Endpoint, err = parseEndpoint(endpoint, hosts); err != nil {
		wrong = append(wrong, FormFault{"webpush.endpoint", err.Error()})
	}
	key, ok := decodeBase64(p256dh, len(t.Key))
	if _, err := ecdh.P256().NewPublicKey(key); err != nil || !ok {
		wrong = append(wrong, FormFault{"webpush.keys.p256dh", wrongKey})
	}
	secret, ok := decodeBase64(auth, len(t.Auth))
	if !ok {
		wrong = append(wrong, FormFault{"webpush.keys.auth", wrongAuth})
	}
	if wrong != nil {
		return nil, wrong
	}
	copy(t.Key[:], key)
	copy(t.Auth[:], secret)
	return &t, nil
}

func parseEndpoint(text string, hosts PushHosts) (string, error) {
	if len(text) > longestEndpoint || !isPlainASCII(text) || strings.ContainsAny(text, "\\#\"<>^`{|}") {
		return "", errEndpoint
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || u.Hostname() == "" {
		return "", errEndpoint
	}
	origin := Origin(u)
	if !hosts.AsWritten(u) && (!strings.HasPrefix(origin, "https://") || strings.Contains(origin[len("https://"):], ":")) {
		return "", errEndpoint
	}
	if !hosts.Allows(u) {
		return "", errPushHost
	}
	if len(u.Path) < 2 && u.RawQuery == "" {
		return "", errEndpoint // the service alone, nobody at it
	}
	rest := u.EscapedPath()
	if u.RawQuery != "" {
		rest += "?" + u.RawQuery
	}
	return origin + rest, nil
}

// decodeBase64 reads exactly n bytes of base64 in either alphabet, with or without
// padding.
func decodeBase64(text string, n int) ([]byte, bool) {
	bare := strings.TrimRight(text, "=")
	if padding := len(text) - len(bare); padding != 0 && padding != (3-n%3)%3 || len(bare) != base64.RawStdEncoding.EncodedLen(n) {
		return nil, false
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(bare))
	return data, err == nil && len(data) == n // less when there were line breaks, which the decoder skips
}
