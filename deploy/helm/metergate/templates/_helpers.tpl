{{- define "metergate.name" -}}{{ printf "%s-metergate" .Release.Name | trunc 50 | trimSuffix "-" }}{{- end -}}

{{- define "metergate.labels" -}}
app.kubernetes.io/name: metergate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "metergate.allLabels" -}}
{{ include "metergate.labels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "metergate.secret" -}}{{ default (include "metergate.name" .) .Values.secret.existing }}{{- end -}}

{{- define "metergate.image" -}}{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}{{- end -}}

{{- define "metergate.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "metergate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "metergate.environment" -}}
- { name: SVC_HOST, value: "0.0.0.0" }
{{- /* The kubelet's probes and Prometheus come from outside the pod. The network policy says who else may. */}}
- { name: SVC_OPS_HOST, value: "0.0.0.0" }
- { name: SVC_LOG_FORMAT, value: json }
{{- with .Values.publicGatewayUrl }}
- { name: SVC_PUBLIC_GATEWAY_URL, value: {{ . | quote }} }
{{- end }}
{{- with .Values.publicPlatformUrl }}
- { name: SVC_PUBLIC_PLATFORM_URL, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "metergate.probes" -}}
startupProbe: { httpGet: { path: /healthz, port: ops }, periodSeconds: 2, failureThreshold: 60 }
livenessProbe: { httpGet: { path: /healthz, port: ops }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
{{- end -}}

{{- define "metergate.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "metergate.labels" . | nindent 8 }}
{{- end -}}
