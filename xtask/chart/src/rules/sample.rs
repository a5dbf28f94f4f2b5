//! Manifests that fit together, which tests break in one place each.

use crate::objects::Objects;
use serde_json::{Value, json};

pub(super) const CONFIG: &str = r#"
[http]
listen = "0.0.0.0:7433"
allowed_hosts = ["team-mgp", "gateway.example.com"]

[[http.api_keys]]
id = "operator"
hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
agent = "operator"

[replicas]
listen = "0.0.0.0:7434"
advertise = "${POD_IP}:7434"

[telemetry]
metrics = "0.0.0.0:9464"
metrics_open = true

[[servers]]
id = "issues"
url = "https://tools.example.com/mcp"
auth = { bearer = "${ISSUES_TOKEN}" }
"#;

/// Returns manifests without a finding.
pub(super) fn objects() -> Objects {
    let labels = json!({ "name": "mgp", "instance": "team" });
    let peers = json!([{ "podSelector": { "matchLabels": labels } }]);
    Objects::new(vec![
        json!({ "kind": "ConfigMap", "metadata": { "name": "team-mgp" }, "data": { "mgp.toml": CONFIG } }),
        json!({
            "kind": "Secret", "metadata": { "name": "team-mgp" },
            "stringData": { "MGP_STORE_URL": "postgres://db/mgp", "ISSUES_TOKEN": "0123" },
        }),
        json!({ "kind": "ServiceAccount", "metadata": { "name": "team-mgp" }, "automountServiceAccountToken": false }),
        json!({
            "kind": "Service", "metadata": { "name": "team-mgp" },
            "spec": { "selector": labels, "ports": [{ "port": 80, "targetPort": "http" }] },
        }),
        json!({ "kind": "Ingress", "spec": { "rules": [{ "host": "gateway.example.com" }] } }),
        json!({ "kind": "PodDisruptionBudget", "spec": { "maxUnavailable": 1, "selector": { "matchLabels": labels } } }),
        json!({ "kind": "HorizontalPodAutoscaler", "spec": { "scaleTargetRef": { "name": "team-mgp" } } }),
        json!({
            "kind": "NetworkPolicy",
            "spec": {
                "podSelector": { "matchLabels": labels },
                "policyTypes": ["Ingress"],
                "ingress": [
                    { "ports": [{ "port": "http" }] },
                    { "ports": [{ "port": "replicas" }], "from": peers },
                    { "ports": [{ "port": "metrics" }], "from": [{ "namespaceSelector": {} }] },
                ],
            },
        }),
        deployment(&labels),
    ])
}

fn deployment(labels: &Value) -> Value {
    let probe = |path: &str| json!({ "httpGet": { "path": path, "port": "http" }, "timeoutSeconds": 2 });
    let container = json!({
        "args": ["serve", "--http"],
        "securityContext": {
            "readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] },
        },
        "env": [
            { "name": "POD_IP", "valueFrom": { "fieldRef": { "fieldPath": "status.podIP" } } },
            { "name": "MGP_CONFIG_PATH", "value": "/etc/mgp/mgp.toml" },
            { "name": "MGP_STATE_DIR", "value": "/state/replica" },
            { "name": "MGP_STORE_URL", "valueFrom": { "secretKeyRef": { "name": "team-mgp", "key": "MGP_STORE_URL" } } },
        ],
        "envFrom": [{ "secretRef": { "name": "team-mgp" } }],
        "ports": [
            { "name": "http", "containerPort": 7433 },
            { "name": "replicas", "containerPort": 7434 },
            { "name": "metrics", "containerPort": 9464 },
        ],
        "startupProbe": probe("/livez"),
        "readinessProbe": probe("/readyz"),
        "livenessProbe": probe("/livez"),
        "lifecycle": { "preStop": { "sleep": { "seconds": 5 } } },
        "resources": { "requests": { "cpu": "250m" } },
        "volumeMounts": [
            { "name": "config", "mountPath": "/etc/mgp", "readOnly": true }, { "name": "state", "mountPath": "/state" },
        ],
    });
    let annotations = json!({
        "checksum/config": "1", "checksum/secret": "2", "prometheus.io/scrape": "true", "prometheus.io/port": "9464",
    });
    json!({
        "kind": "Deployment",
        "metadata": { "name": "team-mgp" },
        "spec": {
            "selector": { "matchLabels": labels },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": 0, "maxSurge": 1 } },
            "template": {
                "metadata": { "labels": labels, "annotations": annotations },
                "spec": {
                    "serviceAccountName": "team-mgp",
                    "automountServiceAccountToken": false,
                    "enableServiceLinks": false,
                    "securityContext": {
                        "runAsNonRoot": true, "runAsUser": 10001, "seccompProfile": { "type": "RuntimeDefault" },
                    },
                    "terminationGracePeriodSeconds": 45,
                    "containers": [container],
                    "volumes": [
                        { "name": "config", "configMap": { "name": "team-mgp" } }, { "name": "state", "emptyDir": {} },
                    ],
                    "topologySpreadConstraints": [{ "topologyKey": "kubernetes.io/hostname" }],
                },
            },
        },
    })
}
