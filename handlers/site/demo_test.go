package site

import (
	"errors"
	"time"
)

// caught is what a demo has sent.
func caught() Caught {
	return Caught{
		Mails: []CaughtMail{
			{At: now, From: "Vigía <avisos@vigia.example>", To: "ana@correo.cl", Subject: "[Peligro] Viento · Torres del Paine · sáb 21, 9–23 h",
				Text: "Peligro por viento en Torres del Paine.\n\nhttps://vigia.example/parques/torres-del-paine\n",
				HTML: `<!DOCTYPE html><html lang="es"><head><title>Aviso</title><style>h1{color:#a3131b}</style></head><body><h1>Peligro por viento</h1>` +
					`<p>Torres del Paine</p><p><a href="/parques/torres-del-paine">Ver el parque</a></p><script>parent.document.title = "fuera"</script></body></html>`,
				Raw: []byte("From: =?utf-8?q?Vig=C3=ADa?= <avisos@vigia.example>\r\nTo: ana@correo.cl\r\nMessage-ID: <b@vigia.example>\r\n" +
					"List-Unsubscribe: <https://vigia.example/baja/TOKEN>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nbody <b>\r\n")},
			{At: now.Add(-time.Hour), From: "avisos@vigia.example", To: "luis@correo.cl", Subject: `<script>alert(1)</script>`,
				Text: "Solo texto </pre><b>.", Raw: []byte("Message-ID: <a@vigia.example>\n\nx")},
		},
		Pushes: []CaughtPush{{At: now, Topic: "Zm9vYmFyYmF6cXV4MTIzNDU2", Urgency: "high", TTL: 36000, Payload: CaughtPayload{
			Title: "[Peligro] Viento · Torres del Paine", Body: "sáb 21, 9–23 h. Racha de 94 km/h.", Tag: "Zm9vYmFyYmF6cXV4MTIzNDU2",
			Path: "/parques/torres-del-paine", Level: "peligro", Expires: now.Add(10 * time.Hour), Language: "es"}}},
	}
}

var errFull = errors.New("full")
