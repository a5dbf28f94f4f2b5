{{/* The name of all objects. Short, because the names of pods are part of the paths of sockets. */}}
{{- define "mgp.fullname" -}}
{{- $default := .Release.Name -}}
{{- if not (contains .Chart.Name .Release.Name) -}}
{{- $default = printf "%s-%s" .Release.Name .Chart.Name -}}
{{- end -}}
{{- .Values.fullnameOverride | default $default | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The labels by which objects find the pods of this release. */}}
{{- define "mgp.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The labels of all objects. */}}
{{- define "mgp.labels" -}}
{{ include "mgp.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "mgp.serviceAccountName" -}}
{{- $default := ternary (include "mgp.fullname" .) "default" .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default $default -}}
{{- end -}}

{{- define "mgp.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the URL of the database, as a reference. */}}
{{- define "mgp.storeUrl" -}}
{{- $isOwn := not .Values.store.existingSecret -}}
name: {{ .Values.store.existingSecret | default (include "mgp.fullname" .) }}
key: {{ ternary "MGP_STORE_URL" .Values.store.existingSecretKey $isOwn }}
{{- end -}}
