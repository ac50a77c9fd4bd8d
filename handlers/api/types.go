package api

import "time"

// The types of this file, and of types_precision.go, are the contract of the API: answers are these types as
// JSON, and openapi.json is made from them. A pointer is null where the value is
// missing; nothing is ever left out. Instants are UTC, cut to the second.

// Words that stand for one of a few values. openapi.json lists them.
type (
	Slug        string // of a park or a trail
	TrailName   string // park/trail
	State       string
	Level       string
	Quality     string
	Confidence  string
	Hazard      string
	StateReason string // why there is no State
)

// OfficialNotices is what official bodies have published: beside the estado, which it never
// changes. Both are empty where nothing is known.
type OfficialNotices struct {
	VolcanicAlerts []VolcanicAlert `json:"alertas_volcanicas"`
	Closures       []Closure       `json:"cierres"`
}

// VolcanicAlert is a technical alert of the geology service for a volcano near a park.
type VolcanicAlert struct {
	Volcano     string     `json:"volcan"`
	Level       string     `json:"nivel_tecnico" enum:"verde,amarilla,naranja,roja"`
	DistanceKm  float64    `json:"distancia_km"`
	Source      string     `json:"fuente"`
	SourceURL   string     `json:"fuente_url"`
	PublishedAt *time.Time `json:"publicado_en"`
	ObtainedAt  time.Time  `json:"obtenido_en"`
	Stale       bool       `json:"desactualizado"`
}

// Closure is a closed or restricted park or trail. Trail is null for the whole park.
type Closure struct {
	Scope      string     `json:"alcance" enum:"parque,sendero"`
	Trail      *string    `json:"sendero"`
	Situation  string     `json:"situacion" enum:"cerrado,restringido"`
	Detail     *string    `json:"detalle"`
	From       *time.Time `json:"desde"`
	Until      *time.Time `json:"hasta"`
	Source     string     `json:"fuente"`
	SourceURL  string     `json:"fuente_url"`
	ObtainedAt time.Time  `json:"obtenido_en"`
	Stale      bool       `json:"desactualizado"`
}

// Park is a park in the list.
type Park struct {
	Slug          Slug         `json:"slug"`
	Name          string       `json:"nombre"`
	Kind          string       `json:"tipo"`
	Region        string       `json:"region"`
	Administrator *string      `json:"administrador"`
	Latitude      float64      `json:"latitud" minimum:"-90" maximum:"90"`
	Longitude     float64      `json:"longitud" minimum:"-180" maximum:"180"`
	ElevationM    *float64     `json:"altitud_m"`
	AreaHa        *float64     `json:"superficie_ha"`
	TimeZone      string       `json:"zona_horaria"`
	State         *State       `json:"estado"`
	Level         *Level       `json:"nivel"`
	Quality       Quality      `json:"calidad"`
	Reason        *StateReason `json:"motivo_sin_estado"`
	Main          *Hazard      `json:"amenaza_principal"`
	Confidence    *Confidence  `json:"confianza"`
	TrailCounts   struct {
		Total  int `json:"total" minimum:"0"`
		Green  int `json:"verde" minimum:"0"`
		Amber  int `json:"amarillo" minimum:"0"`
		Red    int `json:"rojo" minimum:"0"`
		NoData int `json:"sin_datos" minimum:"0"`
	} `json:"senderos_por_estado"`
	ActiveAlerts *int       `json:"alertas_activas" minimum:"0"`
	Worst24h     *State     `json:"estado_maximo_24h"`
	Worst72h     *State     `json:"estado_maximo_72h"`
	EstimatedAt  *time.Time `json:"estimado_en"`
	ValidUntil   *time.Time `json:"vigente_hasta"`
	Official     bool       `json:"oficial" const:"false"`
	Links        struct {
		API   string  `json:"api" format:"uri-reference"`
		Web   string  `json:"web" format:"uri-reference"`
		Badge *string `json:"insignia" format:"uri-reference"`
		Atom  *string `json:"atom" format:"uri-reference"`
	} `json:"enlaces"`
	UV      *UV      `json:"uv"`
	Weather *Weather `json:"tiempo"`
	OfficialNotices
}

