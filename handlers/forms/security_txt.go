package forms

import (
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/httpcache"
	"vigia/handlers/site"
)

// securityPath is where whoever found a weakness looks for whom to tell (RFC 9116).
const securityPath = "/.well-known/security.txt"

// securityLife is how long the contact is said to hold, from each request on.
const securityLife = 90 * 24 * time.Hour

func (f *Forms) serveSecurityContact(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	_, now := f.Shown()
	text := "Contact: mailto:" + f.Contact + "\nExpires: " + now.Add(securityLife).UTC().Format(time.RFC3339) + "\nPreferred-Languages: es, en\n"
	if f.BaseURL != "" {
		text += "Canonical: " + f.BaseURL + securityPath + "\n"
	}
	httpcache.Static(site.TextType, []byte(text)).Serve(w, r, httpcache.Terms{Now: now, CacheControl: httpcache.MaxAge(time.Hour)})
}
