{{/* The gateway's configuration: `config`, with the keys that follow from other values. */}}
{{- define "mgp.configuration" -}}
{{- $config := fromToml .Values.config -}}
{{- with $config.Error -}}
{{- fail (printf "config is not TOML: %s" .) -}}
{{- end -}}
{{- range $key := list "http.listen" "replicas.listen" "replicas.advertise" "store.url" "kernel.state_dir" "telemetry.metrics" "telemetry.metrics_open" -}}
{{- $parts := splitList "." $key -}}
{{- if hasKey (index $config (first $parts) | default dict) (last $parts) -}}
{{- fail (printf "config sets %s, which the chart sets: expected no such key; see ports, store, state and metrics in values.yaml" $key) -}}
{{- end -}}
{{- end -}}
{{- $ports := list (int .Values.ports.http) (int .Values.ports.replicas) (int .Values.ports.metrics) -}}
{{- if lt (len (uniq $ports)) 3 -}}
{{- fail (printf "ports.http, ports.replicas and ports.metrics are %d, %d and %d: expected three different ports" (index $ports 0) (index $ports 1) (index $ports 2)) -}}
{{- end -}}
{{- $http := $config.http | default dict -}}
{{- if not (or $http.api_keys $http.oauth) -}}
{{- fail "config has no key: expected http.api_keys, as `mgp keys new --id operator --agent operator --admin` prints it, or http.oauth" -}}
{{- end -}}
{{- $service := include "mgp.fullname" . -}}
{{- $names := list $service -}}
{{- range $domain := list .Release.Namespace (printf "%s.svc" .Release.Namespace) (printf "%s.svc.%s" .Release.Namespace .Values.clusterDomain) -}}
{{- $names = append $names (printf "%s.%s" $service $domain) -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- $names = append $names .Values.ingress.host -}}
{{- end -}}
{{- $all := ternary "[::]" "0.0.0.0" (eq .Values.ipFamily "IPv6") -}}
{{- $own := ternary "[${POD_IP}]" "${POD_IP}" (eq .Values.ipFamily "IPv6") -}}
{{- $_ := set $http "listen" (printf "%s:%d" $all (int .Values.ports.http)) -}}
{{- $_ := set $http "allowed_hosts" (concat ($http.allowed_hosts | default list) $names | uniq) -}}
{{- $_ := set $config "http" $http -}}
{{- $port := int .Values.ports.replicas -}}
{{- $_ := set $config "replicas" (dict "listen" (printf "%s:%d" $all $port) "advertise" (printf "%s:%d" $own $port)) -}}
{{- if .Values.metrics.enabled -}}
{{- $telemetry := $config.telemetry | default dict -}}
{{- $_ := set $telemetry "metrics" (printf "%s:%d" $all (int .Values.ports.metrics)) -}}
{{- $_ := set $telemetry "metrics_open" true -}}
{{- $_ := set $config "telemetry" $telemetry -}}
{{- end -}}
{{- toToml $config -}}
{{- end -}}