// ParkDetail is a park with all that belongs to it. Alerts is null while the estimates
// behind them are unknown. WeatherDays are those of the trail of Weather.
type ParkDetail struct {
	Park
	Trails      []Trail           `json:"senderos"`
	Latest      *Estimate         `json:"ultima_estimacion"`
	WeatherDays []WeatherDay      `json:"tiempo_dias" maxItems:"7"`
	Alerts      []Alert           `json:"alertas" nullable:"true"`
	Emergency   []EmergencyNumber `json:"telefonos_emergencia"`
	Sources     []Source          `json:"fuentes"`
	Notice      string            `json:"aviso"`
}

// EmergencyNumber is a telephone number.
type EmergencyNumber struct {
	Number string  `json:"numero"`
	Name   string  `json:"nombre"`
	Note   *string `json:"nota"`
}

// Source is where data come from and what reusing them asks for.
type Source struct {
	Name       string  `json:"nombre"`
	Kind       string  `json:"tipo" enum:"meteorologia,volcanes,administracion,servicio"`
	URL        *string `json:"url" format:"uri-reference"`
	Licence    *string `json:"licencia"`
	Obligation string  `json:"obligacion"`
}

// Trail is a trail with its present estimate and what follows from the next hours.
type Trail struct {
	Slug            Slug     `json:"slug"`
	Park            Slug     `json:"parque"`
	Name            string   `json:"nombre"`
	Kind            string   `json:"tipo" enum:"ida_y_vuelta,circuito,travesia"`
	LengthKm        *float64 `json:"largo_km"`
	ClimbM          *float64 `json:"desnivel_m"`
	StartElevationM *float64 `json:"altitud_inicio_m"`
	MaxElevationM   *float64 `json:"altitud_max_m"`
	Difficulty      *string  `json:"dificultad" enum:"baja,media,alta,muy_alta"`
	Duration        struct {
		Min *float64 `json:"min"`
		Max *float64 `json:"max"`
	} `json:"duracion_h"`
	Points          []Point      `json:"puntos"`
	OneExposedPoint bool         `json:"un_solo_punto_expuesto"`
	Latest          *Estimate    `json:"ultima_estimacion"`
	Days            []Day        `json:"resumen_dias" minItems:"3" maxItems:"3"`
	Windows         []Window     `json:"ventanas_sin_alerta"`
	UV              *UV          `json:"uv"`
	Weather         *Weather     `json:"tiempo"`
	WeatherDays     []WeatherDay `json:"tiempo_dias" minItems:"7" maxItems:"7"`
	OfficialNotices
}

// Weather is what the models predict at a trail's critical point for an hour, or beyond
// the hours with a level for three. It informs beside the state. A park's is that of the
// trail that decides its state, or else of its first one.
type Weather struct {
	Trail           Slug      `json:"sendero"`
	Point           string    `json:"punto"`
	Hour            time.Time `json:"hora"`
	PeriodH         int       `json:"periodo_h" minimum:"1" maximum:"3"`
	Sky             *string   `json:"cielo"`
	Code            *int      `json:"codigo_wmo" minimum:"0" maximum:"99"`
	TemperatureC    *float64  `json:"temperatura_c"`
	FeelsLikeC      *float64  `json:"sensacion_termica_c"`
	WindKmh         *float64  `json:"viento_kmh"`
	GustKmh         *float64  `json:"racha_kmh"`
	FromDegrees     *float64  `json:"viento_desde_grados" minimum:"0" maximum:"360"`
	From            *string   `json:"viento_desde"`
	PrecipitationMm *float64  `json:"precipitacion_mm"`
	SnowCm          *float64  `json:"nieve_cm"`
	CloudPercent    *float64  `json:"nubosidad_pct" minimum:"0" maximum:"100"`
	Models          int       `json:"modelos" minimum:"0"`
}

// WeatherDay is the weather of a local day; of today, what is left of it. A value is null
// unless all hours of the day have it.
type WeatherDay struct {
	Trail           Slug     `json:"sendero"`
	Point           string   `json:"punto"`
	Date            string   `json:"fecha" format:"date"`
	Sky             *string  `json:"cielo"`
	Code            *int     `json:"codigo_wmo" minimum:"0" maximum:"99"`
	TemperatureMinC *float64 `json:"temperatura_minima_c"`
	TemperatureMaxC *float64 `json:"temperatura_maxima_c"`
	FeelsLikeMinC   *float64 `json:"sensacion_termica_minima_c"`
	GustKmh         *float64 `json:"racha_maxima_kmh"`
	FromDegrees     *float64 `json:"racha_desde_grados" minimum:"0" maximum:"360"`
	From            *string  `json:"racha_desde"`
	PrecipitationMm *float64 `json:"precipitacion_mm"`
	SnowCm          *float64 `json:"nieve_cm"`
	UV              *float64 `json:"uv_maximo" minimum:"0"`
	Models          int      `json:"modelos" minimum:"0"`
}

