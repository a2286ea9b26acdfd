{{/* The first part of the names of all objects. A release may have dots in its name, a Service may not. */}}
{{- define "weir.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := printf "%s-%s" .Release.Name $name -}}
{{- if .Values.fullnameOverride -}}
{{- $full = .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- $full = .Release.Name -}}
{{- end -}}
{{- regexReplaceAll "-+$" ($full | replace "." "-" | trunc 48) "" -}}
{{- end -}}

{{/* Labels that select. They never change. A release may be called "123" or "true", which YAML takes for no text. */}}
{{- define "weir.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: weir
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The roles that run, as a list in JSON. */}}
{{- define "weir.roles" -}}
{{- $roles := list "ingress" "evaluator" "archiver" -}}
{{- if .Values.metrics.enabled -}}{{- $roles = append $roles "metrics" -}}{{- end -}}
{{- if .Values.hooks.enabled -}}{{- $roles = append $roles "hooks" -}}{{- end -}}
{{- toJson $roles -}}
{{- end -}}

{{/* What does not fit together, beyond the schema. */}}
{{- define "weir.check" -}}
{{- $name := include "weir.fullname" . -}}
{{- if not (regexMatch "^[a-z]" $name) -}}{{- fail (printf "The name of a Service begins with a letter, and %s does not: set fullnameOverride." $name) -}}{{- end -}}
{{- if not .Values.image.repository -}}{{- fail "Set image.repository: the registry and folder that you pushed weir-ingress and weir-worker to." -}}{{- end -}}
{{- if not .Values.redis.url -}}{{- fail "Set redis.url, such as redis://redis:6379." -}}{{- end -}}
{{- if not .Values.clickhouse.url -}}{{- fail "Set clickhouse.url, such as http://weir@clickhouse:8123." -}}{{- end -}}
{{- with .Values.configuration -}}
{{- if gt (len (compact (list .content .configMap .secret))) 1 -}}{{- fail "Set one of configuration.content, configuration.configMap and configuration.secret." -}}{{- end -}}
{{- if and .keysSecret (not (or .content .configMap .secret)) -}}{{- fail "configuration.keysSecret has a part of a configuration: set one of content, configMap and secret, too." -}}{{- end -}}
{{- end -}}
{{- if and .Values.clickhouse.sharded (not .Values.clickhouse.cluster) -}}{{- fail "clickhouse.sharded needs clickhouse.cluster." -}}{{- end -}}
{{- if ne (empty .Values.redis.certKey) (empty .Values.redis.keyKey) -}}{{- fail "redis.certKey and redis.keyKey belong together." -}}{{- end -}}
{{- if and .Values.redis.sentinelPasswordSecret (not (contains "-sentinel://" .Values.redis.url)) -}}{{- fail "redis.sentinelPasswordSecret is for a redis.url of Sentinels." -}}{{- end -}}
{{- if and .Values.redis.tlsSecret (not (hasPrefix "rediss" .Values.redis.url)) -}}{{- fail "redis.tlsSecret is for a redis.url that begins with rediss." -}}{{- end -}}
{{- range $role := fromJsonArray (include "weir.roles" .) -}}
{{- with (index $.Values $role).autoscaling -}}
{{- if gt (int .min) (int .max) -}}{{- fail (printf "%s.autoscaling.min is more than max." $role) -}}{{- end -}}
{{- if and (ne .kind "none") (not (dig "requests" "cpu" "" (index $.Values $role).resources)) -}}{{- fail (printf "%s.autoscaling needs %s.resources.requests.cpu: it keeps to a share of it." $role $role) -}}{{- end -}}
{{- if and (eq .kind "keda") (not $.Values.keda.serverAddress) -}}{{- fail (printf "%s.autoscaling.kind keda needs keda.serverAddress, the address of Prometheus." $role) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.kubernetesIngress.enabled (not .Values.kubernetesIngress.hosts) -}}{{- fail "kubernetesIngress needs kubernetesIngress.hosts." -}}{{- end -}}
{{- end -}}

{{/* Image of `kind`: ingress or worker. */}}
{{- define "weir.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := ternary $image.ingressDigest $image.workerDigest (eq .kind "ingress") -}}
{{- printf "%s/weir-%s:%s" (trimSuffix "/" $image.repository) .kind (default .root.Chart.AppVersion $image.tag) -}}
{{- if $digest }}@{{ $digest }}{{ end -}}
{{- end -}}

{{/* Settings of all, and those of `role` over them, as JSON. `merge` of helm would take 0 for absent. */}}
{{- define "weir.settings" -}}
{{- $all := dict -}}
{{- range $name, $value := .root.Values.settings -}}{{- $_ := set $all $name $value -}}{{- end -}}
{{- if .role -}}
{{- range $name, $value := (index .root.Values .role).settings -}}{{- $_ := set $all $name $value -}}{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* Numbers of values are floating: 67108864 would become 6.7108864e+07. */}}
{{- define "weir.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ int64 . }}{{ end -}}
{{- end -}}

{{/* Seconds from SIGTERM to SIGKILL: delay, drain and what is to spare. */}}
{{- define "weir.graceSeconds" -}}
{{- $settings := fromJson (include "weir.settings" .) -}}
{{- $delay := ternary (get $settings "WEIR_STOP_DELAY_MS") 5000 (hasKey $settings "WEIR_STOP_DELAY_MS") -}}
{{- $drain := ternary (get $settings "WEIR_DRAIN_MS") 15000 (hasKey $settings "WEIR_DRAIN_MS") -}}
{{- add (div (add (int64 $delay) (int64 $drain) 999) 1000) (int64 .root.Values.spareSeconds) -}}
{{- end -}}

{{/* Environment of a container of `role`; without a role: of a Job. */}}
{{- define "weir.env" -}}
{{- $values := .root.Values -}}
- { name: WEIR_REDIS_URL, value: {{ $values.redis.url | quote }} }
{{- with $values.redis }}
{{- if .passwordSecret }}
- { name: WEIR_REDIS_PASSWORD_FILE, value: {{ printf "/etc/weir/redis/%s" .passwordKey | quote }} }
{{- end }}
{{- if .sentinelUser }}
- { name: WEIR_REDIS_SENTINEL_USER, value: {{ .sentinelUser | quote }} }
{{- end }}
{{- if .sentinelPasswordSecret }}
- { name: WEIR_REDIS_SENTINEL_PASSWORD_FILE, value: {{ printf "/etc/weir/sentinel/%s" .sentinelPasswordKey | quote }} }
{{- end }}
{{- if .tlsSecret }}
{{- with .caKey }}
- { name: WEIR_REDIS_CA_FILE, value: {{ printf "/etc/weir/redis-tls/%s" . | quote }} }
{{- end }}
{{- if .certKey }}
- { name: WEIR_REDIS_CERT_FILE, value: {{ printf "/etc/weir/redis-tls/%s" .certKey | quote }} }
- { name: WEIR_REDIS_KEY_FILE, value: {{ printf "/etc/weir/redis-tls/%s" .keyKey | quote }} }
{{- end }}
{{- end }}
{{- end }}
- { name: WEIR_CLICKHOUSE_URL, value: {{ $values.clickhouse.url | quote }} }
{{- with $values.clickhouse }}
{{- if .passwordSecret }}
- { name: WEIR_CLICKHOUSE_PASSWORD_FILE, value: {{ printf "/etc/weir/clickhouse/%s" .passwordKey | quote }} }
{{- end }}
{{- if .caSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: {{ printf "/etc/weir/clickhouse-tls/%s" .caKey | quote }} }
{{- end }}
{{- end }}
{{- if .role }}
- { name: WEIR_METRICS_HOST, value: {{ $values.listen | quote }} }
- { name: WEIR_METRICS_PORT, value: "9464" }
{{- if eq .role "ingress" }}
- { name: WEIR_HOST, value: {{ $values.listen | quote }} }
- { name: WEIR_PORT, value: "8080" }
{{- else }}
- { name: WEIR_ROLES, value: {{ .role }} }
{{- end }}
{{- end }}
{{- if ne (default "" .role) "ingress" }}
- { name: WEIR_MODELS, value: /var/lib/weir/models }
- { name: WEIR_HASH_LISTS, value: /var/lib/weir/hashes }
{{- end }}
{{- range $name, $value := fromJson (include "weir.settings" .) }}
- { name: {{ $name }}, value: {{ include "weir.text" $value | quote }} }
{{- end }}
{{- if .role }}
{{- with (index $values .role).env }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Secrets are mounted as folders, so that what is changed there arrives. */}}
{{- define "weir.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- with .Values.redis }}
{{- if .passwordSecret }}
- { name: redis-password, mountPath: /etc/weir/redis, readOnly: true }
{{- end }}
{{- if .sentinelPasswordSecret }}
- { name: sentinel-password, mountPath: /etc/weir/sentinel, readOnly: true }
{{- end }}
{{- if .tlsSecret }}
- { name: redis-tls, mountPath: /etc/weir/redis-tls, readOnly: true }
{{- end }}
{{- end }}
{{- with .Values.clickhouse }}
{{- if .passwordSecret }}
- { name: clickhouse-password, mountPath: /etc/weir/clickhouse, readOnly: true }
{{- end }}
{{- if .caSecret }}
- { name: clickhouse-tls, mountPath: /etc/weir/clickhouse-tls, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}

{{- define "weir.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: {{ .Values.temporary.size }} }
{{- with .Values.redis }}
{{- if .passwordSecret }}
- name: redis-password
  secret: { secretName: {{ .passwordSecret | quote }}, defaultMode: 0440, items: [{ key: {{ .passwordKey | quote }}, path: {{ .passwordKey | quote }} }] }
{{- end }}
{{- if .sentinelPasswordSecret }}
- name: sentinel-password
  secret: { secretName: {{ .sentinelPasswordSecret | quote }}, defaultMode: 0440, items: [{ key: {{ .sentinelPasswordKey | quote }}, path: {{ .sentinelPasswordKey | quote }} }] }
{{- end }}
{{- if .tlsSecret }}
- name: redis-tls
  secret: { secretName: {{ .tlsSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- end }}
{{- with .Values.clickhouse }}
{{- if .passwordSecret }}
- name: clickhouse-password
  secret: { secretName: {{ .passwordSecret | quote }}, defaultMode: 0440, items: [{ key: {{ .passwordKey | quote }}, path: {{ .passwordKey | quote }} }] }
{{- end }}
{{- if .caSecret }}
- name: clickhouse-tls
  secret: { secretName: {{ .caSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- end }}
{{- end -}}

{{/* Mounts and volumes of what only workers, and the trial of models by `weir apply`, read. */}}
{{- define "weir.dataMounts" -}}
{{- if .Values.models }}
- { name: models, mountPath: /var/lib/weir/models, readOnly: true }
{{- end }}
{{- if .Values.hashLists }}
- { name: hash-lists, mountPath: /var/lib/weir/hashes, readOnly: true }
{{- end }}
{{- end -}}

{{- define "weir.dataVolumes" -}}
{{- with .Values.models }}
- name: models
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hashLists }}
- name: hash-lists
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
What all pods have. Service links would set WEIR_PORT=tcp://… beside a Service that is named weir. The account that the chart makes is not there
yet when hooks run.
*/}}
{{- define "weir.pod" -}}
{{- $values := .root.Values -}}
enableServiceLinks: false
automountServiceAccountToken: false
{{- if and $values.serviceAccount.create (not .isHook) }}
serviceAccountName: {{ default (include "weir.fullname" .root) $values.serviceAccount.name | quote }}
{{- else if and $values.serviceAccount.name (not $values.serviceAccount.create) }}
serviceAccountName: {{ $values.serviceAccount.name | quote }}
{{- end }}
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if kindIs "bool" $values.hostUsers }}
hostUsers: {{ $values.hostUsers }}
{{- end }}
{{- $context := deepCopy $values.podSecurityContext -}}
{{- range $name, $value := .context -}}{{- $_ := set $context $name $value -}}{{- end }}
securityContext:
  {{- toYaml $context | nindent 2 }}
{{- end -}}