// Point is a place of a trail that is estimated.
type Point struct {
	Name       string   `json:"nombre"`
	Latitude   float64  `json:"latitud" minimum:"-90" maximum:"90"`
	Longitude  float64  `json:"longitud" minimum:"-180" maximum:"180"`
	ElevationM *float64 `json:"altitud_m"`
	Exposure   string   `json:"exposicion" enum:"cresta_paso,glaciar_nieve,valle_abierto,bosque,vadeo_quebrada,costa,desierto,altiplano"`
	Critical   bool     `json:"critico"`
}

// Day is the worst of the hours of use of one local day.
type Day struct {
	Date      string     `json:"fecha" format:"date"`
	State     *State     `json:"estado_maximo"`
	WorstHour *time.Time `json:"hora_peor"`
	Main      *Hazard    `json:"amenaza_principal"`
}

// Window is a time of daylight without any model alert.
type Window struct {
	From     time.Time `json:"desde"`
	To       time.Time `json:"hasta"`
	Hours    float64   `json:"horas" minimum:"0"`
	Daylight bool      `json:"dentro_de_luz"`
}

// Estimate is a trail's estimate for one hour.
type Estimate struct {
	EstimateCore
	Models []ModelRun `json:"modelos"`
	UV     *UV        `json:"uv"`
	EstimateTerms
}

// UV is how strong the sun gets: in the hour of an Estimate, in the next 24 hours of a
// trail, and on the trail of a park where it is strongest. It informs beside the state.
type UV struct {
	Index float64  `json:"indice" minimum:"0"`
	Class string   `json:"clase" enum:"bajo,moderado,alto,muy_alto,extremo"`
	Hours *UVHours `json:"horas"`
	Model string   `json:"modelo"`
}

// UVHours are the hours around the highest index in which the sun is strong.
type UVHours struct {
	From time.Time `json:"desde"`
	To   time.Time `json:"hasta"`
}

// ForecastHour is an Estimate without its models, or beyond the hours with a level the
// weather of three hours: without state, for the reason tendencia.
type ForecastHour struct {
	EstimateCore
	EstimateTerms
}

// EstimateCore is what an Estimate and a ForecastHour both begin with.
type EstimateCore struct {
	Trail      Slug           `json:"sendero"`
	Hour       time.Time      `json:"hora"`
	LocalHour  string         `json:"hora_local" format:"date-time"`
	State      *State         `json:"estado"`
	Quality    Quality        `json:"calidad"`
	Reason     *StateReason   `json:"motivo_sin_estado"`
	Main       *Hazard        `json:"amenaza_principal"`
	Hazards    []HazardOfHour `json:"amenazas"`
	Confidence *Confidence    `json:"confianza"`
	Variables  Variables      `json:"variables"`
	Weather    *Weather       `json:"tiempo"`
}

// EstimateTerms are the same in every estimate of a publication.
type EstimateTerms struct {
	Rules       string     `json:"reglas_version"`
	EstimatedAt *time.Time `json:"estimado_en"`
	ValidUntil  *time.Time `json:"vigente_hasta"`
	Official    bool       `json:"oficial" const:"false"`
}

// HazardOfHour is the estimate of one hazard in one hour.
type HazardOfHour struct {
	Hazard     Hazard      `json:"amenaza"`
	State      *State      `json:"estado"`
	Agree      int         `json:"modelos_de_acuerdo" minimum:"0"`
	Total      int         `json:"modelos_total" minimum:"0"`
	Confidence *Confidence `json:"confianza"`
	Causes     []Cause     `json:"causas"`
}

// Cause is a quantity that reached a threshold, over the models that saw it.
type Cause struct {
	Quantity  string   `json:"variable"`
	Value     *float64 `json:"valor"`
	Min       *float64 `json:"minimo"`
	Max       *float64 `json:"maximo"`
	Threshold *float64 `json:"umbral"`
	Over      int      `json:"modelos_sobre" minimum:"0"`
	Total     int      `json:"modelos_total" minimum:"0"`
	Unit      string   `json:"unidad"`
	Trail     *string  `json:"sendero"`
	Point     *string  `json:"punto"`
}

// Variables are medians of the models at the critical point, for the hour or, beyond the
// hours with a level, for three.
type Variables struct {
	TemperatureC    *float64 `json:"temperatura_c"`
	FeelsLikeC      *float64 `json:"sensacion_termica_c"`
	WindKmh         *float64 `json:"viento_kmh"`
	GustKmh         *float64 `json:"racha_kmh"`
	PrecipitationMm *float64 `json:"precipitacion_mm"`
	SnowCm          *float64 `json:"nieve_cm"`
	FreezingLevelM  *float64 `json:"isoterma_cero_m"`
	VisibilityM     *float64 `json:"visibilidad_m"`
	UV              *float64 `json:"uv"`
	WindAloftKmh    *float64 `json:"viento_altura_kmh"`
}

// ModelRun is a run of a model that an estimate was made with; Run and LeadH are null
// where the model is missing.
type ModelRun struct {
	Model string     `json:"modelo"`
	Run   *time.Time `json:"corrida"`
	LeadH *int       `json:"horizonte_h"`
}

// Alert is an alert at the instant of reading.
type Alert struct {
	ID         string          `json:"id"`
	Version    int             `json:"version" minimum:"0"`
	Situation  string          `json:"situacion" enum:"vigente,programada,finalizada"`
	Level      Level           `json:"nivel"`
	Hazard     Hazard          `json:"amenaza"`
	Park       Slug            `json:"parque"`
	ParkName   string          `json:"parque_nombre"`
	Trails     []Slug          `json:"senderos"`
	Title      string          `json:"titulo"`
	Summary    string          `json:"resumen"`
	Advice     string          `json:"recomendacion"`
	Causes     []Cause         `json:"causas"`
	Hazards    []HazardOfAlert `json:"amenazas"`
	Confidence *Confidence     `json:"confianza"`
	IssuedAt   time.Time       `json:"emitida_en"`
	UpdatedAt  time.Time       `json:"actualizada_en"`
	Start      time.Time       `json:"inicio"`
	End        time.Time       `json:"fin"`
	ValidUntil *time.Time      `json:"vigente_hasta"`
	TimeZone   string          `json:"zona_horaria"`
	Changes    []Change        `json:"cambios"`
	Source     string          `json:"fuente" const:"modelo"`
	Official   bool            `json:"oficial" const:"false"`
	Links      struct {
		API string `json:"api" format:"uri-reference"`
		Web string `json:"web" format:"uri-reference"`
	} `json:"enlaces"`
	OfficialNotices
}

// HazardOfAlert is a hazard in an alert, in the hours in which it lasts: one that comes back
// later in the same alert is another one.
type HazardOfAlert struct {
	Hazard Hazard    `json:"amenaza"`
	Level  Level     `json:"nivel"`
	Start  time.Time `json:"inicio"`
	End    time.Time `json:"fin"`
	Trails []Slug    `json:"senderos"`
	Causes []Cause   `json:"causas"`
	Agree  int       `json:"modelos_de_acuerdo" minimum:"0"`
	Total  int       `json:"modelos_total" minimum:"0"`
}

// Change is one version of an alert.
type Change struct {
	Version int       `json:"version" minimum:"0"`
	At      time.Time `json:"en"`
	Summary string    `json:"resumen"`
}

// Forecast is the hours ahead of one trail. Its last member is cut by hours.
type Forecast struct {
	Trail Slug   `json:"sendero"`
	Name  string `json:"nombre"`
	OfficialNotices
	Hours []ForecastHour `json:"horas" maxItems:"104"`
}

// History is the hours past of one trail, newest first. Its last member is cut by days.
type History struct {
	Trail Slug   `json:"sendero"`
	Name  string `json:"nombre"`
	OfficialNotices
	Estimates []PastHour `json:"estimaciones" maxItems:"168"`
}

// PastHour is what was issued for an hour that is over.
type PastHour struct {
	Hour       time.Time   `json:"hora"`
	State      *State      `json:"estado"`
	Quality    Quality     `json:"calidad"`
	Main       *Hazard     `json:"amenaza_principal"`
	Confidence *Confidence `json:"confianza"`
	Variables  Variables   `json:"variables"`
}

// Thresholds are those of the rules in force.
type Thresholds struct {
	Rules      string      `json:"reglas_version"`
	Thresholds []Threshold `json:"umbrales"`
}

// Threshold is one of the rules: a number, or a text where it is none.
type Threshold struct {
	Key         string   `json:"clave"`
	Hazard      string   `json:"amenaza"`
	Value       *float64 `json:"valor"`
	Text        *string  `json:"texto"`
	Unit        *string  `json:"unidad"`
	Source      *string  `json:"fuente"`
	Description *string  `json:"descripcion"`
}

// Health is the state of the service. Ages are in seconds.
type Health struct {
	State        string     `json:"estado" enum:"ok,degradado,caido"`
	Version      string     `json:"version"`
	Phase        string     `json:"fase" const:"alfa"`
	StartedAt    *time.Time `json:"iniciado_en"`
	EstimatedAt  *time.Time `json:"ultima_estimacion"`
	AgeS         *int       `json:"edad_s" minimum:"0"`
	NextEstimate *time.Time `json:"proxima_estimacion"`
	Trails       struct {
		Total     int `json:"total" minimum:"0"`
		WithState int `json:"con_estado" minimum:"0"`
		NoData    int `json:"sin_datos" minimum:"0"`
	} `json:"senderos"`
	Models []ModelHealth `json:"modelos"`
	Mail   struct {
		State  string `json:"estado" enum:"no_configurado,ok,con_demoras,error,detenido"`
		Queued *int   `json:"en_cola" minimum:"0"`
	} `json:"correo"`
	WebPush struct {
		State  string `json:"estado" enum:"no_configurado,ok,con_demoras,detenido"`
		Queued *int   `json:"en_cola" minimum:"0"`
	} `json:"webpush"`
	Notices  []NoticeHealth `json:"avisos_oficiales"`
	Database struct {
		State  string  `json:"estado" enum:"ok,error"`
		Bytes  *int64  `json:"bytes" minimum:"0"`
		Remedy *string `json:"que_hacer"`
	} `json:"base_de_datos"`
	Certificate struct {
		State   string     `json:"estado" enum:"no_configurado,ok,sin_renovar,vencido,sin_certificado"`
		Expires *time.Time `json:"vence_en"`
		Days    *int       `json:"dias" minimum:"0"`
	} `json:"certificado"`
	Backup struct {
		State string     `json:"estado" enum:"ok,pendiente,error,no_configurado"`
		Last  *time.Time `json:"ultimo"`
		AgeS  *int       `json:"edad_s" minimum:"0"`
	} `json:"respaldo"`
	Jobs      []JobHealth      `json:"tareas"`
	Ensembles []EnsembleHealth `json:"conjuntos"`
	Provider  struct {
		WeightToday int  `json:"peso_hoy" minimum:"0"`
		DayLimit    *int `json:"limite_dia" minimum:"1"` // null: a contract without one
	} `json:"proveedor"`
}

// ModelHealth is how the runs of a weather model arrive.
type ModelHealth struct {
	Model     string     `json:"modelo"`
	Run       *time.Time `json:"corrida"`
	AgeS      *int       `json:"edad_s" minimum:"0"`
	State     string     `json:"estado"`
	LastError *string    `json:"ultimo_error"`
	Aloft     *string    `json:"error_viento_altura"`
}

// EnsembleHealth is how the runs of an ensemble arrive, which has no vote.
type EnsembleHealth struct {
	Ensemble  string     `json:"conjunto"`
	Run       *time.Time `json:"corrida"`
	AgeS      *int       `json:"edad_s" minimum:"0"`
	State     string     `json:"estado" enum:"ok,atrasado,vencido,sin_datos"`
	LastError *string    `json:"ultimo_error"`
}

// NoticeHealth is how the notices of an official body arrive.
type NoticeHealth struct {
	Kind       string     `json:"tipo" enum:"volcanes,cierres"`
	State      string     `json:"estado" enum:"ok,error,desactualizado,sin_datos,no_configurado"`
	ObtainedAt *time.Time `json:"obtenido_en"`
	Notices    *int       `json:"avisos" minimum:"0"`
	LastError  *string    `json:"ultimo_error"`
}

// JobHealth is how the last run of a periodic job went.
type JobHealth struct {
	Name    string     `json:"nombre"`
	State   string     `json:"estado" enum:"ok,pendiente,error"`
	LastRun *time.Time `json:"ultima"`
	EveryS  int        `json:"cada_s" minimum:"1"`
}

// PendingSubscription is the answer to a subscription that waits for its confirmation.
type PendingSubscription struct {
	Situation string    `json:"situacion" const:"pendiente_de_confirmacion"`
	Channel   string    `json:"canal" enum:"email,webpush"`
	Message   string    `json:"mensaje"`
	Until     time.Time `json:"confirmar_antes_de"`
}

// ActiveSubscription is the answer to a subscription by Web Push that is active.
type ActiveSubscription struct {
	Situation string     `json:"situacion" const:"activa"`
	Token     string     `json:"token" minLength:"1"`
	Ends      *time.Time `json:"caduca_en"`
}

// CancelledSubscription is the answer to a cancellation.
type CancelledSubscription struct {
	Situation string `json:"situacion" const:"cancelada"`
}

// Subscription is everything that is held of a subscription, by the names under which it
// was asked for. Hazards is null for all of them.
type Subscription struct {
	Situation string      `json:"situacion" enum:"activa,suspendida"`
	Channel   string      `json:"canal" enum:"email,webpush"`
	Email     *string     `json:"email"`
	WebPush   *PushTarget `json:"webpush"`
	Parks     []Slug      `json:"parques" maxItems:"64"`
	Trails    []TrailName `json:"senderos" maxItems:"64"`
	MinLevel  Level       `json:"nivel_minimo"`
	Hazards   []Hazard    `json:"amenazas" nullable:"true" minItems:"1"`
	Quiet     *ClockSpan  `json:"silencio"`
	Trip      *DateSpan   `json:"viaje"`
	Language  string      `json:"idioma" enum:"es,en"`
	Consent   struct {
		At     time.Time `json:"en"`
		Policy *string   `json:"politica"`
	} `json:"consentimiento"`
	CreatedAt   time.Time  `json:"creada_en"`
	ConfirmedAt time.Time  `json:"confirmada_en"`
	Ends        *time.Time `json:"caduca_en"`
	RefusedOn   *string    `json:"rebotada_el" format:"date"`
}

// PushTarget is where a browser is reached.
type PushTarget struct {
	Endpoint string   `json:"endpoint" format:"uri"`
	Keys     PushKeys `json:"keys"`
}

// PushKeys are the public key and the secret of a browser, in base64url.
type PushKeys struct {
	P256dh string `json:"p256dh"`
	Auth   string `json:"auth"`
}

// ClockSpan is a span of the day in local time, HH:MM.
type ClockSpan struct {
	From string `json:"desde" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	To   string `json:"hasta" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
}

// DateSpan is a span of local dates, both included, YYYY-MM-DD.
type DateSpan struct {
	From string `json:"desde" format:"date"`
	To   string `json:"hasta" format:"date"`
}

// NewSubscription is a request for a subscription. "" and nil stand for what was left out.
type NewSubscription struct {
	Channel  string     `json:"canal" required:"true" enum:"email,webpush"`
	Email    string     `json:"email" nullable:"true" maxLength:"254"`
	Push     *PushForm  `json:"webpush"`
	Parks    []string   `json:"parques" nullable:"true" maxItems:"64"`
	Trails   []string   `json:"senderos" nullable:"true" maxItems:"64"` // "park/trail", or the trail's slug where only one park has it
	MinLevel string     `json:"nivel_minimo" nullable:"true" enum:"precaucion,peligro" default:"precaucion"`
	Hazards  []string   `json:"amenazas" nullable:"true" minItems:"1"` // nil is all of them
	Quiet    *ClockSpan `json:"silencio"`
	Trip     *DateSpan  `json:"viaje"`
	Language string     `json:"idioma" nullable:"true" enum:"es,en" default:"es"`
	Consent  bool       `json:"consentimiento" required:"true" const:"true"`
}

// PushForm is a browser's own PushSubscription, and what proves that the browser is
// reached by it. Its ExpirationTime is not kept.
type PushForm struct {
	Endpoint       string   `json:"endpoint" required:"true" format:"uri" maxLength:"1024"`
	ExpirationTime *float64 `json:"expirationTime"`
	Keys           PushKeys `json:"keys" required:"true"`
	Proof          string   `json:"prueba" nullable:"true" minLength:"1"`
}

// PublicKey is the key that a browser needs to subscribe (VAPID).
type PublicKey struct {
	Key string `json:"clave_publica" pattern:"^[A-Za-z0-9_-]+$"`
}
